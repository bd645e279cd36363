// Warnings from SQLite's plan on slow queries, with advice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"

namespace kino {

/// A row of EXPLAIN QUERY PLAN.
struct PlanLine {
  int id = 0;
  int parent = 0;
  std::string detail;
};

/// Prefix of a virtual table's plan text, such as "slice:1200 ": the table and the rows of one search.
std::string plan_mark(std::string_view table, std::int64_t rows);
/// Returns the text after the prefix.
const char* after_plan_mark(const char* text);

/// Returns the rows of a temporary table, or nullopt if there is none of that name.
using RowsOfTable = std::function<std::optional<std::int64_t>(std::string_view table)>;

/// Returns why `sql` with this plan is slow: tables that are read again for each row of others, and sorting
/// or indexing of many rows. Up to about 20 M rows read, or a million sorted, give no warning. Row counts are
/// estimates, so the query may still be fast. Each sentence appears once. O(plan).
std::vector<Message> plan_warnings(std::span<const PlanLine> plan, std::string_view sql,
                                   const RowsOfTable& rows_of);

}  // namespace kino
