// The arrows of a trace: flows of the file that are not launch links, and arrows from autograd.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/damage.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/build/event_batch.hpp"
#include "core/trace/build/merged_ids.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the flows that can become arrows, by batch, and frees the flows of the batches. Drops ac2g flows
/// whose id is the correlation id of a launch, because SliceColumns::link replaces them. Such flows can be a
/// third of the events of a trace. `damage` counts dropped starts whose id has no end, and dropped ends whose
/// id has no start: Kineto writes an end even at calls that launch nothing. `launch_ids` is
/// SliceCounts::launch_ids.
std::vector<RecordList<FlowPoint>> filter_flows(std::span<EventBatch> batches, const MergedIds& ids,
                                                std::vector<std::vector<std::uint32_t>> launch_ids,
                                                const Trace& trace, DamageLog& damage, unsigned threads,
                                                const std::stop_token& stop);

/// Finds the slices at both ends of the flows and writes Trace::flows. The trace's slices and links must be
/// complete. `final_track` is the result of place_tracks().
void write_flows(std::vector<RecordList<FlowPoint>> flows, const MergedIds& ids,
                 std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace,
                 DamageLog& damage, unsigned threads, const std::stop_token& stop);

/// Adds arrows from the forward to the backward pass by sequence numbers. `numbered` is empty if the file has
/// such arrows.
void write_autograd(std::vector<NumberedOperator> numbered, Trace& trace, const std::stop_token& stop);

}  // namespace kino
