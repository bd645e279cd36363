// By which numbers a snapshot is coloured, so that two of them have one colour for what is the same in both.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/memory/snapshot.hpp"
#include "core/memory/tables/snapshot_categories.hpp"

namespace kino {

class SnapshotCategories;

/// The number of a colour for each own number; without any, that is the own number.
struct PaintNumbers {
  std::vector<std::uint8_t> of_stack;  ///< by StackId
  std::vector<std::uint8_t> of_stream;
  std::vector<std::uint8_t> of_pool;
  std::vector<std::uint8_t> of_category;
};
inline constexpr std::uint32_t kPaintColors = 64;

inline std::uint8_t paint_of(const std::vector<std::uint8_t>& numbers, std::uint32_t own) {
  return own < numbers.size() ? numbers[own] : static_cast<std::uint8_t>(own % kPaintColors);
}

/// The snapshot whose colours another one has beside it, and the device there.
struct PaintModel {
  std::shared_ptr<const Snapshot> snapshot;  ///< null: none, each has its own
  std::shared_ptr<SnapshotCategories> categories;
  std::size_t device = 0;
};

/// Stacks with one stack_key() have one colour, that of the first one in `model`; so have streams and pools
/// of the same number. What `model` lacks follows behind. `model` itself has to take them as well, because
/// several of its own stacks can be the same. O(frames of all stacks). Empty when stopped.
PaintNumbers paint_numbers(const Snapshot& own, const Snapshot& model, const std::stop_token& stop);
/// Categories of one name have one colour, that of `model`.
std::vector<std::uint8_t> category_numbers(const AllocationCategories& own,
                                           const AllocationCategories& model);

}  // namespace kino
