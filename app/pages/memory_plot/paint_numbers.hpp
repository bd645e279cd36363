// Color indices of a snapshot that match those of another one, so that equal items have equal colors.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

class SnapshotCategories;

/// The color index for each own index; if empty, the own index itself.
struct PaintIndices {
  std::vector<std::uint8_t> of_stack;  ///< by StackId
  std::vector<std::uint8_t> of_stream;
  std::vector<std::uint8_t> of_pool;
  std::vector<std::uint8_t> of_category;
};
inline constexpr std::uint32_t kPaintColors = 64;

inline std::uint8_t paint_of(const std::vector<std::uint8_t>& numbers, std::uint32_t own) {
  return own < numbers.size() ? numbers[own] : static_cast<std::uint8_t>(own % kPaintColors);
}

/// The snapshot whose colors another one takes, and its device.
struct PaintReference {
  std::shared_ptr<const Snapshot> snapshot;  ///< null: own colors
  std::shared_ptr<SnapshotCategories> categories;
  std::size_t device = 0;
};

/// Stacks with equal stack_key() take the color of the first one in `model`; streams and pools match by
/// number. Items that are not in `model` follow its last index. `model` itself needs these indices as well,
/// because several of its stacks can be equal. O(frames of all stacks). Empty if stopped.
PaintIndices paint_indices(const Snapshot& own, const Snapshot& model, const std::stop_token& stop);
/// Categories of the same name take the color of `model`.
std::vector<std::uint8_t> category_indices(const AllocationCategories& own,
                                           const AllocationCategories& model);

}  // namespace kino
