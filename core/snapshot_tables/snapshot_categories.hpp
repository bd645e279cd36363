// What allocations of a snapshot are for: parameters, gradients and so on, told by rules that people can
// change.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/snapshot/snapshot.hpp"

namespace kino {

/// Whatever the query finds is of this category, unless an earlier rule had it.
struct CategoryRule {
  std::string category;
  std::string query;  ///< of SnapshotQuery, about allocations
  bool operator==(const CategoryRule&) const = default;
};

/// Parameters, optimizer state, gradients, activations and temporaries by frames of PyTorch and lifetimes,
/// and what is older than the recording.
std::vector<CategoryRule> default_category_rules();
/// What no rule finds.
inline constexpr const char* kOtherCategory = "Other";
inline constexpr std::size_t kMostCategories = 63;

struct AllocationCategories {
  std::vector<std::string> names;           ///< in the order of the rules, kOtherCategory last
  std::vector<std::uint8_t> of_allocation;  ///< into names, by AllocationId
};

/// What the file itself says of an allocation counts first, then the rules, the first one that finds it.
/// Fails with one sentence naming the rule that cannot be read, or has too many categories. O(allocations *
/// rules).
Result<AllocationCategories> categorize(const Snapshot& snapshot, std::size_t device,
                                        const std::vector<CategoryRule>& rules,
                                        const std::stop_token& stop = {});

}  // namespace kino
