// When a query has to end: asked to stop, out of time, or out of memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/byte_text.hpp"
#include "core/trace/links/work_categories.hpp"

namespace kino {

/// The limits of one query, and the settings for tables that it reads.
struct QueryLimits {
  double seconds = 60;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t rows = ~std::uint64_t{0};                              ///< that are handed out
  ByteUnits units = ByteUnits::decimal;                                ///< for amounts of memory in texts
  std::shared_ptr<const WorkRules> work_rules = default_work_rules();  ///< for categories of GPU work
};

/// Of one query; every loop over rows looks at it. What it says holds until the end.
class QueryClock {
 public:
  enum class End : std::uint8_t { none, stopped, time, memory };

  QueryClock(const QueryLimits& limits, std::stop_token stop);

  /// Looks at the time and the memory that SQLite and hold() use.
  bool over();
  End end() const { return end_; }
  /// For what computes in core, which knows no limit of time.
  const std::stop_token& stop() const { return stop_; }
  const QueryLimits& limits() const { return limits_; }
  /// Memory of ours that a query fills: aggregates, joins.
  void hold(std::int64_t bytes) { held_bytes_ += bytes; }
  /// The sentence for end().
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
