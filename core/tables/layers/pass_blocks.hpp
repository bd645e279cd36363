// The passes through repeated layers as blocks of each track, for a timeline that shows them folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/layers/layer_stack.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// An odd or slow execution of a layer in a block; see judge_stack(). One that is both counts as slow.
struct PassMark {
  TimeRange range;
  bool slow = false;
};

/// Consecutive executions of layers, in one pass on one track. Recomputation is part of the backward pass.
struct PassBlock {
  TimeRange range;
  std::uint32_t stack = 0;  ///< index into LayerFold::stacks
  std::uint32_t pass = 0;   ///< index into LayerStack::passes
  LayerPhase phase = LayerPhase::forward;
  std::uint32_t layers = 0;    ///< number of executions, at least two
  std::uint32_t odd = 0;       ///< odd executions among them
  std::uint32_t slow = 0;      ///< slow executions among them
  std::uint32_t lane = 0;      ///< outermost lane that has its kernels
  std::uint32_t level = 0;     ///< index among blocks that overlap in time
  std::uint32_t levels = 1;    ///< number of levels used by the blocks that overlap in time
  std::uint32_t marks = 0;     ///< number of its marks
  std::size_t first_mark = 0;  ///< index into PassBlocks::marks
  std::int64_t median_ns = 0;  ///< median work of an execution on this track; includes odd ones only if all
                               ///< are odd
};

/// The blocks of a track by level. Blocks of a level are in order of time and do not overlap.
struct TrackBlocks {
  TrackId track = kNoTrack;
  std::vector<std::vector<PassBlock>> levels;
};

struct PassBlocks {
  std::vector<TrackBlocks> tracks;  ///< sorted by track
  std::vector<PassMark> marks;      ///< marks of a block are adjacent: odd, then slow, in order of start

  std::span<const PassMark> marks_of(const PassBlock& block) const {
    return std::span(marks).subspan(block.first_mark, block.marks);
  }
  /// Returns the blocks of a track; null if it has none. O(log tracks).
  const TrackBlocks* find(TrackId track) const;
};

/// Returns the blocks of all passes. A pass has a block on each track that runs at least half of its layers.
/// A block ends between two layers if the gap is longer than the median layer, and another slice starts in
/// the gap. O(kernels log kernels).
PassBlocks pass_blocks(const Trace& trace, const LayerFold& fold, const std::stop_token& stop = {});

}  // namespace kino
