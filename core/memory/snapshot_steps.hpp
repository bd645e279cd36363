// Annotated regions of a snapshot, and training steps from them.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// A region as a range of events.
struct AnnotationSpan {
  EventIndex begin = 0;     ///< the first event at or after its start
  EventIndex end = kNever;  ///< the first event after its end; kNever if the recording ends before
  std::uint32_t depth = 0;
  std::uint32_t name = 0;  ///< index into Snapshot::strings
};

/// Returns the regions of device `index`, sorted by begin, without ends that have no start.
/// O(annotations * log entries).
std::vector<AnnotationSpan> annotation_spans(const Snapshot& snapshot, std::size_t index,
                                             const std::stop_token& stop);

/// Training steps of a recording; each begins where the previous one ended.
struct SnapshotSteps {
  EventIndex begin = 0;          ///< first event of the first step; events before it are in no step
  std::vector<EventIndex> ends;  ///< last event of each step, ascending; later events are in no step
  /// Names of the regions, as indices into Snapshot::strings; empty for equal parts and inferred steps.
  std::vector<std::uint32_t> names;
  Message region;         ///< name of the regions; empty for equal parts
  bool inferred = false;  ///< not annotated: `region` names the repeating item
};

/// Uses regions with a repeating name: ProfilerStep, else the optimizer's step or zero_grad, else regions
/// named step, iteration or batch. The optimizer's regions only end steps, so the first step begins with the
/// recording; otherwise it begins with its region. Without such regions, kSnapshotParts equal parts of the
/// recording if it has as many events. O(annotations * log entries).
SnapshotSteps snapshot_steps(const Snapshot& snapshot, std::size_t index, const std::stop_token& stop = {});
inline constexpr std::size_t kSnapshotParts = 10;

}  // namespace kino
