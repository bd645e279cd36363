// Data that the joined tables share: events by kind, their facts, steps, and the GPU time of operators.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/gpu/collective_table.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/steps.hpp"
#include "loaders/query/model/query_model.hpp"

namespace kino {

/// Events by kind; cached with the model. Slices are sorted by id.
struct JoinedEvents {
  std::vector<EventFacts> facts;  ///< see decode_facts()
  Steps steps;
  GpuVendor vendor = GpuVendor::unknown;
  std::vector<SliceId> kernels;      ///< compute and communication
  std::vector<SliceId> collectives;  ///< the communication kernels
  std::vector<SliceId> copies;       ///< copies and memsets
  std::vector<SliceId> launches;     ///< calls that launched GPU work
  std::vector<SliceId> operators;
  std::vector<SliceId> annotations;  ///< annotations on the CPU and on the GPU
  std::vector<SliceId> waits;        ///< calls that wait for the GPU, and waits recorded on the GPU
};
/// Returns the events by kind; null if stopped. O(slices).
const JoinedEvents* joined_events(const QueryModel& model, const std::stop_token& stop);

/// GPU time by launching operator. This is owner_of() the GPU work if that slice is an operator, else the
/// nearest operator above that slice.
struct OperatorGpuTime {
  Column<std::int64_t> self_ns;   ///< by SliceId
  Column<std::int64_t> total_ns;  ///< includes work launched by operators below
};
/// Returns the GPU times; null if stopped. O(slices * depth).
const OperatorGpuTime* operator_gpu_time(const QueryModel& model, const std::stop_token& stop);

/// Result of exposed_kernels() for the trace, sorted by slice. exposed_times() returns null if stopped.
struct ExposedTimes {
  std::vector<ExposedKernel> kernels;
};
const ExposedTimes* exposed_times(const QueryModel& model, const std::stop_token& stop);

/// Result of counted_calls() for the trace, sorted by slice. counted_flops() returns null if stopped.
struct CountedFlops {
  std::vector<CallFlop> calls;
};
const CountedFlops* counted_flops(const QueryModel& model, const std::stop_token& stop);

/// Result of queue_lengths() for the trace. queue_lengths_of() returns null if stopped.
struct QueueLengths {
  std::vector<std::uint32_t> of_slices;
};
const QueueLengths* queue_lengths_of(const QueryModel& model, const std::stop_token& stop);

/// Finds the number of the step in which the slice, or its launch, starts. Returns false if that time is in
/// no step, or if there is no launch. O(log steps).
bool step_of(const QueryModel& model, const JoinedEvents& joined, SliceId slice, std::int64_t& number);

}  // namespace kino
