#include "core/trace/timeline/lod_tile.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace kino {
namespace {

/// Returns a - b for a >= b, exact even if int64_t would overflow.
std::uint64_t distance_ns(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

/// Returns the first index in [first, size) whose time is after `limit_ns`, or size. `guess` is the expected
/// distance from `first`. O(log of the distance from the guess).
std::size_t first_after(std::span<const std::int64_t> time_ns, std::size_t first, std::size_t guess,
                        std::int64_t limit_ns) {
  const std::size_t size = time_ns.size();
  std::size_t low = first;  // everything before is <= limit
  std::size_t high = std::min(first + guess, size);
  std::size_t step = 1;
  if (high < size && time_ns[high] <= limit_ns) {
    low = high + 1;
    for (high = low; high < size && time_ns[high] <= limit_ns; step *= 2) {
      low = high + 1;
      high = std::min(size, low + step);
    }
  } else {
    // time_ns[high] is after the limit, or the end.
    while (high > low) {
      const std::size_t probe = high - low > step ? high - step : low;
      if (time_ns[probe] <= limit_ns) {
        low = probe + 1;
        break;
      }
      high = probe;
      step *= 2;
    }
  }
  const auto begin = time_ns.begin();
  return static_cast<std::size_t>(std::upper_bound(begin + static_cast<std::ptrdiff_t>(low),
                                                   begin + static_cast<std::ptrdiff_t>(high), limit_ns) -
                                  begin);
}

/// Returns the index of the first time at or after `time`.
std::size_t first_from(std::span<const std::int64_t> time_ns, std::int64_t time) {
  return static_cast<std::size_t>(std::lower_bound(time_ns.begin(), time_ns.end(), time) - time_ns.begin());
}

/// Computes positions relative to one tile.
struct Ruler {
  TilePlace place;
  std::int64_t origin_ns;
  std::int64_t last_ns;

  explicit Ruler(TilePlace where) : place(where), origin_ns(where.origin_ns()), last_ns(where.last_ns()) {}

  float offset(std::int64_t time_ns) const {
    if (time_ns <= origin_ns) return 0;
    if (time_ns > last_ns) return static_cast<float>(place.length_ns());
    return static_cast<float>(distance_ns(time_ns, origin_ns));
  }
  /// Returns the last ns of the bin that contains `time_ns`.
  std::int64_t bin_last_ns(std::int64_t time_ns) const {
    const std::uint64_t bin = distance_ns(time_ns, origin_ns) >> place.level;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(origin_ns) + ((bin + 1) << place.level) - 1);
  }
};

std::uint16_t saturated_count(std::size_t count) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(count, std::numeric_limits<std::uint16_t>::max()));
}

class SliceEmitter {
 public:
  SliceEmitter(const SliceRow& row, TilePlace place, std::vector<TileInstance>& instances,
               std::vector<TileLabel>& labels)
      : row_(row),
        ruler_(place),
        label_ns_(place.level == 0 ? 1 : place.bin_ns() * kLabelBins),
        instances_(instances),
        labels_(labels) {}

  void run() {
    const std::size_t count = row_.start_ns.size();
    std::size_t next = first_from(row_.start_ns, ruler_.origin_ns);
    if (next > 0 && end_ns(next - 1) > ruler_.origin_ns) solid(next - 1);
    std::size_t guess = 0;
    while (next < count && row_.start_ns[next] <= ruler_.last_ns) {
      const std::size_t end =
          first_after(row_.start_ns, next, guess, ruler_.bin_last_ns(row_.start_ns[next]));
      guess = end - next;
      const bool last_is_solid = duration(end - 1) >= ruler_.place.bin_ns();
      const std::size_t cell_end = last_is_solid ? end - 1 : end;
      if (next < cell_end) cell(next, cell_end);
      if (last_is_solid) solid(end - 1);
      next = end;
    }
  }

 private:
  std::int64_t end_ns(std::size_t i) const { return row_.start_ns[i] + row_.duration_ns[i]; }
  std::uint64_t duration(std::size_t i) const { return static_cast<std::uint64_t>(row_.duration_ns[i]); }

