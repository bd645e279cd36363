#include "core/trace/timeline/busy_profile.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

constexpr std::int64_t kBeforeAll = std::numeric_limits<std::int64_t>::min();
/// Accumulates the covered time of each bin.
class BinSums {
 public:
  BinSums(TimeRange range, std::uint32_t bins) : range_(range), bins_(bins), parts_ns_(bins), whole_(bins) {}

  /// Adds a range. O(log bins), even if it covers many bins.
  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    begin_ns = std::max(begin_ns, range_.begin_ns);
    end_ns = std::min(end_ns, range_.end_ns);
    if (begin_ns >= end_ns) return;
    const std::uint32_t first = bin_of(begin_ns);
    const std::uint32_t last = bin_of(end_ns - 1);
    if (first == last) {
      parts_ns_[first] += static_cast<double>(end_ns - begin_ns);
      return;
    }
    parts_ns_[first] += static_cast<double>(edge_ns(first + 1) - begin_ns);
    parts_ns_[last] += static_cast<double>(end_ns - edge_ns(last));
    ++whole_[first + 1];
    --whole_[last];
  }

  /// Adds the covered share of each bin.
  void add_shares_to(std::vector<float>& shares) const {
    std::int64_t covering = 0;
    for (std::uint32_t bin = 0; bin < bins_; ++bin) {
      covering += whole_[bin];
      const std::int64_t width = edge_ns(bin + 1) - edge_ns(bin);
      if (width <= 0) continue;
      const double sum_ns = parts_ns_[bin] + static_cast<double>(covering) * static_cast<double>(width);
      shares[bin] += static_cast<float>(sum_ns / static_cast<double>(width));
    }
  }

 private:
  std::int64_t edge_ns(std::uint32_t i) const { return bin_edge_ns(range_, bins_, i); }

  /// Returns the bin that contains a time inside the range.
  std::uint32_t bin_of(std::int64_t time_ns) const {
    std::uint32_t low = 0;
    std::uint32_t high = bins_;  // edge low <= time < edge high
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (edge_ns(middle) <= time_ns ? low : high) = middle;
    }
    return low;
  }

  TimeRange range_;
  std::uint32_t bins_;
  std::vector<double> parts_ns_;  // integers as doubles, since sums of a hostile file exceed 64 bits
  std::vector<std::int64_t>
      whole_;  // by bin: number of ranges that cover it wholly, minus that of the previous bin
};

}  // namespace

void BusyIndex::Mark::take(std::size_t kind, std::int64_t start_ns, std::int64_t end_ns) {
  if (end_ns <= until_ns[kind]) return;
  covered_ns[kind] += end_ns - std::max(start_ns, until_ns[kind]);
  until_ns[kind] = end_ns;
}

std::int64_t BusyIndex::Mark::before_ns(std::size_t kind) const {
  return covered_ns[kind] - (until_ns[kind] > time_ns ? until_ns[kind] - time_ns : 0);
}

