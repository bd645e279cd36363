// The time range of a trace, without timestamps that are far from all others.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <unordered_map>

#include "core/base/result.hpp"
#include "core/trace/build/event_batch.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Computes the time range of a trace with and without far outliers. A timestamp of 0 among Unix times would
/// make "fit all" show 50 years, and doubles would lose precision for the other times. Outliers are
/// times that are more than 1000 interquartile ranges plus an hour away from the middle half of all times.
/// Distances are measured in buckets of about a minute.
class TimeBounds {
 public:
  /// Whether the record at an offset does not count; an empty `skip` skips nothing.
  using Skip = std::function<bool(std::uint64_t offset)>;

  /// Adds all slices, spans, instants, flow events and samples of a batch, in the file's own time. Returns
  /// early on a stop request. O(n).
  void add(const EventBatch& batch, const Skip& skip, const std::stop_token& stop);
  void add(std::int64_t time_ns, std::uint64_t offset);
  /// Call once, after everything was added.
  void finish();

  std::int64_t origin_ns() const { return content_begin_; }
  std::int64_t content_end_ns() const { return content_end_; }
  /// Time range without outliers; like range(), relative to origin_ns().
  TimeRange content() const { return {0, content_end_ - content_begin_}; }
  TimeRange range() const { return {begin_ - content_begin_, end_ - content_begin_}; }
  std::uint64_t outliers() const { return outliers_; }
  std::uint64_t first_outlier_offset() const { return first_outlier_offset_; }

 private:
  /// Summary of the points in a bucket of about a minute (2^36 ns).
  struct Bucket {
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    std::uint64_t count = 0;
    std::uint64_t first_offset = kNoOffset;
  };

  std::unordered_map<std::int64_t, Bucket> buckets_;
  std::int64_t recent_key_ = 0;
  Bucket* recent_ = nullptr;  // into buckets_, whose elements do not move
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t content_begin_ = 0;
  std::int64_t content_end_ = 0;
  std::uint64_t outliers_ = 0;
  std::uint64_t first_outlier_offset_ = kNoOffset;
};

}  // namespace kino
