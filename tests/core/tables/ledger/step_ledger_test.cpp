// Covers: step_ledger, host_activity, collective_waits, work_costs, call_bytes, device_roofs, utilization
// The ledger of one GPU: cases worked by hand, and sums on random traces.
#include "core/tables/ledger/step_ledger.hpp"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/ledger/call_bytes.hpp"
#include "core/tables/ledger/host_activity.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::StepRow;
using kino::StepTimes;

/// The inputs of the ledgers of a trace, with what they refer to.
struct Opened {
  explicit Opened(std::shared_ptr<const kino::Trace> of)
      : trace(std::move(of)),
        tree(kino::operator_tree(*trace, kino::whole_range(*trace), {.annotations = true})),
        part(*trace, tree),
        inputs(*trace, part) {}

  std::shared_ptr<const kino::Trace> trace;
  kino::OperatorTree tree;
  kino::OperatorTreePart part;
  kino::LedgerInputs inputs;
};

}  // namespace

TEST_CASE("each moment of a GPU is in one row, and idle time follows the launching thread") {
  kino::EventFixture events;
  events.op("aten::first", 0, 5)
      .op("aten::second", 20, 20)
      .launch(30, 5, 1)
      .kernel("vectorized_elementwise_kernel", 50, 50, 1)
      .launch(60, 5, 2)
      .kernel("ncclDevKernel_SendRecv", 80, 40, 2, "8")
      .launch(62, 5, 3)
      .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 110, 30, "9", 3);
  const Opened opened(events.build());
  const auto ledgers = kino::gpu_ledgers(opened.inputs);
  REQUIRE(ledgers.size() == 1);
  const StepTimes times = ledgers.front().ledger.times({0, 200});
  CHECK(times.total() == 200);
  CHECK(times[StepRow::idle_dispatch] == 15);  // 0 to 5 and 20 to 30
  CHECK(times[StepRow::idle_silent] == 15);
  CHECK(times[StepRow::idle_launch] == 20);
  CHECK(times[StepRow::memory_unknown] == 50);
  CHECK(times[StepRow::comm_p2p] == 20);
  CHECK(times[StepRow::copy] == 20);
  CHECK(times[StepRow::idle_tail] == 60);
  CHECK(ledgers.front().ledger.times({7, 7}) == StepTimes{});
}

TEST_CASE("a trace without GPU work has no ledger") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  const Opened opened(events.build());
  CHECK(kino::gpu_ledgers(opened.inputs).empty());
  CHECK(kino::utilization(*opened.trace, opened.inputs.costs, {}, {0, 10}).mfu() == 0);
}

TEST_CASE("rows add up to the window on random traces") {
  std::mt19937 random(7);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  constexpr const char* kKernels[] = {"gemm", "elementwise", "ncclDevKernel_AllReduce", "multi_tensor_apply",
                                      "odd"};
  for (int round = 0; round < 100; ++round) {
    kino::EventFixture events;
    std::int64_t at = 0;
    for (int i = 1; i <= 30; ++i) {
      at += below(20);
      events.op("aten::op" + std::to_string(below(3)), at, 10 + below(15)).launch(at + 1, 1 + below(8), i);
      events.kernel(kKernels[below(5)], at + 2 + below(60), below(40), below(4) == 0 ? 0 : i,
                    std::to_string(7 + below(3)));
      at += 26;
    }
    const Opened opened(events.build());
    for (const kino::GpuLedger& gpu : kino::gpu_ledgers(opened.inputs)) {
      for (int window = 0; window < 10; ++window) {
        const std::int64_t begin = below(1500) - 50;
        const std::int64_t end = begin + below(500);
        CHECK(gpu.ledger.times({begin, end}).total() == end - begin);
        const std::int64_t middle = begin + (end - begin) / 2;
        StepTimes halves = gpu.ledger.times({begin, middle});
        halves += gpu.ledger.times({middle, end});
        const StepTimes whole = gpu.ledger.times({begin, end});
        for (const StepRow row :
             {StepRow::copy, StepRow::idle_launch, StepRow::idle_dispatch, StepRow::comm_waiting})
          CHECK(halves[row] == whole[row]);
      }
    }
  }
}

