// Module tree of a run's forward, from call stacks. Modules are identified by files and lines, because stacks
// contain no module names.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/memory/categories/phase_windows.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// The forward of a file, called from one line of another module's forward. Two modules of one file that are
/// called on one line are one node, because a snapshot contains no names of classes and attributes.
struct SnapshotModule {
  std::uint32_t parent = kNoModule;
  std::uint32_t file = StringTable::kAbsent;  ///< index into Snapshot::strings
  std::int64_t line_of_parent = 0;            ///< line of the call; 0 without a parent
  std::int64_t first_line = 0;                ///< smallest line of its forward in any stack
  std::int64_t last_line = 0;
  std::uint32_t depth = 1;
  std::uint32_t times = 0;          ///< number of executions in one forward, by the majority of its stacks
  std::uint64_t forward_bytes = 0;  ///< bytes that forwards allocated in the module and below it

  static constexpr std::uint32_t kNoModule = 0xffffffffU;
};

struct SnapshotModules {
  std::vector<SnapshotModule> nodes;    ///< parents precede their children
  std::vector<std::uint32_t> of_stack;  ///< node by StackId, or SnapshotModule::kNoModule
  /// Number of layers: the executions in one forward of the largest repeated child of the largest root
  /// module. 0 if there is none with at least 1 % of the root's bytes.
  std::uint32_t layers = 0;
  std::uint32_t layer_node = SnapshotModule::kNoModule;  ///< index of that child

  /// Returns whether `node` equals `above` or is one of its descendants. O(depth).
  bool is_below(std::uint32_t node, std::uint32_t above) const;
};

/// Builds the module tree of a device. O(stored frames + allocations * depth).
SnapshotModules snapshot_modules(const Snapshot& snapshot, std::size_t device, const PhaseReading& reading,
                                 const std::stop_token& stop = {});

/// Returns a text such as "model.py:382-387 x32".
std::string module_text(const Snapshot& snapshot, const SnapshotModule& node);

/// Returns the layer, from 0, of each allocation that a forward makes in or below `layer_node`; kNoLayer for
/// other allocations. If one stack makes c allocations in a forward, c must be a multiple of `layers`. The
/// n-th allocation is then in layer n * layers / c. O(allocations).
inline constexpr std::uint32_t kNoLayer = 0xffffffffU;
std::vector<std::uint32_t> forward_layers(const Snapshot& snapshot, std::size_t device,
                                          const PhaseReading& reading, const SnapshotModules& tree,
                                          const std::stop_token& stop = {});

}  // namespace kino
