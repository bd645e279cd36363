// Limits a query: it ends on a stop request, after a timeout, or if it uses too much memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/byte_text.hpp"
#include "core/trace/links/work_categories.hpp"

namespace kino {

/// Limits of one query, and settings for the tables that it reads.
struct QueryLimits {
  double seconds = 60;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t rows = ~std::uint64_t{0};                              ///< maximum rows of the result
  ByteUnits units = ByteUnits::decimal;                                ///< for memory sizes in texts
  std::shared_ptr<const WorkRules> work_rules = default_work_rules();  ///< rules for categories of GPU work
};

/// The clock of one query. Each loop over rows checks it; once over() is true, it remains true.
class QueryClock {
 public:
  enum class End : std::uint8_t { none, stopped, time, memory };

  QueryClock(const QueryLimits& limits, std::stop_token stop);

  /// Returns whether the query must end. Checks the stop token, the time, and the memory that SQLite (in the
  /// whole process) and hold() added since the start.
  bool over();
  End end() const { return end_; }
  /// Returns the stop token for computations in core, which check no time limit.
  const std::stop_token& stop() const { return stop_; }
  const QueryLimits& limits() const { return limits_; }
  /// Adds memory used outside SQLite, for example by aggregates and joins.
  void hold(std::int64_t bytes) { held_bytes_ += bytes; }
  /// Returns the error message that corresponds to end().
  std::string sentence() const;

 private:
  QueryLimits limits_;
  std::stop_token stop_;
  std::chrono::steady_clock::time_point deadline_;
  std::int64_t memory_at_begin_;
  std::int64_t held_bytes_ = 0;
  End end_ = End::none;
};

}  // namespace kino
