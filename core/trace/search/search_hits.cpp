// Hits of a compiled query: the member functions of SearchQuery that read slices.
#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/search/name_search.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kSearchPieceSlices = 1U << 16;
constexpr std::uint32_t kCheckStride = 1U << 12;

/// Slices [first, last) of one row.
struct SearchPiece {
  std::uint32_t first;
  std::uint32_t last;
};

std::vector<SearchPiece> pieces_of(const Trace& trace, std::span<const RowId> rows,
                                   std::optional<TimeRange> range = std::nullopt) {
  std::vector<SearchPiece> pieces;
  for (const RowId id : rows) {
    const Row& row = trace.row(id);
    SliceWindow window{row.first_slice, row.first_slice + row.slice_count};
    if (range) window = row_window(trace, row, *range);
    while (window.first < window.last) {
      const std::uint32_t last = window.first + std::min(window.size(), kSearchPieceSlices);
      pieces.push_back({window.first, last});
      window.first = last;
    }
  }
  return pieces;
}

}  // namespace

bool SearchQuery::matches_all() const { return !some_names_ && only_names_ && tracks_.empty(); }

bool SearchQuery::matches_slice(std::uint32_t slice) const {
  if (only_names_) return matches_name(index_->trace().slices.name[slice]);
  if (!argument_terms_.empty() && (!allowed_ || !allowed_->contains(slice))) return false;
  return matches_columns(slice);
}

void SearchQuery::restrict_to(std::shared_ptr<const SliceSet> slices) { allowed_ = std::move(slices); }

bool SearchQuery::matches_but_arguments(SliceId slice) const {
  const Trace& trace = index_->trace();
  return matches_columns(index_of(slice)) && (tracks_.empty() || matches_track(trace.track_of(slice)));
}

bool SearchQuery::matches_columns(std::uint32_t slice) const {
  const SliceColumns& slices = index_->trace().slices;
  if (!matches_name(slices.name[slice])) return false;
  return (kinds_ >> static_cast<unsigned>(slices.kind[slice]) & 1U) != 0 &&
         slices.duration_ns[slice] >= min_duration_ns_ && slices.duration_ns[slice] <= max_duration_ns_ &&
         (categories_.empty() || categories_[index_of(slices.category[slice])]);
}

bool SearchQuery::matches(SliceId slice) const {
  const Trace& trace = index_->trace();
  return matches_slice(index_of(slice)) && matches_track(trace.track_of(slice));
}

std::vector<RowId> SearchQuery::rows_of(TrackChoice tracks) const {
  const Trace& trace = index_->trace();
  std::vector<RowId> rows;
  const auto add = [&](TrackId id) {
    if (!matches_track(id)) return;
    const Track& track = trace.track(id);
    for (std::uint32_t row = 0; row < track.row_count; ++row) rows.push_back(RowId{track.first_row + row});
  };
  if (tracks) {
    for (const TrackId id : *tracks) add(id);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  } else {
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) add(TrackId{i});
  }
  return rows;
}

// Tests one column after the other, so that only columns with a restriction are read.
std::uint64_t SearchQuery::hits_in_word(std::uint32_t begin, std::uint32_t end) const {
  const SliceColumns& slices = index_->trace().slices;
  const auto bits_of = [begin, end](auto&& matches) {
    std::uint64_t bits = 0;
    for (std::uint32_t at = begin; at < end; ++at) bits |= std::uint64_t{matches(at)} << (at % 64);
    return bits;
  };
  std::uint64_t hits = some_names_ ? bits_of([&](std::uint32_t at) { return matches_name(slices.name[at]); })
                                   : bits_of([](std::uint32_t) { return true; });
  if (only_names_ || hits == 0) return hits;
  if ((kinds_ & kAllKinds) != kAllKinds) {
    hits &= bits_of(
        [&](std::uint32_t at) { return (kinds_ >> static_cast<unsigned>(slices.kind[at]) & 1U) != 0; });
  }
  constexpr std::int64_t kShortest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
  if (hits != 0 && (min_duration_ns_ != kShortest || max_duration_ns_ != kLongest)) {
    hits &= bits_of([&](std::uint32_t at) {
      return slices.duration_ns[at] >= min_duration_ns_ && slices.duration_ns[at] <= max_duration_ns_;
    });
  }
  if (hits != 0 && !categories_.empty())
    hits &= bits_of([&](std::uint32_t at) { return categories_[index_of(slices.category[at])]; });
  if (hits != 0 && !argument_terms_.empty())
    hits &= bits_of([&](std::uint32_t at) { return allowed_ && allowed_->contains(at); });
  return hits;
}

Result<SliceSet> SearchQuery::hit_set(const std::stop_token& stop) const {
  const Trace& trace = index_->trace();
  const auto count = static_cast<std::uint32_t>(trace.slice_count());
  SliceSet hits(count);
  if (std::ranges::all_of(names_, [](std::uint64_t bits) { return bits == 0; })) return hits;
  static_assert(kSearchPieceSlices % 64 == 0);  // pieces share no word of the set
  const std::size_t pieces = (std::size_t{count} + kSearchPieceSlices - 1) / kSearchPieceSlices;
  parallel_for(threads_, pieces, stop, [&](std::size_t piece, unsigned) {
    const auto first = static_cast<std::uint32_t>(piece * kSearchPieceSlices);
    const std::uint32_t last = first + std::min(kSearchPieceSlices, count - first);
    const auto insert = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t at = begin; at < end;) {
        const std::uint32_t word_end = std::min(end, at / 64 * 64 + 64);
        hits.insert_word(at / 64, hits_in_word(at, word_end));
        at = word_end;
      }
    };
    if (tracks_.empty()) return insert(first, last);
    auto row = index_of(trace.row_of(SliceId{first}));
    for (std::uint32_t begin = first; begin < last; ++row) {
      const Row& track_row = trace.rows[row];
      const std::uint32_t end = std::min(last, track_row.first_slice + track_row.slice_count);
      if (matches_track(track_row.track)) insert(begin, end);
      begin = std::max(begin, end);
    }
  });
  if (stop.stop_requested()) return cancelled(msg::the_search);
  return hits;
}

