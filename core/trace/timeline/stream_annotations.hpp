// Annotations of GPU streams as brackets above the streams: which are shown, in which of two lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

inline constexpr std::size_t kBracketLanes = 2;

/// Annotations above one stream.
struct StreamBrackets {
  std::uint32_t stream = 0;       ///< track of the stream
  std::uint32_t annotations = 0;  ///< track of its annotations
  /// Annotations that do not overlap, in order of start. The outer ones are in the first lane.
  std::array<std::vector<SliceId>, kBracketLanes> lanes;
  std::uint32_t left_out = 0;  ///< number of annotations that would need a third lane

  std::uint32_t lane_count() const { return lanes[0].empty() ? 0 : lanes[1].empty() ? 1 : 2; }
};

/// An annotation that contains exactly one kernel or copy of its stream.
struct WorkAnnotation {
  SliceId work = kNoSlice;
  SliceId annotation = kNoSlice;
};

/// The annotations of all streams of a trace. Marks of steps are in no list, since the ruler shows the steps.
/// Immutable; does not refer to the trace.
struct StreamAnnotations {
  std::vector<StreamBrackets> streams;        ///< sorted by stream
  std::vector<WorkAnnotation> of_work;        ///< sorted by work, then outer annotations first
  std::vector<std::uint32_t> by_annotations;  ///< indices into `streams`, sorted by track of annotations

  /// Returns the annotations of a stream; null if it has no track of annotations. O(log streams).
  const StreamBrackets* of_stream(std::uint32_t track) const;
  /// Returns the stream of a track of annotations; null if it belongs to no stream. O(log streams).
  const StreamBrackets* of_annotations(std::uint32_t track) const;
  /// Returns the annotations that contain only this work. O(log annotations).
  std::span<const WorkAnnotation> of(SliceId work) const;
};

/// Returns the lane of a bracket; nullopt if the annotation is not a bracket. O(log brackets).
std::optional<std::uint32_t> bracket_lane(const Trace& trace, const StreamBrackets& brackets,
                                          SliceId annotation);

/// Returns the streams that have a track of annotations, with empty lists of annotations, for display while
/// stream_annotations() runs. A stream and its annotations have the same process and tid. O(tracks log
/// tracks).
StreamAnnotations annotated_streams(const Trace& trace);

/// Returns the annotations of all streams. O(annotations * log slices).
StreamAnnotations stream_annotations(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