  std::uint32_t slice_of(std::size_t i) const {
    return row_.original.empty() ? row_.first_slice + static_cast<std::uint32_t>(i)
                                 : index_of(row_.original[i]);
  }
  std::uint32_t paint_of(std::size_t i) const {
    return row_.keys == nullptr ? index_of(row_.name[i]) : (*row_.keys)[slice_of(i)];
  }
  /// Returns the first hit in [first, last), or `last`.
  std::size_t hit_in(std::size_t first, std::size_t last) const {
    if (row_.hits == nullptr) return first;
    if (row_.original.empty()) {
      return row_.hits->first_in(slice_of(first), row_.first_slice + static_cast<std::uint32_t>(last)) -
             row_.first_slice;
    }
    while (first < last && !row_.hits->contains(slice_of(first))) ++first;
    return first;
  }

  void solid(std::size_t i) {
    const std::int64_t end = end_ns(i);
    std::uint8_t flags = kTileSolid;
    if (row_.start_ns[i] < ruler_.origin_ns) flags |= kTileContinuedLeft;
    if (end > ruler_.last_ns && distance_ns(end, ruler_.last_ns) > 1) flags |= kTileContinuedRight;
    if (hit_in(i, i + 1) != i) flags |= kTileFaded;
    instances_.push_back({ruler_.offset(row_.start_ns[i]), ruler_.offset(end), paint_of(i), 1, 255, flags});
    if (duration(i) >= label_ns_)
      labels_.push_back({SliceId{row_.first_slice + static_cast<std::uint32_t>(i)}, row_.start_ns[i], end});
  }

  void cell(std::size_t first, std::size_t last) {
    const auto from = static_cast<std::uint32_t>(first);
    const auto to = static_cast<std::uint32_t>(last);
    const std::uint32_t longest =
        last - first == 1 ? from : row_.index->longest_in(row_.lod, row_.duration_ns, from, to);
    const std::int64_t end = end_ns(last - 1);
    const std::uint64_t extent = distance_ns(end, row_.start_ns[first]);
    const auto busy = static_cast<std::uint64_t>(row_.index->busy_in(row_.lod, row_.duration_ns, from, to));
    const double share = extent == 0 ? 1 : static_cast<double>(busy) / static_cast<double>(extent);
    const std::size_t hit = hit_in(first, last);
    instances_.push_back({ruler_.offset(row_.start_ns[first]), ruler_.offset(end),
                          paint_of(row_.hits != nullptr && hit < last ? hit : longest),
                          saturated_count(last - first),
                          static_cast<std::uint8_t>(std::clamp(std::lround(share * 255), 1L, 255L)),
                          hit < last ? std::uint8_t{0} : kTileFaded});
  }

  const SliceRow& row_;
  Ruler ruler_;
  std::uint64_t label_ns_;
  std::vector<TileInstance>& instances_;
  std::vector<TileLabel>& labels_;
};

float as_float(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

class CounterEmitter {
 public:
  CounterEmitter(std::span<const std::int64_t> time_ns, std::span<const double> value, TilePlace place,
                 std::vector<CounterInstance>& instances)
      : time_ns_(time_ns), value_(value), ruler_(place), instances_(instances) {}

  void run() {
    const std::size_t begin = first_from(time_ns_, ruler_.origin_ns);
    carry_in(begin);
    for (std::size_t i = begin; i < time_ns_.size() && time_ns_[i] <= ruler_.last_ns; ++i) {
      if (std::isfinite(value_[i])) add(time_ns_[i], value_[i]);
    }
    if (open_) close(static_cast<float>(ruler_.place.length_ns()), ruler_.last_ns);
  }

 private:
  void carry_in(std::size_t begin) {
    for (std::size_t i = begin; i-- > 0;) {
      if (!std::isfinite(value_[i])) continue;
      start(ruler_.origin_ns, value_[i]);
      return;
    }
  }

  void start(std::int64_t time, double value) {
    open_ = true;
    bin_last_ns_ = ruler_.bin_last_ns(time);
    first_ns_ = last_sample_ns_ = time;
    min_ = max_ = last_ = value;
  }

  void add(std::int64_t time, double value) {
    if (open_ && time <= bin_last_ns_) {
      last_sample_ns_ = time;
      min_ = std::min(min_, value);
      max_ = std::max(max_, value);
      last_ = value;
      return;
    }
    if (open_) close(ruler_.offset(time), time);
    start(time, value);
  }

  /// Ends the open instance at `x1`. If its last value lasts less than a bin, that value is merged with the
  /// bin.
  void close(float x1, std::int64_t until_ns) {
    const float x0 = ruler_.offset(first_ns_);
    const float split = ruler_.offset(last_sample_ns_);
    const bool constant = min_ == max_;
    if (constant || distance_ns(until_ns, last_sample_ns_) < ruler_.place.bin_ns()) {
      instances_.push_back({x0, x1, as_float(min_), as_float(max_)});
      return;
    }
    instances_.push_back({x0, split, as_float(min_), as_float(max_)});
    instances_.push_back({split, x1, as_float(last_), as_float(last_)});
  }

  std::span<const std::int64_t> time_ns_;
  std::span<const double> value_;
  Ruler ruler_;
  std::vector<CounterInstance>& instances_;
  bool open_ = false;
  std::int64_t bin_last_ns_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_sample_ns_ = 0;
  double min_ = 0;
  double max_ = 0;
  double last_ = 0;
};

}  // namespace

