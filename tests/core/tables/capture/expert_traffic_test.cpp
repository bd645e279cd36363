// Covers: expert_traffic, expert_table
// Dispatch and combine kernels, pairs that overlap, and rows per receiving rank.
#include "core/tables/capture/expert_traffic.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/capture/expert_table.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

using kino::ExpertRole;

const char* const kDispatch = "void deep_ep::intranode::dispatch<8>(int*)";
const char* const kCombine = "void deep_ep::intranode::combine<__nv_bfloat16>(int*)";

std::vector<kino::ExpertTraffic> traffic(const kino::Trace& trace) {
  return kino::expert_traffic(trace, kino::gpu_work_in(trace, kino::whole_range(trace)));
}

}  // namespace

TEST_CASE("kernels of expert libraries are recognized by name") {
  CHECK(kino::expert_role(kDispatch) == ExpertRole::dispatch);
  CHECK(kino::expert_role(kCombine) == ExpertRole::combine);
  CHECK(kino::expert_role("mori::moe::EpDispatchInterNodeKernel") == ExpertRole::dispatch);
  CHECK(kino::expert_role("EpCombineIntraNodeKernel_bf16") == ExpertRole::combine);
  CHECK(kino::expert_role("tensorrt_llm::kernels::moe_a2a::moeA2ADispatchKernel") == ExpertRole::dispatch);
  CHECK(kino::expert_role("void deep_ep::intranode::cached_notify_combine(int)") == ExpertRole::none);
  CHECK(kino::expert_role("deep_ep::layout::get_dispatch_layout") == ExpertRole::none);
  CHECK(kino::expert_role("flash_fwd_splitkv_combine_kernel") == ExpertRole::none);
  CHECK(kino::expert_role("c10::Dispatcher") == ExpertRole::none);
  CHECK(kino::expert_role("") == ExpertRole::none);
}

TEST_CASE("each combine belongs to the earliest dispatch without one") {
  kino::EventFixture events;
  events.kernel(kDispatch, 0, 10)
      .kernel(kDispatch, 20, 30)
      .kernel(kCombine, 60, 5)
      .kernel(kCombine, 90, 8)
      .kernel(kCombine, 200, 1);
  const auto trace = events.build();
  const auto devices = traffic(*trace);
  REQUIRE(devices.size() == 1);
  const kino::ExpertTraffic& device = devices[0];
  CHECK(device.dispatches == 2);
  CHECK(device.combines == 3);
  CHECK(device.dispatch_ns == 40);
  CHECK(device.combine_ns == 14);
  REQUIRE(device.pairs.size() == 2);
  CHECK(device.pairs[0].between_ns == 50);
  CHECK(device.pairs[1].between_ns == 40);
  CHECK(device.between_ns == 90);
  CHECK(trace->duration_ns(device.longest_dispatch) == 30);
  CHECK(trace->duration_ns(device.longest_combine) == 8);
}

TEST_CASE("a combine that overlaps its dispatch leaves no time between") {
  kino::EventFixture events;
  events.kernel(kCombine, 0, 5).kernel(kDispatch, 10, 30, 0, "7").kernel(kCombine, 20, 5, 0, "8");
  const auto trace = events.build();
  const auto devices = traffic(*trace);
  REQUIRE(devices.size() == 1);
  REQUIRE(devices[0].pairs.size() == 1);
  CHECK(devices[0].pairs[0].between_ns == 0);
}

TEST_CASE("rows and bytes per rank come from the split sizes") {
  kino::EventFixture events;
  const auto message = [&](std::int64_t at, const char* splits, const char* elements, const char* type) {
    events.kernel("ncclDevKernel_SendRecv", at, 5).told({{'u', splits}, {'n', elements}, {'d', type}});
  };
  message(0, "[3, 1]", "40", "BFloat16");
  message(10, "[0, 2]", "4", "Float");
  message(20, "[]", "4", "Float");
  message(30, "[-1, 2]", "4", "Float");
  const auto trace = events.build();
  const auto devices = traffic(*trace);
  REQUIRE(devices.size() == 1);
  REQUIRE(devices[0].sent.size() == 2);
  const kino::SentRows& first = devices[0].sent.at(0);
  const kino::SentRows& second = devices[0].sent.at(1);
  CHECK(first.messages == 2);
  CHECK(first.rows == 3);
  CHECK(first.bytes == 60);
  CHECK(second.rows == 3);
  CHECK(second.bytes == 20 + 16);
  CHECK(second.bytes_known);
  const kino::Table table = kino::expert_table(*trace, devices, kino::ExpertGrouping::peer);
  REQUIRE(table.row_count() == 2);
  CHECK(kino_test::integer(table, "peer", 1) == 1);
  CHECK(kino_test::integer(table, "bytes", 1) == 36);
}

TEST_CASE("bytes are unknown without a type, and saturate") {
  kino::EventFixture events;
  events.kernel("ncclDevKernel_SendRecv", 0, 5).told({{'u', "[1]"}, {'n', "4"}});
  events.kernel("ncclDevKernel_SendRecv", 10, 5)
      .told(
          {{'u', "[9223372036854775807, 9223372036854775807]"}, {'n', "9223372036854775807"}, {'d', "Long"}});
  const auto trace = events.build();
  const auto devices = traffic(*trace);
  REQUIRE(devices.size() == 1);
  CHECK_FALSE(devices[0].sent.at(0).bytes_known);
  CHECK(devices[0].sent.at(1).bytes == 9223372036854775807);
  const kino::Table table = kino::expert_table(*trace, devices, kino::ExpertGrouping::peer);
  CHECK(kino_test::integer(table, "bytes", 0) == kino::kNoInteger);
}

TEST_CASE("the tables of GPUs and pairs have one row each, and say if there are none") {
  kino::EventFixture events;
  events.kernel(kDispatch, 0, 10).kernel(kCombine, 30, 5);
  const auto trace = events.build();
  const auto devices = traffic(*trace);
  const kino::Table gpus = kino::expert_table(*trace, devices, kino::ExpertGrouping::gpu);
  REQUIRE(gpus.row_count() == 1);
  CHECK(kino_test::integer(gpus, "pairs", 0) == 1);
  CHECK(kino_test::integer(gpus, "between_ns", 0) == 20);
  CHECK(gpus.notes.empty());
  const kino::Table pairs = kino::expert_table(*trace, devices, kino::ExpertGrouping::pair);
  REQUIRE(pairs.row_count() == 1);
  CHECK(kino_test::integer(pairs, "combine_ns", 0) == 5);
  const auto none = kino::EventFixture().kernel("gemm", 0, 5).build();
  const kino::Table empty = kino::expert_table(*none, traffic(*none), kino::ExpertGrouping::gpu);
  CHECK(empty.row_count() == 0);
  CHECK(empty.notes.size() == 1);
}

TEST_CASE("the imbalance of experts is the largest time divided by the mean") {
  std::vector<kino::ExpertTraffic> devices(3);
  CHECK(kino::expert_imbalance(devices) == 0);
  devices[0].pairs.resize(1);
  devices[0].between_ns = 30;
  devices[1].pairs.resize(1);
  devices[1].between_ns = 10;
  CHECK(kino::expert_imbalance(devices) == doctest::Approx(1.5));
}
