// Changes that shorten lifetimes of allocations, computed from a recording. They concern gradients, optimizer
// temporaries, memory left over from a step, frees that wait for a stream, and recomputable activations.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/categories/allocation_classifier.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// A gap in the lifetime of an allocation, which would be absent after the events [from, to). `to` is not
/// after the end of the allocation. If the gap spans the whole lifetime, the memory is never allocated.
struct LifeGap {
  AllocationId id = kNoAllocation;
  EventIndex from = 0;
  EventIndex to = 0;
};

/// A change of the program, and the lifetimes that it shortens.
struct ShorterLifetimes {
  Message what;     ///< description
  Message assumed;  ///< assumption, one sentence
  std::vector<LifeGap> gaps;
};

/// Returns independent changes, except those without effect:
/// - Gradients are freed at the end of the optimizer and allocated at the start of the next backward.
/// - An optimizer over lists of tensors (foreach) processes them one by one: only the largest temporary of a
///   stack in a step exists.
/// - Memory of a step is freed at the end of the step instead of in the next step.
/// - Memory that another stream still uses when it is freed becomes free at once (record_stream).
/// - Layers that repeat four times or more keep only their last output and recompute the rest in the
///   backward. The rest is allocated when the backward of the following layer ends.
/// The last use of other memory is unknown: neither snapshots nor traces record which kernels read a block.
/// O(stored frames + entries + allocations * log).
std::vector<ShorterLifetimes> shorter_lifetimes(const Snapshot& snapshot, std::size_t device,
                                                const AllocationClassifier& meaning,
                                                const std::stop_token& stop = {});

/// Returns the peak of live memory if the gaps are applied. `live` contains the start value, then the value
/// after each event. O(live + gaps).
CurvePeak peak_with_gaps(const SnapshotDevice& device, const std::vector<std::uint64_t>& live,
                         const std::vector<LifeGap>& gaps);

}  // namespace kino
