// What each allocation of a device is for, by frames, phases, lifetimes and multisets of sizes.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/categories/memory_category.hpp"
#include "core/memory/categories/phase_windows.hpp"
#include "core/memory/categories/size_sets.hpp"
#include "core/memory/categories/snapshot_modules.hpp"
#include "core/memory/categories/stack_facts.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// The sizes that copies among what is older than the recording are told by.
struct SizeReference {
  Message from;  ///< "gradients of one backward"; empty without one
  SizeCounts sizes;
};

struct MemoryMeaning {
  ByteUnits units = ByteUnits::decimal;  ///< for amounts of memory in its texts
  std::vector<MemoryCategory> category;  ///< by AllocationId, like the next two
  std::vector<Sureness> sure;
  std::vector<std::uint16_t> why;  ///< in whys
  std::vector<Message> whys;       ///< a few words each
  std::vector<bool> by_pack;       ///< by AllocationId: a frame of a framework tells
  /// What was found out about what is older than the recording and never freed in it; a line each.
  std::vector<Message> older_notes;
  /// Doubts about the categories, a sentence each.
  std::vector<Message> doubts;
  SizeReference reference;
  std::vector<StackFacts> facts;  ///< by StackId; the phases look at them
  PhaseReading phases;
  SnapshotModules modules;

  MemoryMeaning() = default;
  MemoryMeaning(MemoryMeaning&&) = default;  // moved vectors keep their place, which the phases look at
  MemoryMeaning& operator=(MemoryMeaning&&) = default;
  MemoryMeaning(const MemoryMeaning&) = delete;
  MemoryMeaning& operator=(const MemoryMeaning&) = delete;

  void set(std::size_t allocation, MemoryCategory as, Sureness how, const Message& because);
};

/// O(stored frames + entries + allocations * log). Incomplete when stopped.
MemoryMeaning memory_meaning(const Snapshot& snapshot, std::size_t device, ByteUnits units,
                             const std::stop_token& stop = {});

}  // namespace kino
