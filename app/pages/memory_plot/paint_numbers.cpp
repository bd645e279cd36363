#include "app/pages/memory_plot/paint_numbers.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/memory/tables/snapshot_groups.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kKeysBetweenStops = 256;

std::uint8_t color_number(std::size_t number) { return static_cast<std::uint8_t>(number % kPaintColors); }

/// Returns the color index of each value of `own`: its index in `model`. Values that are not in `model` get
/// the indices after those of `model`. All indices are modulo kPaintColors.
template <class Value>
std::vector<std::uint8_t> places_in(const std::vector<Value>& own, const std::vector<Value>& model) {
  std::vector<std::uint8_t> numbers;
  std::size_t next_index = model.size();
  for (const Value& value : own) {
    const auto found = std::ranges::find(model, value);
    numbers.push_back(
        color_number(found == model.end() ? next_index++ : static_cast<std::size_t>(found - model.begin())));
  }
  return numbers;
}

/// The first stack of each key. Keys are stored as hashes, because the keys of all stacks can be many times
/// as large as the file. A collision only causes equal colors.
using FirstStacks = std::unordered_map<std::size_t, std::uint32_t>;

/// Calls take(index, hash) for each stack. The hash is of the stack_key(), or nullopt if the key is empty.
/// Returns false if stopped.
template <class Take>
bool for_each_key(const Snapshot& snapshot, const std::stop_token& stop, Take&& take) {
  for (std::uint32_t i = 0; i < snapshot.stacks.stack_count(); ++i) {
    if (i % kKeysBetweenStops == 0 && stop.stop_requested()) return false;
    const std::string key = stack_key(snapshot, StackId{i});
    take(i, key.empty() ? std::nullopt : std::optional(std::hash<std::string>()(key)));
  }
  return true;
}

}  // namespace

PaintIndices paint_indices(const Snapshot& own, const Snapshot& model, const std::stop_token& stop) {
  FirstStacks first;
  const bool read = for_each_key(model, stop, [&](std::uint32_t stack, std::optional<std::size_t> key) {
    if (key) first.try_emplace(*key, stack);
  });
  PaintIndices numbers;
  std::uint32_t next_index = model.stacks.stack_count();
  const auto number = [&](std::uint32_t stack, std::optional<std::size_t> key) {
    if (!key) return color_number(stack);
    const auto [at, fresh] = first.try_emplace(*key, next_index);
    if (fresh) ++next_index;
    return color_number(at->second);
  };
  const bool numbered =
      read && for_each_key(own, stop, [&](std::uint32_t stack, std::optional<std::size_t> key) {
        numbers.of_stack.push_back(number(stack, key));
      });
  if (!numbered) return {};
  numbers.of_stream = places_in(own.streams, model.streams);
  numbers.of_pool = places_in(own.pools, model.pools);
  return numbers;
}

std::vector<std::uint8_t> category_indices(const AllocationCategories& own,
                                           const AllocationCategories& model) {
  return places_in(own.names, model.names);
}

}  // namespace kino