int tile_level(double ns_per_px) {
  if (!(ns_per_px > 1)) return 0;
  if (ns_per_px > std::ldexp(1.0, kMaxTileLevel)) return kMaxTileLevel;
  int exponent = 0;
  const double mantissa = std::frexp(ns_per_px, &exponent);  // in [0.5, 1)
  return mantissa == 0.5 ? exponent - 1 : exponent;
}

SliceRow SliceRow::of(const Trace& trace, RowId row) {
  const Row& columns = trace.row(row);
  return {trace.slices.start_ns.sub(columns.first_slice, columns.slice_count),
          trace.slices.duration_ns.sub(columns.first_slice, columns.slice_count),
          trace.slices.name.sub(columns.first_slice, columns.slice_count),
          &trace.lod,
          columns.lod,
          columns.first_slice,
          {}};
}

SliceRow SliceRow::painted(const SlicePaint& paint) const {
  SliceRow row = *this;
  row.keys = paint.keys.get();
  row.hits = paint.hits.get();
  return row;
}

void emit_slices(const SliceRow& row, TilePlace place, std::vector<TileInstance>& instances,
                 std::vector<TileLabel>& labels) {
  SliceEmitter(row, place, instances, labels).run();
}

void emit_instants(std::span<const std::int64_t> time_ns, TilePlace place,
                   std::vector<TileInstance>& instances) {
  const Ruler ruler(place);
  std::size_t next = first_from(time_ns, ruler.origin_ns);
  std::size_t guess = 0;
  while (next < time_ns.size() && time_ns[next] <= ruler.last_ns) {
    const std::size_t end = first_after(time_ns, next, guess, ruler.bin_last_ns(time_ns[next]));
    guess = end - next;
    instances.push_back({ruler.offset(time_ns[next]), ruler.offset(time_ns[end - 1]), 0,
                         saturated_count(end - next), 255, 0});
    next = end;
  }
}

void emit_counter(std::span<const std::int64_t> time_ns, std::span<const double> value, TilePlace place,
                  std::vector<CounterInstance>& instances) {
  assert(time_ns.size() == value.size());
  CounterEmitter(time_ns, value, place, instances).run();
}

void emit_means(const CounterRow& row, TilePlace place, std::vector<CounterInstance>& instances) {
  const Ruler ruler(place);
  if (row.time_ns.empty() || row.time_ns.front() > ruler.last_ns) return;
  const std::size_t before = instances.size();
  std::int64_t begin = std::max(ruler.origin_ns, row.time_ns.front());
  double integral = row.integral_until(begin);
  while (true) {
    const std::int64_t last = ruler.bin_last_ns(begin);
    const bool ends = last >= ruler.last_ns;
    const std::int64_t next = last == std::numeric_limits<std::int64_t>::max() ? last : last + 1;
    const double until = row.integral_until(next);
    const float mean = as_float((until - integral) / (static_cast<double>(distance_ns(last, begin)) + 1));
    const float x1 = ends ? static_cast<float>(place.length_ns()) : ruler.offset(next);
    if (instances.size() > before && instances.back().max_value == mean) {
      instances.back().x1_ns = x1;
    } else {
      instances.push_back({ruler.offset(begin), x1, mean, mean});
    }
    if (ends) return;
    begin = next;
    integral = until;
  }
}

}  // namespace kino
