// Covers: communication_advice
// Advice on exposed communication.
#include "core/tables/analysis/communication_advice.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

TEST_CASE("advises larger buckets in training only, and traces of all ranks if some are missing") {
  kino::EventFixture inference;
  inference.op("aten::mm", 0, 10).kernel("gemm", 5, 5).kernel("ncclDevKernel_AllReduce", 10, 10);
  const auto served = inference.build();
  CHECK_FALSE(kino::is_training(*served));
  CHECK(
      kino::communication_fix(*served, {}) ==
      "Overlap communication with compute. A single rank cannot separate waiting from transfer. Open the traces of all "
      "ranks.");
  kino::EventFixture training;
  training.op("autograd::engine::evaluate_function: MmBackward0", 0, 10)
      .kernel("gemm", 5, 5)
      .kernel("ncclDevKernel_AllReduce", 10, 10);
  const auto trained = training.build();
  CHECK(kino::is_training(*trained));
  CHECK(kino::communication_fix(*trained, {})
            .str()
            .starts_with("Overlap communication with compute, or use larger buckets. A single rank"));
}

TEST_CASE("advises no buckets for messages, and no overlap without compute") {
  const auto fix_of = [](const char* communication, bool compute) {
    kino::EventFixture events;
    events.op("MmBackward0", 0, 10).kernel(communication, 10, 10);
    if (compute) events.kernel("gemm", 0, 10);
    return kino::communication_fix(*events.build(), {});
  };
  CHECK(fix_of("ncclDevKernel_SendRecv", true)
            .str()
            .starts_with("Overlap communication with compute. A single rank"));
  CHECK(fix_of("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", true)
            .str()
            .starts_with("Overlap communication with compute, or use larger buckets. A single rank"));
  CHECK(fix_of("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", false)
            .str()
            .starts_with("No recorded compute could hide the communication. A single rank"));
}

TEST_CASE("considers that a long broadcast at start-up may wait for later ranks") {
  constexpr std::int64_t kMs = 1'000'000;
  const auto with_steps = [](int steps) {
    kino::EventFixture events;
    events.op("MmBackward0", 0, 10).kernel("gemm", 0, 10, 0, "8");
    events.kernel("ncclDevKernel_AllReduce", 0, 1000)
        .kernel("ncclDevKernel_Broadcast_RING_LL", 2000, 132 * kMs);
    for (int i = 0; i < 5; ++i)
      events.kernel("ncclDevKernel_Broadcast_RING_LL", (200 + i * 10) * kMs, kMs / 4);
    for (int i = 0; i < steps; ++i)
      events.op("ProfilerStep#" + std::to_string(i), (150 * i + 1) * kMs, 149 * kMs);
    return events.build();
  };
  const auto trace = with_steps(1);
  const kino::SliceId longest = kino::slice_named(*trace, "ncclDevKernel_Broadcast_RING_LL");
  CHECK(kino::waits_for_first_collective(*trace, longest));
  CHECK_FALSE(kino::waits_for_first_collective(
      *trace, kino::slice_named(*trace, "ncclDevKernel_Broadcast_RING_LL", 1)));
  kino::StepCost cost;
  cost.ns = 140 * kMs;
  cost.examples.push_back({{2000, 2000 + 132 * kMs}, 132 * kMs, longest});
  CHECK(
      kino::communication_fix(*trace, cost) ==
      "Most of this time is in one of the recording's first collectives, which may wait for ranks that start "
      "later. Record more steps.");
  cost.ns = 300 * kMs;
  CHECK(kino::communication_fix(*trace, cost)
            .str()
            .starts_with("Overlap communication with compute, or use larger buckets."));
  const auto two_steps = with_steps(2);
  cost.ns = 140 * kMs;
  cost.examples.front().slice = kino::slice_named(*two_steps, "ncclDevKernel_Broadcast_RING_LL");
  CHECK(kino::communication_fix(*two_steps, cost).str().ends_with(" Look at later steps instead."));
}

TEST_CASE("does not take a later slow all-reduce for start-up") {
  constexpr std::int64_t kMs = 1'000'000;
  kino::EventFixture events;
  for (int i = 0; i < 5; ++i)
    events.kernel("ncclDevKernel_AllReduce", i * 100 * kMs, i == 2 ? 50 * kMs : kMs);
  const auto trace = events.build();
  CHECK_FALSE(
      kino::waits_for_first_collective(*trace, kino::slice_named(*trace, "ncclDevKernel_AllReduce", 2)));
}

TEST_CASE("recognizes an LLM server by its function names") {
  const auto of_name = [](const char* name) { return kino::EventFixture().op(name, 0, 100).build(); };
  CHECK(kino::is_server(*of_name("vllm::unified_attention")));
  CHECK_FALSE(kino::is_server(*of_name("aten::add")));
}

TEST_CASE("does not take saving tensors for training") {
  const auto of_name = [](const char* name) { return kino::EventFixture().op(name, 0, 100).build(); };
  CHECK_FALSE(kino::is_training(*of_name("torch/autograd/function.py(39): save_for_backward")));
  CHECK(kino::is_training(*of_name("autograd::engine::evaluate_function: MmBackward0")));
  CHECK(kino::is_training(*of_name("save_for_backward, then backward")));
}