/// Iterates over the GPU slices of all rows in order of start.
class BusyIndex::Sweep {
 public:
  Sweep(const Trace& trace, std::span<const std::uint32_t> rows) : trace_(trace) {
    for (const std::uint32_t row : rows) {
      const Row& at = trace.rows[row];
      if (at.slice_count > 0) {
        heap_.push_back(
            {trace.slices.start_ns[at.first_slice], at.first_slice, at.first_slice + at.slice_count});
      }
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  bool done() const { return heap_.empty(); }

  /// Returns the next slice. Requires !done().
  std::uint32_t pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Cursor& cursor = heap_.back();
    const std::uint32_t slice = cursor.slice++;
    if (cursor.slice == cursor.last) {
      heap_.pop_back();
    } else {
      cursor.start_ns = trace_.slices.start_ns[cursor.slice];
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
    return slice;
  }

 private:
  struct Cursor {
    std::int64_t start_ns;
    std::uint32_t slice;
    std::uint32_t last;
  };
  static bool later(const Cursor& a, const Cursor& b) { return a.start_ns > b.start_ns; }

  const Trace& trace_;
  std::vector<Cursor> heap_;
};

Result<BusyIndex> BusyIndex::build(const Trace& trace, const std::stop_token& stop,
                                   std::optional<std::uint32_t> only) {
  BusyIndex index;
  index.trace_ = &trace;
  for (std::uint32_t i = 0; i < trace.rows.size(); ++i) {
    const Track& track = trace.track(trace.rows[i].track);
    if (only && track.process != *only) continue;
    if (track.kind == TrackKind::gpu_stream) index.gpu_rows_.push_back(i);
    const bool outermost = trace.rows[i].lane == 0 && is_working_thread(trace, track);
    if (!outermost || trace.processes[track.process].bookkeeping) continue;
    (trace.rows[i].slice_count < kShortRow ? index.short_cpu_rows_ : index.cpu_rows_).push_back(i);
  }
  if (index.gpu_rows_.size() > kManyRows) return index;
  Mark state;
  state.time_ns = kBeforeAll;
  state.until_ns.fill(kBeforeAll);
  index.marks_.push_back(state);
  std::uint32_t since_mark = 0;
  std::uint64_t visited = 0;
  for (Sweep sweep(trace, index.gpu_rows_); !sweep.done();) {
    if (++visited % (1U << 16) == 0 && stop.stop_requested()) return cancelled(msg::the_overview);
    const std::uint32_t slice = sweep.pop();
    const std::int64_t start_ns = trace.slices.start_ns[slice];
    if (since_mark >= kStride && start_ns >= state.time_ns) {
      index.marks_.push_back(state);
      since_mark = 0;
    }
    // Slices with equal starts stay together: the next mark is after them.
    state.time_ns = start_ns + 1;
    ++since_mark;
    const auto kind = static_cast<std::size_t>(trace.slices.kind[slice]);
    if (kind < kKinds) state.take(kind, start_ns, trace.end_ns(SliceId{slice}));
  }
  if (since_mark > 0) index.marks_.push_back(state);
  return index;
}

/// Computes busy times before edges, which must ascend. Stores the position in each row.
class BusyIndex::Edges {
 public:
  Edges(const BusyIndex& index, std::int64_t first_ns) : index_(index), trace_(*index.trace_) {
    if (!index.marks_.empty()) {
      for (const std::uint32_t row : index.gpu_rows_) {
        gpu_next_.push_back(first_start_at(trace_, trace_.rows[row], mark_for(first_ns).time_ns));
      }
    }
    for (const std::uint32_t row : index.cpu_rows_) {
      cpu_next_.push_back(first_start_at(trace_, trace_.rows[row], first_ns));
      cpu_busy_ns_.push_back(0);
    }
  }

  /// Returns the covered time of each kind before `time_ns`.
  std::array<std::int64_t, kKinds> gpu_before_ns(std::int64_t time_ns) {
    if (gpu_next_.empty()) return {};
    Mark state = mark_for(time_ns);
    started_.clear();
    for (std::size_t i = 0; i < gpu_next_.size(); ++i) {
      const Row& row = trace_.rows[index_.gpu_rows_[i]];
      gpu_next_[i] = advance(row, gpu_next_[i], state.time_ns);
      for (std::uint32_t slice = gpu_next_[i]; slice < row.first_slice + row.slice_count; ++slice) {
        if (trace_.slices.start_ns[slice] >= time_ns) break;
        started_.emplace_back(trace_.slices.start_ns[slice], slice);
      }
    }
    std::sort(started_.begin(), started_.end());
    for (const auto& [start_ns, slice] : started_) {
      const auto kind = static_cast<std::size_t>(trace_.slices.kind[slice]);
      if (kind < kKinds) state.take(kind, start_ns, trace_.end_ns(SliceId{slice}));
    }
    state.time_ns = time_ns;
    std::array<std::int64_t, kKinds> before{};
    for (std::size_t kind = 0; kind < kKinds; ++kind) before[kind] = state.before_ns(kind);
    return before;
  }

  /// Returns the summed busy time of the outermost CPU lanes before `time_ns`, relative to a constant of this
  /// object.
  std::int64_t cpu_before_ns(std::int64_t time_ns) {
    std::int64_t sum_ns = 0;
    for (std::size_t i = 0; i < cpu_next_.size(); ++i) {
      const Row& row = trace_.rows[index_.cpu_rows_[i]];
      const auto durations = trace_.slices.duration_ns.sub(row.first_slice, row.slice_count);
      const std::uint32_t next = advance(row, cpu_next_[i], time_ns);
      cpu_busy_ns_[i] +=
          trace_.lod.busy_in(row.lod, durations, cpu_next_[i] - row.first_slice, next - row.first_slice);
      cpu_next_[i] = next;
      sum_ns += cpu_busy_ns_[i];
      if (next > row.first_slice)
        sum_ns -= std::max<std::int64_t>(0, trace_.end_ns(SliceId{next - 1}) - time_ns);
    }
    return sum_ns;
  }

 private:
  const Mark& mark_for(std::int64_t time_ns) const {
    const auto after = std::ranges::upper_bound(index_.marks_, time_ns, {}, &Mark::time_ns);
    return *std::prev(std::max(after, index_.marks_.begin() + 1));
  }

  /// Returns the row's first slice that starts at or after `time_ns`; the search starts at `from`.
  std::uint32_t advance(const Row& row, std::uint32_t from, std::int64_t time_ns) const {
    return next_start_at(trace_, from, row.first_slice + row.slice_count, time_ns);
  }

  const BusyIndex& index_;
  const Trace& trace_;
  std::vector<std::uint32_t> gpu_next_;
  std::vector<std::uint32_t> cpu_next_;
  std::vector<std::int64_t> cpu_busy_ns_;  // busy time of the slices passed since the first edge
  std::vector<std::pair<std::int64_t, std::uint32_t>> started_;
};

BusyProfile BusyIndex::profile(TimeRange range, std::uint32_t bins, const std::stop_token& stop,
                               unsigned threads) const {
  constexpr std::uint32_t kPieceBins = 64;
  BusyProfile result;
  const std::array<std::vector<float>*, kKinds> curves{&result.compute, &result.communication, &result.copy};
  for (std::vector<float>* curve : curves) curve->assign(bins, 0);
  result.cpu_density.assign(bins, 0);
  if (range.end_ns <= range.begin_ns) return result;
  const std::uint32_t pieces = bins / kPieceBins + (bins % kPieceBins != 0 ? 1 : 0);
  parallel_for(thread_count_or_default(threads), pieces, stop, [&](std::size_t piece, unsigned) {
    const auto first = static_cast<std::uint32_t>(piece) * kPieceBins;
    const std::uint32_t last = first + std::min(bins - first, kPieceBins);
    std::int64_t left_ns = bin_edge_ns(range, bins, first);
    Edges edges(*this, left_ns);
    auto gpu_left = edges.gpu_before_ns(left_ns);
    std::int64_t cpu_left = edges.cpu_before_ns(left_ns);
    for (std::uint32_t bin = first; bin < last; ++bin) {
      const std::int64_t right_ns = bin_edge_ns(range, bins, bin + 1);
      const auto gpu_right = edges.gpu_before_ns(right_ns);
      const std::int64_t cpu_right = edges.cpu_before_ns(right_ns);
      const auto width = static_cast<double>(right_ns - left_ns);
      for (std::size_t kind = 0; width > 0 && kind < kKinds; ++kind) {
        (*curves[kind])[bin] =
            static_cast<float>(static_cast<double>(gpu_right[kind] - gpu_left[kind]) / width);
      }
      if (width > 0)
        result.cpu_density[bin] = static_cast<float>(static_cast<double>(cpu_right - cpu_left) / width);
      left_ns = right_ns;
      gpu_left = gpu_right;
      cpu_left = cpu_right;
    }
  });
  add_short_cpu_rows(range, stop, result.cpu_density);
  if (marks_.empty()) add_many_gpu_rows(range, stop, curves);
  return result;
}

void BusyIndex::add_short_cpu_rows(TimeRange range, const std::stop_token& stop,
                                   std::vector<float>& density) const {
  if (short_cpu_rows_.empty() || density.empty()) return;
  BinSums sums(range, static_cast<std::uint32_t>(density.size()));
  for (const std::uint32_t row : short_cpu_rows_) {
    if (stop.stop_requested()) return;
    const SliceWindow window = row_window(*trace_, trace_->rows[row], range);
    for (std::uint32_t slice = window.first; slice < window.last; ++slice) {
      sums.add(trace_->slices.start_ns[slice], trace_->end_ns(SliceId{slice}));
    }
  }
  sums.add_shares_to(density);
}

void BusyIndex::add_many_gpu_rows(TimeRange range, const std::stop_token& stop,
                                  const std::array<std::vector<float>*, kKinds>& curves) const {
  const auto bins = static_cast<std::uint32_t>(curves[0]->size());
  if (bins == 0) return;
  std::vector<BinSums> sums(kKinds, BinSums(range, bins));
  std::array<std::int64_t, kKinds> until_ns{};
  until_ns.fill(kBeforeAll);
  std::uint64_t visited = 0;
  for (Sweep sweep(*trace_, gpu_rows_); !sweep.done();) {
    if (++visited % (1U << 16) == 0 && stop.stop_requested()) return;
    const std::uint32_t slice = sweep.pop();
    const auto kind = static_cast<std::size_t>(trace_->slices.kind[slice]);
    const std::int64_t end_ns = trace_->end_ns(SliceId{slice});
    if (kind >= kKinds || end_ns <= until_ns[kind]) continue;
    sums[kind].add(std::max(trace_->slices.start_ns[slice], until_ns[kind]), end_ns);
    until_ns[kind] = end_ns;
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) sums[kind].add_shares_to(*curves[kind]);
}

}  // namespace kino
