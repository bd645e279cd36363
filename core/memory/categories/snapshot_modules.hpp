// The modules that called each other in the forward of a run, as far as stacks tell: files and lines, not
// names.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/memory/categories/phase_windows.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// The forward of a file that one line of another module's forward calls. Two modules called on one line are
/// one node: class and attribute names are not in a snapshot.
struct SnapshotModule {
  std::uint32_t parent = kNoModule;
  std::uint32_t file = StringTable::kAbsent;  ///< in Snapshot::strings
  std::int64_t line_of_parent = 0;            ///< that calls it; 0 of those without a parent
  std::int64_t first_line = 0;                ///< of its forward, that were seen running
  std::int64_t last_line = 0;
  std::uint32_t depth = 1;
  std::uint32_t times = 0;          ///< how often it ran in one forward, as most of its stacks tell
  std::uint64_t forward_bytes = 0;  ///< that forwards allocated in it and in what it called

  static constexpr std::uint32_t kNoModule = 0xffffffffU;
};

struct SnapshotModules {
  std::vector<SnapshotModule> nodes;    ///< parents stand before their children
  std::vector<std::uint32_t> of_stack;  ///< by StackId; SnapshotModule::kNoModule
  /// How often the largest repeated child of the largest module without a parent ran in one forward: the
  /// layers of a model. 0 without one.
  std::uint32_t layers = 0;
  std::uint32_t layer_node = SnapshotModule::kNoModule;  ///< that child

  /// Whether `node` is `above` or lies below it. O(depth).
  bool is_below(std::uint32_t node, std::uint32_t above) const;
};

/// O(stored frames + allocations). Without nodes when stopped.
SnapshotModules snapshot_modules(const Snapshot& snapshot, std::size_t device, const PhaseReading& reading,
                                 const std::stop_token& stop = {});

/// "model.py:382-387 x32".
std::string module_words(const Snapshot& snapshot, const SnapshotModule& node);

/// The layer of each allocation that forwards made, from 0, and kNoLayer. The n-th of c allocations of a
/// stack in one forward is of layer n * layers / c, where c is a multiple. O(allocations).
inline constexpr std::uint32_t kNoLayer = 0xffffffffU;
std::vector<std::uint32_t> forward_layers(const Snapshot& snapshot, std::size_t device,
                                          const PhaseReading& reading, const SnapshotModules& tree,
                                          const std::stop_token& stop = {});

}  // namespace kino
