// Warns of slow queries, with advice, based on SQLite's plan.
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

/// One row of the output of EXPLAIN QUERY PLAN.
struct PlanLine {
  int id = 0;
  int parent = 0;
  std::string detail;
};

/// Returns the prefix of a virtual table's plan text, such as "slice:1200 ": the table and the number of rows
/// per search.
std::string plan_mark(std::string_view table, std::int64_t rows);
/// Returns the text after the prefix of plan_mark().
const char* after_plan_mark(const char* text);

/// Returns the number of rows of a temporary table; nullopt if no such table exists.
using RowsOfTable = std::function<std::optional<std::int64_t>(std::string_view table)>;

/// Returns why `sql` with this plan may be slow: tables read again for each row of other tables, and sorting
/// or indexing of many rows. There is no warning if fewer than about 20 M rows are read again, and fewer than
/// a million are sorted or indexed. Row counts are estimates, so the query may still be fast. Each sentence
/// appears once. O(plan).
std::vector<Message> plan_warnings(std::span<const PlanLine> plan, std::string_view sql,
                                   const RowsOfTable& rows_of);

}  // namespace kino
