// What allocations of a snapshot are for, as memory_meaning() tells and as people's own rules change it.
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

/// What a person's rule comes before.
enum class RulePlace : std::uint8_t {
  packs,   ///< everything but what the file says
  phases,  ///< phases and lifetimes, but not frames with one meaning
  last,    ///< nothing: it finds only what is unknown
};
std::string_view text_of(RulePlace place);

/// Whatever the query finds is of this category, unless an earlier rule had it.
struct CategoryRule {
  std::string category;
  std::string query;  ///< of SnapshotQuery, about allocations
  RulePlace before = RulePlace::packs;
  bool operator==(const CategoryRule&) const = default;
};

struct CategoryRuleSet {
  std::vector<CategoryRule> rules;
  bool extends_default = true;  ///< else they are all there is
  bool operator==(const CategoryRuleSet&) const = default;
};

/// No rules besides what memory_meaning() tells.
CategoryRuleSet default_category_rules();
inline constexpr std::size_t kMostCategories = 63;  ///< a set of them has room in 64 bits

struct AllocationCategories {
  std::vector<Message> names;               ///< those of MemoryCategory, then those of rules; msg::other
  std::vector<std::uint8_t> of_allocation;  ///< into names, by AllocationId, as the next two
  std::vector<Sureness> sure;
  std::vector<std::uint16_t> why;  ///< in whys
  std::vector<Message> whys;       ///< a few words each
  std::vector<Message> notes;      ///< on allocations older than the recording, and doubts

  const Message& name_of(std::size_t allocation) const { return names[of_allocation[allocation]]; }
  const Message& why_of(std::size_t allocation) const { return whys[why[allocation]]; }
  /// The allocation's bit in a set of categories.
  std::uint64_t bit_of(std::size_t allocation) const { return std::uint64_t{1} << of_allocation[allocation]; }
  /// Names a set of categories by their bits: "Parameters", "Mixed: Parameters and Gradients"; "" if empty.
  Message text_of_set(std::uint64_t bits) const;
};
/// Whether nothing is known about allocations of this category. Its name is msg::other for those that no rule
/// finds, where the rules are all there is.
bool is_unknown_category(const Message& name);

/// What the file itself says of an allocation counts first, then the rules as their places say, the first
/// one that finds it. Fails with one sentence naming the rule that cannot be read, or has too many
/// categories. O(entries + stored frames + allocations * rules).
Result<AllocationCategories> categorize(const Snapshot& snapshot, std::size_t device,
                                        const CategoryRuleSet& rules, ByteUnits units,
                                        const std::stop_token& stop = {});

}  // namespace kino
