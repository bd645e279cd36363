// What SQLite's plan says of a query that will be slow, in sentences that say what to do about it.
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

/// What a virtual table puts before the text of its plan, so that the plan tells it: "slice:1200 ", of rows
/// that one search gives.
std::string plan_mark(std::string_view table, std::int64_t rows);
/// The text without it.
const char* behind_plan_mark(const char* text);

/// The rows of a temporary table; nothing when there is none of that name.
using RowsOfTable = std::function<std::optional<std::int64_t>(std::string_view table)>;

/// Reasons why the statement `sql` with this plan takes long: a table that is read anew for each row of
/// others, and sorting and making an index of many rows. None for what is about 20 M rows read or a million
/// sorted, or less. Rows are estimates, so that a query may be fast all the same. Each sentence once.
/// O(plan).
std::vector<Message> plan_warnings(std::span<const PlanLine> plan, std::string_view sql,
                                   const RowsOfTable& rows_of);

}  // namespace kino
