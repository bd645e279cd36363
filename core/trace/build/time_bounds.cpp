#include "core/trace/build/time_bounds.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

constexpr int kBucketShift = 36;
constexpr std::int64_t kHourNs = 3'600'000'000'000;
constexpr std::int64_t kRanges = 1000;

}  // namespace

void TimeBounds::add(std::int64_t time_ns, std::uint64_t offset) {
  const std::int64_t key = time_ns >> kBucketShift;
  if (recent_ == nullptr || key != recent_key_) {
    recent_key_ = key;
    recent_ = &buckets_[key];
  }
  Bucket& bucket = *recent_;
  if (bucket.count == 0) bucket = {time_ns, time_ns, 0, offset};
  ++bucket.count;
  bucket.first_ns = std::min(bucket.first_ns, time_ns);
  bucket.last_ns = std::max(bucket.last_ns, time_ns);
  bucket.first_offset = std::min(bucket.first_offset, offset);
}

void TimeBounds::add(const EventBatch& batch, const Skip& skip, const std::stop_token& stop) {
  const auto for_each = [&](const auto& list, const auto& visit) {
    for (const auto& block : list.blocks()) {
      if (stop.stop_requested()) return;
      for (const auto& record : block.span()) {
        if (!skip || !skip(record.source_offset)) visit(record);
      }
    }
  };
  const auto add_point = [&](const auto& record) { add(record.time_ns, record.source_offset); };
  for_each(batch.slices, [&](const SliceRecord& record) {
    add(record.start_ns, record.source_offset);
    if (record.duration_ns > 0) add(record.start_ns + record.duration_ns, record.source_offset);
  });
  for_each(batch.instants, add_point);
  for_each(batch.spans, add_point);
  for_each(batch.flows, add_point);
  for_each(batch.samples, add_point);
}

void TimeBounds::finish() {
  std::vector<Bucket> order;
  std::uint64_t total = 0;
  for (const auto& [key, bucket] : buckets_) {
    order.push_back(bucket);
    total += bucket.count;
  }
  if (order.empty()) return;
  std::ranges::sort(order, {}, &Bucket::first_ns);
  begin_ = order.front().first_ns;
  end_ = order.back().last_ns;
  const auto at_rank = [&](std::uint64_t rank) {
    for (const Bucket& bucket : order) {
      if (rank < bucket.count) return bucket;
      rank -= bucket.count;
    }
    return order.back();
  };
  const std::int64_t low = at_rank(total / 4).first_ns;
  const std::int64_t high = at_rank(total - 1 - total / 4).last_ns;
  std::int64_t reach = 0;
  if (__builtin_mul_overflow(high - low, kRanges, &reach)) reach = std::numeric_limits<std::int64_t>::max();
  reach = saturating_add(reach, kHourNs);
  const std::int64_t lowest = saturating_add(low, -reach);
  const std::int64_t highest = saturating_add(high, reach);
  content_begin_ = low;
  content_end_ = high;
  for (const Bucket& bucket : order) {
    if (bucket.last_ns < lowest || bucket.first_ns > highest) {
      outliers_ += bucket.count;
      first_outlier_offset_ = std::min(first_outlier_offset_, bucket.first_offset);
    } else {
      content_begin_ = std::min(content_begin_, bucket.first_ns);
      content_end_ = std::max(content_end_, bucket.last_ns);
    }
  }
}

}  // namespace kino
