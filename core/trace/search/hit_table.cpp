#include "core/trace/search/hit_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/slice_kind.hpp"

namespace kino {
namespace {

constexpr std::size_t kPieceWords = 1024;

struct Entry {
  std::array<std::int64_t, kHitColumnCount> keys{};  // one key per criterion
  std::int64_t start_ns = 0;
  std::uint32_t slice = 0;
  bool operator<(const Entry& other) const {
    return std::tie(keys, start_ns, slice) < std::tie(other.keys, other.start_ns, other.slice);
  }
};

/// Keeps the `limit` smallest entries that were added. entries() can contain up to `limit` - 1 others.
class Least {
 public:
  explicit Least(std::size_t limit) : limit_(limit) {}

  void add(const Entry& entry) {
    if (full_ && !(entry < most_)) return;
    entries_.push_back(entry);
    if (entries_.size() >= 2 * limit_) cut();
  }
  std::vector<Entry>& entries() { return entries_; }

 private:
  void cut() {
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(limit_) - 1;
    std::nth_element(entries_.begin(), last, entries_.end());
    most_ = *last;
    entries_.resize(limit_);
    full_ = true;
  }

  std::size_t limit_;
  std::vector<Entry> entries_;
  Entry most_;
  bool full_ = false;
};

/// Returns the rank of each text in sorted order, by index. Equal texts have the same rank.
template <class TextOf>
std::vector<std::uint32_t> ranks_of(std::size_t count, const TextOf& text_at) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, text_at);
  std::vector<std::uint32_t> ranks(count);
  for (std::size_t i = 1; i < count; ++i)
    ranks[order[i]] = ranks[order[i - 1]] + (text_at(order[i - 1]) < text_at(order[i]) ? 1 : 0);
  return ranks;
}

/// Sort keys of slices: numbers that compare like the values of a column.
class HitKeys {
 public:
  HitKeys(const Trace& trace, std::span<const TableOrder> order) : trace_(trace) {
    for (const TableOrder& criterion : order.first(std::min(order.size(), kHitColumnCount))) {
      if (criterion.column >= kHitColumnCount) continue;
      order_.push_back(criterion);
      std::vector<std::uint32_t>& ranks = ranks_[criterion.column];
      switch (static_cast<HitColumn>(criterion.column)) {
        case HitColumn::name:
          ranks = ranks_of(trace.names.size(), [&](std::uint32_t i) { return trace.names[i]; });
          break;
        case HitColumn::kind:
          ranks =
              ranks_of(kSliceKindCount, [](std::uint32_t i) { return text_of(static_cast<SliceKind>(i)); });
          break;
        case HitColumn::track:
          ranks = ranks_of(trace.tracks.size(), [&](std::uint32_t i) { return trace.tracks[i].name.str(); });
          break;
        case HitColumn::start:
        case HitColumn::duration:
          break;
      }
    }
  }

  /// `track` is the slice's track.
  Entry entry_of(std::uint32_t slice, std::uint32_t track) const {
    Entry entry{{}, trace_.slices.start_ns[slice], slice};
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::int64_t key = key_of(order_[i].column, slice, track);
      entry.keys[i] = order_[i].descending ? ~key : key;
    }
    return entry;
  }

 private:
  std::int64_t key_of(std::size_t column, std::uint32_t slice, std::uint32_t track) const {
    switch (static_cast<HitColumn>(column)) {
      case HitColumn::name:
        return ranks_[column][index_of(trace_.slices.name[slice])];
      case HitColumn::kind:
        return ranks_[column][static_cast<std::size_t>(trace_.slices.kind[slice])];
      case HitColumn::track:
        return ranks_[column][track];
      case HitColumn::start:
        return trace_.slices.start_ns[slice];
      case HitColumn::duration:
        break;
    }
    return trace_.slices.duration_ns[slice];
  }

  const Trace& trace_;
  std::vector<TableOrder> order_;
  std::array<std::vector<std::uint32_t>, kHitColumnCount> ranks_;  // for columns with texts
};

}  // namespace

std::vector<SliceId> ordered_hits(const Trace& trace, const SliceSet& hits, std::span<const TableOrder> order,
                                  std::size_t limit, const std::stop_token& stop, unsigned threads) {
  if (limit == 0 || hits.word_count() == 0) return {};
  threads = thread_count_or_default(threads);
  const HitKeys keys(trace, order);
  std::vector<Least> least(threads, Least(limit));
  const std::size_t words = hits.word_count();
  parallel_for(
      threads, (words + kPieceWords - 1) / kPieceWords, stop, [&](std::size_t piece, unsigned worker) {
        Least& own = least[worker];
        std::uint32_t row = 0;
        std::uint32_t row_end = 0;
        const std::size_t last = std::min(words, (piece + 1) * kPieceWords);
        for (std::size_t word = piece * kPieceWords; word < last; ++word) {
          for (std::uint64_t bits = hits.word(word); bits != 0; bits &= bits - 1) {
            const auto slice =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
            if (slice >= row_end) {
              row = index_of(trace.row_of(SliceId{slice}));
              row_end = trace.rows[row].first_slice + trace.rows[row].slice_count;
            }
            own.add(keys.entry_of(slice, index_of(trace.rows[row].track)));
          }
        }
      });
  if (stop.stop_requested()) return {};
  std::vector<Entry> all;
  for (Least& own : least) all.insert(all.end(), own.entries().begin(), own.entries().end());
  const std::size_t count = std::min(limit, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  std::vector<SliceId> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) result.push_back(SliceId{all[i].slice});
  return result;
}

constexpr TableInfo kHitTable{.name = "hits", .title = msg::hits, .about = msg::about_hits};

Table hit_table(const Trace& trace, const SliceSet& hits, std::span<const TableOrder> order,
                std::size_t most_rows, const std::stop_token& stop) {
  const std::vector<SliceId> rows = ordered_hits(trace, hits, order, most_rows, stop);
  const std::uint64_t all = hits.count();
  Table table;
  table.name = kHitTable.name;
  table.title = kHitTable.title;
  table.definition = msg::one_row_per_slice_that_the;
  if (rows.size() < all)
    table.notes.emplace_back(msg::the_first_of_hits_in_this, grouped(rows.size()), grouped(all));
  table.texts_of(rows, "name", msg::name, msg::name_of_the_slice,
                 [&](SliceId hit) { return trace.name_of(hit); });
  table.text_column(rows, "kind", msg::kind, msg::kind_of_the_slice,
                    [&](SliceId hit) { return shown_name(trace.kind(hit)); });
  table.columns.back().export_only = true;
  table.texts_of(rows, "track", msg::track, msg::thread_or_stream_of_the_slice, [&](SliceId hit) {
    return trace.tracks[index_of(trace.rows[index_of(trace.row_of(hit))].track)].name.str();
  });
  table.integers_of(rows, "start_ns", msg::start, Unit::ns, msg::from_start_of_trace,
                    [&](SliceId hit) { return trace.slices.start_ns[index_of(hit)]; });
  table.integers_of(rows, "duration_ns", msg::duration, Unit::ns, msg::from_start_to_end_of_slice,
                    [&](SliceId hit) { return trace.slices.duration_ns[index_of(hit)]; });
  table.links.assign(rows.begin(), rows.end());
  return table;
}

}  // namespace kino
