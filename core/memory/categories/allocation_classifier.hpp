// Classifies each allocation of a device by frames, phases, lifetimes and sets of sizes.
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

/// Sizes that identify copies among allocations from before the recording.
struct SizeReference {
  Message from;  ///< source, such as "gradients of one backward"; empty if there is none
  SizeCounts sizes;
};

struct AllocationClassifier {
  ByteUnits units = ByteUnits::decimal;  ///< for amounts of memory in its texts
  std::vector<MemoryCategory> category;  ///< categories by AllocationId, as are `sure` and `why`
  std::vector<Confidence> sure;
  std::vector<std::uint16_t> why;  ///< index into whys
  std::vector<Message> whys;       ///< reasons, a few words each
  std::vector<bool> by_pack;       ///< whether a frame of a framework or of cuBLAS decided, by AllocationId
  /// Findings on allocations from before the recording that are never freed in the recording, one line each.
  std::vector<Message> older_notes;
  /// Doubts about the categories, one sentence each.
  std::vector<Message> doubts;
  SizeReference reference;
  std::vector<StackFacts> facts;  ///< facts by StackId; `phases` has a view of them
  PhaseReading phases;
  SnapshotModules modules;

  AllocationClassifier() = default;
  AllocationClassifier(AllocationClassifier&&) =
      default;  // `phases` has a view of `facts`, which a move keeps valid
  AllocationClassifier& operator=(AllocationClassifier&&) = default;
  AllocationClassifier(const AllocationClassifier&) = delete;
  AllocationClassifier& operator=(const AllocationClassifier&) = delete;

  void set(std::size_t allocation, MemoryCategory as, Confidence how, const Message& because);
};

/// Classifies the allocations of a device. O(stored frames + entries + allocations * log).
AllocationClassifier memory_meaning(const Snapshot& snapshot, std::size_t device, ByteUnits units,
                                    const std::stop_token& stop = {});

}  // namespace kino
