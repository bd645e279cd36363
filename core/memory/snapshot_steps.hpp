// The regions that were annotated while a snapshot was recorded, and the training steps they tell of.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// A region, by the events in it.
struct AnnotationSpan {
  EventIndex begin = 0;     ///< the first event that is not before it
  EventIndex end = kNever;  ///< the first behind it; kNever when the recording ends first
  std::uint32_t depth = 0;
  std::uint32_t name = 0;  ///< in Snapshot::strings
};

/// Those of device `index`, by begin; ends without a start are left out. O(annotations * log entries).
std::vector<AnnotationSpan> annotation_spans(const Snapshot& snapshot, std::size_t index,
                                             const std::stop_token& stop);

/// Where the steps of a recording end; each begins where the one before it ended.
struct SnapshotSteps {
  EventIndex begin = 0;          ///< the first event of the first one; what is before it is no step
  std::vector<EventIndex> ends;  ///< the last event of each, ascending; what follows the last one is no step
  /// Names of the regions, in Snapshot::strings; empty for equal parts and inferred ones.
  std::vector<std::uint32_t> names;
  Message region;         ///< whose regions they are; empty: none is annotated, these are equal parts
  bool inferred = false;  ///< none is annotated: `region` says what repeats
};

/// The regions of a name that repeats: ProfilerStep, else the optimizer's step or zero_grad, else one that is
/// called a step, iteration or batch. The optimizer's only end a step, so the first one begins with the
/// recording; of the others it begins with its region. Without them kSnapshotParts equal parts of the
/// recording, if it has as many events. O(annotations * log entries).
SnapshotSteps snapshot_steps(const Snapshot& snapshot, std::size_t index, const std::stop_token& stop = {});
inline constexpr std::size_t kSnapshotParts = 10;

}  // namespace kino
