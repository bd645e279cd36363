// The arrows of a trace: those of the file that say more than the links of launches, and those of autograd.
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

/// A third of a real trace's events are ac2g flows that repeat the correlation of launch and GPU work, or end
/// at the very call that launched nothing. What the link column will tell is not kept a second time. Starts
/// without an end and ends without a start among what is not kept are noted in `damage`: Kineto writes an end
/// at calls that launch nothing. By batch; the batches' own are gone afterwards. `launch_ids` are
/// SliceCounts'. Of no use when stopped.
std::vector<RecordList<FlowPoint>> keep_flows(std::span<EventBatch> batches, const MergedIds& ids,
                                              std::vector<std::vector<std::uint32_t>> launch_ids,
                                              const Trace& trace, DamageLog& damage, unsigned threads,
                                              const std::stop_token& stop);

/// Finds the slices that they join; slices are written. `final_track` is place_tracks()'s.
void write_flows(std::vector<RecordList<FlowPoint>> flows, const MergedIds& ids,
                 std::span<const std::uint32_t> final_track, std::int64_t origin_ns, Trace& trace,
                 DamageLog& damage, unsigned threads, const std::stop_token& stop);

/// Files without arrows from the forward to the backward pass have numbers to tell them by.
void write_autograd(std::vector<NumberedOperator> numbered, Trace& trace, const std::stop_token& stop);

}  // namespace kino
