// Checks whether the model reproduces a recording: every address, device call and released segment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/allocator/allocator_trace.hpp"

namespace kino {

struct AllocatorDifference {
  EventIndex event = 0;  ///< first entry at which the model differs
  Message what;          ///< short description of the difference
};

struct AllocatorProof {
  bool exact = false;
  std::optional<AllocatorDifference> first_difference;
  std::uint64_t allocs = 0;
  std::uint64_t same_address = 0;
  std::uint64_t driver_calls = 0;  ///< number of recorded calls that returned memory
  std::uint64_t driver_calls_equal = 0;
  std::uint64_t released = 0;        ///< number of recorded segment_free and segment_unmap entries
  std::uint64_t released_equal = 0;  ///< number of them that the model released in the same order
  std::uint64_t checked = 0;         ///< number of entries after which reserved memory was compared
  std::uint64_t reserved_equal = 0;
  std::uint64_t final_blocks = 0;
  std::uint64_t final_blocks_equal = 0;
};

/// Replays the recording with the addresses of its device calls. Counts the equal results, and keeps the
/// first difference. O(entries * log).
AllocatorProof prove_allocator(const Snapshot& snapshot, std::size_t device, const AllocatorTrace& trace,
                               const std::stop_token& stop = {});

struct ProvedAllocator {
  AllocatorTrace trace;
  AllocatorProof proof;
  /// Returns why no what-if can be computed, in one sentence; empty if the recording is reproduced exactly.
  Message refused() const;
};
/// Returns the trace and its proof. Uses Ascend's rules if is_ascend() is true, or if it is nullopt and these
/// rules reproduce more of the recording.
std::shared_ptr<const ProvedAllocator> proved_allocator(const Snapshot& snapshot, std::size_t device,
                                                        const std::stop_token& stop = {});

/// Adds the initial state to a model, and the block of each request from before the recording to `block_of`.
void replay_start(const AllocatorTrace& trace, AllocatorModel& model, std::vector<std::uint32_t>& block_of);
/// Adds the places of a trace to a model, in their order.
void add_places(const AllocatorTrace& trace, AllocatorModel& model);

}  // namespace kino
