// What the joined tables have in common: events by what they are, their facts, steps, and what operators cost
// the GPU.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/gpu/collective_table.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/steps.hpp"
#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Kept with the model. Slices in order of their numbers.
struct JoinedEvents {
  std::vector<EventFacts> facts;  ///< of EventFacts::decode_facts()
  Steps steps;
  GpuVendor vendor = GpuVendor::unknown;
  std::vector<SliceId> kernels;      ///< that compute or communicate
  std::vector<SliceId> collectives;  ///< of these those that communicate
  std::vector<SliceId> copies;       ///< and memsets
  std::vector<SliceId> launches;     ///< calls with GPU work
  std::vector<SliceId> operators;
  std::vector<SliceId> annotations;  ///< on the CPU and on the GPU
  std::vector<SliceId> waits;        ///< calls that wait for the GPU, and waits that the GPU recorded
};
/// Null when stopped. O(slices).
const JoinedEvents* joined_events(const QueryModel& model, const std::stop_token& stop);

/// GPU time by the operator that launched it: owner_of(), or the nearest operator above that.
struct OperatorGpuTime {
  Column<std::int64_t> self_ns;   ///< by SliceId
  Column<std::int64_t> total_ns;  ///< with what operators below launched
};
/// Null when stopped. O(slices * depth).
const OperatorGpuTime* operator_gpu_time(const QueryModel& model, const std::stop_token& stop);

/// exposed_kernels() of the trace, in order of their slices. Null when stopped.
struct ExposedTimes {
  std::vector<ExposedKernel> kernels;
};
const ExposedTimes* exposed_times(const QueryModel& model, const std::stop_token& stop);

/// counted_calls() of the trace, in order of their slices. Null when stopped.
struct CountedFlops {
  std::vector<CallFlop> calls;
};
const CountedFlops* counted_flops(const QueryModel& model, const std::stop_token& stop);

/// queue_lengths() of the trace. Null when stopped.
struct QueueLengths {
  std::vector<std::uint32_t> of_slices;
};
const QueueLengths* queue_lengths_of(const QueryModel& model, const std::stop_token& stop);

/// The number of the step in which a slice, or its launch, starts; false between steps. O(log steps).
bool step_of(const QueryModel& model, const JoinedEvents& joined, SliceId slice, std::int64_t& number);

}  // namespace kino
