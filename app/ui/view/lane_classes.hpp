// Classes of rows by their slices, which determine how high their lanes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

enum class LaneClass : std::uint8_t {
  kernels,       ///< a GPU stream whose kernels compute or communicate
  other_stream,  ///< a GPU stream with copies or waits, or with far fewer kernels than the busiest stream
  operators,     ///< all other lanes, such as those of threads
  python,        ///< mostly Python functions
  annotations,   ///< nearly only annotations
};
inline constexpr std::size_t kLaneClassCount = static_cast<std::size_t>(LaneClass::annotations) + 1;

/// Returns the classes by RowId, from at most 64 slices of each row and the busy times of kernel rows. Rows
/// without slices have the class of their track's kind. O(rows).
std::vector<LaneClass> lane_classes(const Trace& trace);
/// Returns the class of lanes of a track of this kind whose slices are unknown.
LaneClass class_of(TrackKind kind);

}  // namespace kino
