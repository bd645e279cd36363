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

/// Color indices by the snapshot's own index of a stack, stream, pool or category. If such an index is not in
/// its list, its color index is the index modulo kPaintColors.
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

/// The snapshot and the device from which another snapshot takes its colors.
struct PaintReference {
  std::shared_ptr<const Snapshot> snapshot;  ///< null: the shown snapshot keeps its own colors
  std::shared_ptr<SnapshotCategories> categories;
  std::size_t device = 0;
};

/// Computes color indices that match those of `model`. A stack takes the color of the first stack in `model`
/// with an equal stack_key(), or keeps its own index if its key is empty. Streams and pools match by number.
/// Items that are not in `model` get the indices after those of `model`. All indices are modulo kPaintColors.
/// `model` itself needs these indices as well, because several of its stacks can have equal keys. Leaves out
/// categories; see category_indices(). Empty if stopped. O(frames of all stacks).
PaintIndices paint_indices(const Snapshot& own, const Snapshot& model, const std::stop_token& stop);
/// Returns the color index of each category: that of the category with the same name in `model`. Other
/// categories get the indices after those of `model`.
std::vector<std::uint8_t> category_indices(const AllocationCategories& own,
                                           const AllocationCategories& model);

}  // namespace kino
