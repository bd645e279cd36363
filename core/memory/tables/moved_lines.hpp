// Functions whose lines have moved between two recordings of a program, because code above the functions
// changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// Maps lines of Python frames of one snapshot to those of another snapshot. A function of a file has moved
/// if both recordings have the same number of its lines, and all of these differ by the same distance. If a
/// recording merely ran other lines of a function, the function has not moved.
class MovedLines {
 public:
  /// Makes a map in which nothing has moved.
  MovedLines() = default;
  /// Compares two snapshots, to which no reference is kept. O(frames log frames).
  MovedLines(const Snapshot& before, const Snapshot& after);

  /// Returns the line in the first snapshot for the line of a frame of the second snapshot.
  std::int64_t line_before(const Snapshot& after, FrameId frame) const;
  /// Returns the number of functions that have moved.
  std::size_t function_count() const { return function_count_; }

 private:
  std::vector<std::int64_t> distances_;  // by frame of the second snapshot; empty if no function has moved
  std::size_t function_count_ = 0;
};

}  // namespace kino
