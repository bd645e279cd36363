// Annotated regions of a snapshot, and training steps from them.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// A region of a snapshot as a range of events.
struct AnnotationSpan {
  EventIndex begin = 0;     ///< first event later than the start of the region
  EventIndex end = kNever;  ///< first event later than its end; kNever if the file has no end of the region
  std::uint32_t depth = 0;
  std::uint32_t name = 0;  ///< index into Snapshot::strings
};

/// Returns the regions of device `index`, sorted by begin. Ends without a start are left out. Empty for a
/// host, unless the snapshot is from a trace. O(annotations * log entries).
std::vector<AnnotationSpan> annotation_spans(const Snapshot& snapshot, std::size_t index,
                                             const std::stop_token& stop);

/// Training steps of a recording; each step begins where the previous step ended.
struct SnapshotSteps {
  EventIndex begin = 0;          ///< first event of the first step; events before it are in no step
  std::vector<EventIndex> ends;  ///< last event of each step, ascending; later events are in no step
  /// Names of the regions, as indices into Snapshot::strings; empty for equal parts and inferred steps.
  std::vector<std::uint32_t> names;
  Message region;         ///< name of the regions; empty for equal parts of the recording
  bool inferred = false;  ///< not annotated; `region` is then the name of the repeating item
};

/// Returns steps from regions whose name repeats: ProfilerStep, otherwise the optimizer's step or zero_grad,
/// otherwise regions with a name like step, iteration, batch or epoch. Regions of the optimizer only mark the
/// ends of steps, so the first step begins with the recording; otherwise, it begins with its region. Without
/// such regions, returns kSnapshotParts equal parts if the recording has at least that many events.
/// O(annotations * log entries).
SnapshotSteps snapshot_steps(const Snapshot& snapshot, std::size_t index, const std::stop_token& stop = {});
inline constexpr std::size_t kSnapshotParts = 10;

}  // namespace kino
