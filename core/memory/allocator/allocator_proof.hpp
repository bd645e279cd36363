// Whether the model repeats a recording: every address, every call of the device, every released segment.
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
  EventIndex event = 0;  ///< the entry at which the model first does something else
  Message what;          ///< a few words
};

struct AllocatorProof {
  bool exact = false;
  std::optional<AllocatorDifference> first_difference;
  std::uint64_t allocs = 0;
  std::uint64_t same_address = 0;
  std::uint64_t driver_calls = 0;  ///< of the recording, that got memory
  std::uint64_t driver_calls_equal = 0;
  std::uint64_t released = 0;        ///< segments and runs given back, of the recording
  std::uint64_t released_equal = 0;  ///< in the same order
  std::uint64_t checked = 0;         ///< entries with a value of reserved memory
  std::uint64_t reserved_equal = 0;
  std::uint64_t final_blocks = 0;
  std::uint64_t final_blocks_equal = 0;
};

/// Only addresses that come from the device are taken from the recording. Tolerance 0. O(entries * log).
AllocatorProof prove_allocator(const Snapshot& snapshot, std::size_t device, const AllocatorTrace& trace,
                               const std::stop_token& stop = {});

struct ProvedAllocator {
  AllocatorTrace trace;
  AllocatorProof proof;
  /// Why no what-if can be answered, one sentence; empty when the recording is repeated exactly.
  Message refused() const;
};
/// The trace with the rules that repeat it; with those of Ascend where only they do.
std::shared_ptr<const ProvedAllocator> proved_allocator(const Snapshot& snapshot, std::size_t device,
                                                        const std::stop_token& stop = {});

/// Puts what was there at the begin into a model; the block of each older request into `block_of`.
void give_start(const AllocatorTrace& trace, AllocatorModel& model, std::vector<std::uint32_t>& block_of);
/// The places of a trace, in their order.
void add_places(const AllocatorTrace& trace, AllocatorModel& model);

}  // namespace kino
