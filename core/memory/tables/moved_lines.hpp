// Functions whose lines have moved between two recordings of a program because code above them changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/snapshot.hpp"

namespace kino {

/// Maps lines of Python frames of one snapshot to those of another. A function of a file has moved if both
/// recordings have equally many of its lines, and all of these differ by one distance. A recording that
/// merely ran other lines of a function has not moved it.
class MovedLines {
 public:
  /// Nothing has moved.
  MovedLines() = default;
  /// Keeps no reference to the snapshots. O(frames log frames).
  MovedLines(const Snapshot& before, const Snapshot& after);

  /// Returns the line in the first snapshot for the line of a frame of the second one.
  std::int64_t line_before(const Snapshot& after, FrameId frame) const;
  /// Returns the number of functions that have moved.
  std::size_t function_count() const { return function_count_; }

 private:
  std::vector<std::int64_t> distances_;  // by frame of the second snapshot; empty if nothing has moved
  std::size_t function_count_ = 0;
};

}  // namespace kino
