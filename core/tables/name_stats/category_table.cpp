#include "core/tables/name_stats/category_table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/messages/message.hpp"
#include "core/tables/duration_stats_columns.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Identifies a row: category, rule and name, as far as the grouping distinguishes them.
using CategoryKey = std::tuple<std::string_view, std::size_t, NameId>;

CategoryKey key_of(const Trace& trace, const WorkRules& rules, std::size_t rule, SliceId work,
                   CategoryGrouping grouping) {
  const std::string_view category = rules.category_name(rule);
  if (grouping == CategoryGrouping::name) return {category, 0, trace.name(work)};
  return {category, grouping == CategoryGrouping::rule ? rule : 0, NameId{}};
}

std::string pattern_text(const WorkRules& rules, std::size_t index) {
  const WorkRule& rule = rules.all()[index];
  if (!rule.pattern.empty()) return rule.pattern;
  return std::string(
      english(index + 1 == rules.all().size() ? msg::rule_of_everything_else : msg::rule_of_the_kind));
}

constexpr std::string_view kCategoryKeys[] = {"category"};
constexpr std::string_view kCategoryNameKeys[] = {"category", "name"};
constexpr std::string_view kCategoryRuleKeys[] = {"category", "rule"};
/// In the order of CategoryGrouping.
constexpr TableGroup kCategoryGroups[] = {{"category", msg::by_category, kCategoryKeys},
                                          {"name", msg::by_category_and_name, kCategoryNameKeys},
                                          {"rule", msg::by_rule, kCategoryRuleKeys}};

}  // namespace

std::vector<CategoryRow> category_rows(const Trace& trace, const GpuWork& work, const WorkRules& rules,
                                       TimeRange range, CategoryGrouping grouping,
                                       const std::stop_token& stop) {
  struct Group {
    CategoryRow row;
    std::vector<std::int64_t> durations;
    std::set<NameId> names;
    std::int64_t longest_ns = -1;
  };
  std::map<CategoryKey, Group> groups;
  WorkCategories categories(trace, rules);
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    for (const SliceId slice : stream.slices) {
      const std::size_t rule = categories.rule_of(slice);
      const auto [found, added] = groups.try_emplace(key_of(trace, rules, rule, slice, grouping));
      Group& group = found->second;
      group.row.rule = added ? rule : std::min(group.row.rule, rule);
      group.names.insert(trace.name(slice));
      const std::int64_t duration = clipped_ns(trace, index_of(slice), range);
      group.durations.push_back(duration);
      if (duration > group.longest_ns) {
        group.longest_ns = duration;
        group.row.longest = slice;
        group.row.name = trace.name(slice);
      }
    }
  }
  std::vector<CategoryRow> rows;
  for (auto& [key, group] : groups) {
    group.row.spread = duration_stats(group.durations);
    group.row.names = group.names.size();
    rows.push_back(group.row);
  }
  if (grouping == CategoryGrouping::rule) {
    for (std::size_t rule = 0; rule < rules.all().size(); ++rule) {
      if (std::ranges::find(rows, rule, &CategoryRow::rule) == rows.end()) rows.emplace_back().rule = rule;
    }
    std::ranges::sort(rows, {}, &CategoryRow::rule);
  } else {
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const CategoryRow& row) { return row.spread.total_ns; });
  }
  return rows;
}

std::vector<SliceId> category_instances(const Trace& trace, const GpuWork& work, const WorkRules& rules,
                                        CategoryGrouping grouping, SliceId example) {
  WorkCategories categories(trace, rules);
  const CategoryKey wanted = key_of(trace, rules, categories.rule_of(example), example, grouping);
  std::vector<SliceId> found;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (key_of(trace, rules, categories.rule_of(slice), slice, grouping) == wanted) found.push_back(slice);
    }
  }
  return found;
}

Table category_table(const Trace& trace, const WorkRules& rules, const std::vector<CategoryRow>& rows,
                     CategoryGrouping grouping) {
  Table table{.definition = msg::gpu_work_by_purpose};
  table.text_column(rows, "category", msg::category, msg::first_matching_rule,
                    [&](const CategoryRow& row) { return rules.all()[row.rule].category; });
  if (grouping == CategoryGrouping::rule) {
    table.texts_of(rows, "rule", msg::pattern, msg::part_of_the_name,
                   [&](const CategoryRow& row) { return pattern_text(rules, row.rule); });
  }
  if (grouping == CategoryGrouping::name) {
    table.texts_of(rows, "name", msg::name, msg::the_full_name,
                   [&](const CategoryRow& row) { return std::string(trace.name_text(row.name)); });
  } else {
    table.integers_of(rows, "names", msg::names, Unit::count, msg::number_of_names, &CategoryRow::names);
  }
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_executions,
                    [](const CategoryRow& row) { return row.spread.count; });
  add_duration_stats_columns(table, rows, &CategoryRow::spread);
  if (grouping == CategoryGrouping::category) {
    table.texts_of(rows, "example", msg::longest, msg::name_of_the_longest,
                   [&](const CategoryRow& row) { return std::string(trace.name_text(row.name)); });
  }
  for (const CategoryRow& row : rows) table.links.emplace_back(row.longest);
  return table;
}

constexpr TableKind<RangeParts> kCategoryTable{
    {.name = "categories",
     .title = msg::categories,
     .heading = msg::gpu,
     .about = msg::about_categories,
     .groups = kCategoryGroups},
    [](const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const auto grouping = static_cast<CategoryGrouping>(query.group);
      return category_table(parts.trace(), parts.work_rules(),
                            category_rows(parts.trace(), parts.work(stop), parts.work_rules(),
                                          parts.gpu_range(stop), grouping, stop),
                            grouping);
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return category_instances(parts.trace(), parts.work(stop), parts.work_rules(),
                                static_cast<CategoryGrouping>(query.group), query.example);
    }};

}  // namespace kino
