#include "loaders/query/sql_aggregates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <vector>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

using Values = sqlite3_value**;

struct Kept {
  explicit Kept(QueryClock& query_clock) : clock(query_clock) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { clock.hold(-static_cast<std::int64_t>(numbers.capacity() * sizeof(double))); }

  bool add(double number) {
    if (numbers.size() == numbers.capacity()) {
      const std::size_t before = numbers.capacity();
      numbers.reserve(std::max<std::size_t>(4, before * 2));
      clock.hold(static_cast<std::int64_t>((numbers.capacity() - before) * sizeof(double)));
      if (numbers.capacity() > 4096 && clock.over()) return false;
    }
    numbers.push_back(number);
    return true;
  }

  QueryClock& clock;
  std::vector<double> numbers;
  double percent = 50;
};

/// Returns the place for a pointer to the state, in SQLite's memory for a group.
Kept** place_of(sqlite3_context* out, bool make) {
  return static_cast<Kept**>(sqlite3_aggregate_context(out, make ? static_cast<int>(sizeof(void*)) : 0));
}

void keep(sqlite3_context* out, int count, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  Kept** const place = place_of(out, true);
  if (place == nullptr) return sqlite3_result_error_nomem(out);
  try {
    if (*place == nullptr) *place = std::make_unique<Kept>(*context_of(out).clock).release();
    if (count > 1) (*place)->percent = sqlite3_value_double(values[1]);
    if (!(*place)->add(sqlite3_value_double(values[0])))
      sqlite3_result_error(out, context_of(out).clock->sentence().c_str(), -1);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(out);
  }
}

void percentile(sqlite3_context* out) {
  Kept** const place = place_of(out, false);
  if (place == nullptr || *place == nullptr) return;
  const std::unique_ptr<Kept> kept(*place);
  *place = nullptr;
  std::vector<double>& numbers = kept->numbers;
  if (!(kept->percent >= 0 && kept->percent <= 100))
    return sqlite3_result_error(out, "percentile(x, p) needs a p from 0 to 100", -1);
  if (numbers.empty()) return;
  const double rank = kept->percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(numbers.begin(), middle, numbers.end());
  const double share = rank - static_cast<double>(below);
  const double low = *middle;
  const double high = share > 0 ? *std::min_element(middle + 1, numbers.end()) : low;
  sqlite3_result_double(out, low + (high - low) * share);
}

/// Welford's running mean and sum of squared deviations.
struct Spread {
  std::int64_t count;
  double mean;
  double squares;
};

void spread(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto* const state = static_cast<Spread*>(sqlite3_aggregate_context(out, sizeof(Spread)));
  if (state == nullptr) return sqlite3_result_error_nomem(out);
  const double number = sqlite3_value_double(values[0]);
  ++state->count;
  const double before = number - state->mean;
  state->mean += before / static_cast<double>(state->count);
  state->squares += before * (number - state->mean);
}

void deviation(sqlite3_context* out) {
  const auto* const state = static_cast<const Spread*>(sqlite3_aggregate_context(out, 0));
  if (state != nullptr && state->count > 1)
    sqlite3_result_double(out, std::sqrt(state->squares / static_cast<double>(state->count - 1)));
}

void join(sqlite3_context* out, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto** const place = static_cast<sqlite3_str**>(sqlite3_aggregate_context(out, sizeof(sqlite3_str*)));
  if (place == nullptr) return sqlite3_result_error_nomem(out);
  if (*place == nullptr) {
    *place = sqlite3_str_new(sqlite3_context_db_handle(out));
  } else {
    const std::string_view between = text_of(values[1]);
    sqlite3_str_append(*place, between.data() != nullptr ? between.data() : "",
                       static_cast<int>(between.size()));
  }
  const std::string_view text = text_of(values[0]);
  sqlite3_str_append(*place, text.data() != nullptr ? text.data() : "", static_cast<int>(text.size()));
  if (sqlite3_str_errcode(*place) == SQLITE_TOOBIG) sqlite3_result_error_toobig(out);
}

void joined(sqlite3_context* out) {
  auto** const place = static_cast<sqlite3_str**>(sqlite3_aggregate_context(out, 0));
  if (place == nullptr || *place == nullptr) return;
  const int size = sqlite3_str_length(*place);
  const int code = sqlite3_str_errcode(*place);
  char* const text = sqlite3_str_finish(*place);
  *place = nullptr;
  if (code != SQLITE_OK) {
    sqlite3_free(text);
    return sqlite3_result_error_code(out, code);
  }
  sqlite3_result_text(out, text, size, sqlite3_free);
}

/// Like SQLite's count(), except that it adds the number of rows that a row represents (RowSums), not 1.
void count_rows(sqlite3_context* out, int count, Values values) {
  if (count > 0 && sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto* const rows = static_cast<std::int64_t*>(sqlite3_aggregate_context(out, sizeof(std::int64_t)));
  if (rows == nullptr) return sqlite3_result_error_nomem(out);
  *rows += context_of(out).represented_rows;
}

void counted(sqlite3_context* out) {
  const auto* const rows = static_cast<const std::int64_t*>(sqlite3_aggregate_context(out, 0));
  sqlite3_result_int64(out, rows == nullptr ? 0 : *rows);
}

struct Aggregate {
  std::string_view name;
  int arguments;
  void (*step)(sqlite3_context*, int, Values);
  void (*end)(sqlite3_context*);
};
constexpr Aggregate kAggregates[] = {
    {"percentile", 2, keep, percentile},       {"median", 1, keep, percentile},
    {"stddev", 1, spread, deviation},          {"stdev", 1, spread, deviation},
    {"string_agg", 2, join, joined},           {kCountedFunction, 0, count_rows, counted},
    {kCountedFunction, 1, count_rows, counted}};

}  // namespace

int register_aggregates(sqlite3* database, QueryContext& context) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const Aggregate& aggregate : kAggregates) {
    const int code = sqlite3_create_function_v2(database, aggregate.name.data(), aggregate.arguments, kFlags,
                                                &context, nullptr, aggregate.step, aggregate.end, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

bool aggregate_known(std::string_view name) {
  return std::ranges::find(kAggregates, lowered(name), &Aggregate::name) != std::end(kAggregates);
}

}  // namespace kino
