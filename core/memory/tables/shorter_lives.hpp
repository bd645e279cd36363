// Shorter lives of allocations that a recording lets compute: gradients, the optimizer's temporaries, what a
// step leaves, activations that could be computed again.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/categories/memory_meaning.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// While an allocation is not there although it was: not after `from` nor until `to`, which is not behind its
/// end. From its begin to its end: it is never there.
struct LifeGap {
  AllocationId id = kNoAllocation;
  EventIndex from = 0;
  EventIndex to = 0;
};

/// A change of the program, and what it shortens.
struct ShorterLives {
  Message what;     ///< in words
  Message assumed;  ///< what has to be true for it, a sentence
  std::vector<LifeGap> gaps;
};

/// Each by itself; none without gaps.
/// - Gradients are given up where the optimizer ends, and are there again where the next backward begins.
/// - An optimizer that takes lists of tensors (foreach) takes one after the other: of the temporaries of a
///   stack in a step only the largest is there.
/// - What a step has made for itself is given up at its end, not in the next step.
/// - What another stream still used when it was freed ends there (record_stream).
/// - Layers that repeat four times or more keep what each makes last, and compute the rest again in the
///   backward: it comes back when the layer behind is through.
/// Who reads a block is in no recording, and traces name no blocks of a kernel, so that the last use of
/// anything else is not known. O(stored frames + entries + allocations * log).
std::vector<ShorterLives> shorter_lives(const Snapshot& snapshot, std::size_t device,
                                        const MemoryMeaning& meaning, const std::stop_token& stop = {});

/// The highest live memory with gaps in it: `live` is what is live after each event, the first of them before
/// all. O(live + gaps).
CurvePeak peak_with_gaps(const SnapshotDevice& device, const std::vector<std::uint64_t>& live,
                         const std::vector<LifeGap>& gaps);

}  // namespace kino
