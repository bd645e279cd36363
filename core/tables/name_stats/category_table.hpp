// GPU time by purpose of the work: matrix products, attention, normalization, communication and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/duration_list.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

enum class CategoryGrouping : std::uint8_t {
  category,
  name,  ///< category and name of the work
  rule,  ///< every rule, in order of the rules, including rules without matches
};

/// Statistics of the work in one group. Durations are clipped to the range.
struct CategoryRow {
  std::size_t rule = 0;  ///< index into WorkRules::all(); for a category, the first of its rules with matches
  NameId name{};         ///< name of the longest work
  std::uint64_t names = 0;
  DurationStats spread;
  SliceId longest = kNoSlice;  ///< longest work; the first if several are equal
};

/// Returns one row per group, most time first; for CategoryGrouping::rule in order of the rules. O(work).
std::vector<CategoryRow> category_rows(const Trace& trace, const GpuWork& work, const WorkRules& rules,
                                       TimeRange range, CategoryGrouping grouping,
                                       const std::stop_token& stop = {});
/// Returns the work in the row that contains `example`, by stream. O(work).
std::vector<SliceId> category_instances(const Trace& trace, const GpuWork& work, const WorkRules& rules,
                                        CategoryGrouping grouping, SliceId example);

/// Table `categories`: one row per category, per category and name, or per rule.
Table category_table(const Trace& trace, const WorkRules& rules, const std::vector<CategoryRow>& rows,
                     CategoryGrouping grouping);
extern const TableKind<RangeParts> kCategoryTable;

}  // namespace kino