TEST_CASE("the FLOPs of many windows equal those of each window, also if work overlaps") {
  std::mt19937 random(11);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 50; ++round) {
    kino::EventFixture events;
    for (int i = 1; i <= 40; ++i) {
      events.op("aten::mm", i * 20, 18);
      if (below(5) > 0)
        events.told({{'I', "[[16, 8], [8, 4]]"},
                     {'T', below(2) == 0 ? R"(["float", "float"])" : R"(["c10::Half", "c10::Half"])"}});
      events.launch(i * 20 + 1, 5, i);
      events.kernel("gemm", i * 20 + below(100), below(200), i, std::to_string(7 + below(2)));
    }
    const Opened opened(events.build());
    const kino::GpuWork work = kino::gpu_work_in(*opened.trace, kino::whole_range(*opened.trace));
    std::vector<kino::TimeRange> windows;
    for (int i = 0; i < 20; ++i) {
      const std::int64_t begin = below(1200) - 50;
      windows.push_back({begin, begin + below(400)});
    }
    const kino::WorkCosts& costs = opened.inputs.costs;
    const auto uses = kino::utilizations(*opened.trace, costs, work.streams, windows);
    REQUIRE(uses.size() == windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const kino::Utilization one = kino::utilization(*opened.trace, costs, work.streams, windows[i]);
      CHECK(uses[i].window_ns == one.window_ns);
      CHECK(uses[i].matrix_ns == one.matrix_ns);
      CHECK(uses[i].uncounted_ns == one.uncounted_ns);
      REQUIRE(uses[i].types.size() == one.types.size());
      for (std::size_t type = 0; type < one.types.size(); ++type) {
        CHECK(uses[i].types[type].dtype == one.types[type].dtype);
        CHECK(uses[i].types[type].hardware_flop == one.types[type].hardware_flop);
        CHECK(uses[i].types[type].model_flop == one.types[type].model_flop);
      }
    }
    std::size_t near = 0;
    for (const kino::WorkCosts::Piece& piece : costs.pieces()) {
      CHECK(costs.find(piece.slice, near) == &piece);
      CHECK(costs.find(piece.slice) == &piece);
    }
    CHECK(costs.find(costs.pieces().front().slice, near) == &costs.pieces().front());
    CHECK(costs.find(kino::SliceId{0}, near) == costs.find(kino::SliceId{0}));
  }
}

TEST_CASE("least bytes count operands and results once") {
  kino::EventFacts facts;
  facts.input_dims = "[[16, 8], [8, 4]]";
  facts.input_types = R"(["c10::BFloat16", "c10::BFloat16"])";
  CHECK(kino::least_bytes("aten::mm", facts, false) == 2 * (16 * 8 + 8 * 4 + 16 * 4));
  facts.input_dims = "[[16, 8], [1, 8]]";
  facts.input_types = R"(["float", "float"])";
  CHECK(kino::least_bytes("aten::mul", facts, true) == 4 * (128 + 8 + 128));
  CHECK(kino::least_bytes("aten::gt", facts, true) == 4 * (128 + 8) + 128);
  CHECK_FALSE(kino::least_bytes("aten::index_select", facts, true).has_value());
  CHECK_FALSE(kino::least_bytes("aten::mm", kino::EventFacts{}, false).has_value());
}

TEST_CASE("wrappers are not dispatch") {
  CHECK(kino::is_wrapper("Torch-Compiled Region: 0/0"));
  CHECK_FALSE(kino::is_wrapper("aten::mm"));
}

TEST_CASE(
    "limits of a device need its exact name, and an H100 without a model is assumed to be the SXM board") {
  const kino::DeviceRoofs roofs = kino::device_roofs("NVIDIA H100 80GB HBM3");
  CHECK(roofs.bytes_per_ns == 3352);
  CHECK(roofs.flop_per_ns("c10::BFloat16") == doctest::Approx(989400));
  const kino::DeviceRoofs assumed = kino::device_roofs("NVIDIA H100");
  CHECK(assumed.assumed);
  CHECK(assumed.bytes_per_ns == 0);
  CHECK(assumed.flop_per_ns("c10::BFloat16") == doctest::Approx(989400));
  CHECK(kino::device_roofs("unknown").flop_per_ns("float") == 0);
}