SliceId SearchQuery::next_hit(TrackChoice tracks, std::int64_t time_ns, SliceId after,
                              const std::stop_token& stop) const {
  const Trace& trace = index_->trace();
  const auto& starts = trace.slices.start_ns;
  const std::vector<RowId> rows = rows_of(tracks);
  std::vector<SliceId> found(rows.size(), kNoSlice);
  std::atomic<std::int64_t> best_ns = std::numeric_limits<std::int64_t>::max();
  parallel_for(threads_, rows.size(), stop, [&](std::size_t i, unsigned) {
    const Row& row = trace.row(rows[i]);
    const std::uint32_t last = row.first_slice + row.slice_count;
    for (std::uint32_t slice = first_start_at(trace, row, time_ns); slice < last; ++slice) {
      if (slice % kCheckStride == 0) {
        if (stop.stop_requested() || starts[slice] > best_ns.load(std::memory_order_relaxed)) return;
      }
      if (!matches_slice(slice)) continue;
      if (starts[slice] == time_ns && after != kNoSlice && slice <= index_of(after)) continue;
      found[i] = SliceId{slice};
      std::int64_t best = best_ns.load(std::memory_order_relaxed);
      while (starts[slice] < best && !best_ns.compare_exchange_weak(best, starts[slice])) {
      }
      return;
    }
  });
  if (stop.stop_requested()) return kNoSlice;
  std::erase(found, kNoSlice);
  if (found.empty()) return kNoSlice;
  // The hits are in order of id, so among equal starts the lowest id is returned.
  return *std::ranges::min_element(found, {}, [&](SliceId hit) { return trace.start_ns(hit); });
}

SliceId SearchQuery::previous_hit(TrackChoice tracks, std::int64_t time_ns, SliceId before,
                                  const std::stop_token& stop) const {
  const Trace& trace = index_->trace();
  const auto& starts = trace.slices.start_ns;
  const std::vector<RowId> rows = rows_of(tracks);
  std::vector<SliceId> found(rows.size(), kNoSlice);
  parallel_for(threads_, rows.size(), stop, [&](std::size_t i, unsigned) {
    const Row& row = trace.row(rows[i]);
    std::uint32_t slice = first_start_at(trace, row, time_ns);
    const std::uint32_t last = row.first_slice + row.slice_count;
    while (before != kNoSlice && slice < last && starts[slice] == time_ns && slice < index_of(before))
      ++slice;
    for (; slice > row.first_slice; --slice) {
      if (slice % kSearchPieceSlices == 0 && stop.stop_requested()) return;
      if (!matches_slice(slice - 1)) continue;
      found[i] = SliceId{slice - 1};
      return;
    }
  });
  if (stop.stop_requested()) return kNoSlice;
  SliceId best = kNoSlice;
  for (const SliceId hit : found) {
    if (hit != kNoSlice && (best == kNoSlice || starts[index_of(hit)] >= starts[index_of(best)])) best = hit;
  }
  return best;
}

std::vector<std::uint32_t> SearchQuery::hits_per_bin(TrackChoice tracks, TimeRange range, std::uint32_t bins,
                                                     const std::stop_token& stop) const {
  const Trace& trace = index_->trace();
  std::vector<std::uint32_t> result(bins, 0);
  if (bins == 0 || range.length_ns() <= 0) return result;
  const std::vector<RowId> rows = rows_of(tracks);
  const std::vector<SearchPiece> pieces = pieces_of(trace, rows, range);
  std::vector<std::int64_t> edges(bins + std::size_t{1});
  for (std::uint32_t i = 0; i <= bins; ++i) edges[i] = bin_edge_ns(range, bins, i);
  // Hits of a row are in order of time, so the bin of a hit is usually found near the last bin, without a
  // division.
  std::vector<std::vector<std::int64_t>> changes(threads_);
  parallel_for(threads_, pieces.size(), stop, [&](std::size_t i, unsigned worker) {
    std::vector<std::int64_t>& own = changes[worker];
    if (own.empty()) own.resize(bins + std::size_t{1});
    std::size_t bin = 0;
    bool placed = false;
    for (std::uint32_t slice = pieces[i].first; slice < pieces[i].last; ++slice) {
      if (!matches_slice(slice)) continue;
      const std::int64_t start = std::max(range.begin_ns, trace.slices.start_ns[slice]);
      const std::int64_t last_ns = std::max(start, std::min(range.end_ns, trace.end_ns(SliceId{slice})) - 1);
      const auto bin_of = [&](std::size_t from, std::int64_t time_ns) {
        if (!placed || (from + 2 <= bins && edges[from + 2] <= time_ns)) {
          const auto first = edges.begin() + static_cast<std::ptrdiff_t>(from);
          return static_cast<std::size_t>(std::upper_bound(first, edges.end(), time_ns) - edges.begin()) - 1;
        }
        return from + (edges[from + 1] <= time_ns ? 1 : 0);
      };
      bin = bin_of(bin, start);
      placed = true;
      ++own[bin];
      --own[bin_of(bin, last_ns) + 1];
    }
  });
  if (stop.stop_requested()) return {};
  std::int64_t open = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (const auto& own : changes) open += own.empty() ? 0 : own[bin];
    result[bin] = static_cast<std::uint32_t>(std::min<std::int64_t>(open, UINT32_MAX));
  }
  return result;
}

}  // namespace kino
