// Categories of a snapshot's allocations, from memory_meaning() and the user's rules.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/memory/categories/memory_category.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

/// Precedence of a user's rule.
enum class RulePlace : std::uint8_t {
  packs,   ///< before everything except categories in the file
  phases,  ///< before phases and lifetimes, but after frames with one meaning
  last,    ///< after everything: applies only to unknown allocations
};
std::string_view text_of(RulePlace place);

/// Assigns a category to the allocations that the query finds, unless an earlier rule matches.
struct CategoryRule {
  std::string category;
  std::string query;  ///< a SnapshotQuery for allocations
  RulePlace before = RulePlace::packs;
  bool operator==(const CategoryRule&) const = default;
};

struct CategoryRuleSet {
  std::vector<CategoryRule> rules;
  bool extends_default = true;  ///< false: only these rules and categories in the file apply
  bool operator==(const CategoryRuleSet&) const = default;
};

/// Returns an empty set of rules, so only categories in the file and memory_meaning() apply.
CategoryRuleSet default_category_rules();
inline constexpr std::size_t kMostCategories = 63;  ///< a set of them fits in 64 bits

struct AllocationCategories {
  /// Names of the values of MemoryCategory, of the categories in the file and in the rules, and msg::other.
  std::vector<Message> names;
  std::vector<std::uint8_t> of_allocation;  ///< by AllocationId, like `sure` and `why`: index into names
  std::vector<Confidence> sure;
  std::vector<std::uint16_t> why;  ///< index into whys
  std::vector<Message> whys;       ///< a few words each
  std::vector<Message> notes;      ///< notes on allocations from before the recording, and doubts

  const Message& name_of(std::size_t allocation) const { return names[of_allocation[allocation]]; }
  const Message& why_of(std::size_t allocation) const { return whys[why[allocation]]; }
  /// Returns the bit of the allocation's category in a set of categories.
  std::uint64_t bit_of(std::size_t allocation) const { return std::uint64_t{1} << of_allocation[allocation]; }
  /// Returns a text for a set of categories: "Parameters", "Mixed: Parameters and Gradients"; "" if empty.
  Message text_of_set(std::uint64_t bits) const;
};
/// Returns whether the category means that allocations are unclassified. Its name is msg::other if the rules
/// do not extend the default.
bool is_unknown_category(const Message& name);

/// Assigns a category to each allocation. Categories in the file have precedence, then the rules by their
/// precedence; the first match counts. Fails for rules that cannot be read, with the name of the rule, and
/// for too many categories. O(entries + stored frames + allocations * rules).
Result<AllocationCategories> categorize(const Snapshot& snapshot, std::size_t device,
                                        const CategoryRuleSet& rules, ByteUnits units,
                                        const std::stop_token& stop = {});

}  // namespace kino
