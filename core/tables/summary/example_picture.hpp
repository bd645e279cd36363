// A small picture of an example of a finding: the streams of its GPU and the launching thread, around the
// example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/tables/analysis/findings.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// One row of the picture. A piece covers the slices that start in one column; `slice` is the longest of them.
struct PictureLane {
  struct Piece {
    float from = 0;  ///< 0..1 of the width of the picture
    float to = 0;
    SliceId slice = kNoSlice;
  };
  TrackId track{};
  bool gpu = false;
  std::vector<Piece> pieces;  ///< in order of time, disjoint
};

struct ExamplePicture {
  static constexpr std::uint32_t kColumns = 240;
  static constexpr std::size_t kMaxStreams = 3;
  static constexpr std::size_t kMaxDepth = 2;  ///< maximum number of rows of the thread

  TimeRange range;    ///< the example, or the whole gap around it, with a margin, inside the trace
  TimeRange example;  ///< see FindingExample::shown()
  float from = 0;     ///< the example, 0..1 of the width
  float to = 0;
  std::vector<PictureLane> lanes;  ///< streams, then thread rows; rows without slices in the range are
                                   ///< omitted
};

/// Returns the picture of an example. It contains streams of the GPU that runs the work of the example;
/// streams with the most work in the picture are first. The thread is the one that launched the work, or the
/// one of the slice that fills the example. The margins are 20 % of FindingExample::range on both sides, and
/// at least 2 µs. O(rows * (log slices + columns * log slices)).
ExamplePicture example_picture(const Trace& trace, const FindingExample& example);

}  // namespace kino
