#include "core/trace/search/hit_order.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

constexpr std::size_t kPieceWords = 1024;

struct Entry {
  std::int64_t key = 0;
  std::int64_t start_ns = 0;
  std::uint32_t slice = 0;
  bool operator<(const Entry& other) const {
    return std::tie(key, start_ns, slice) < std::tie(other.key, other.start_ns, other.slice);
  }
};

/// Keeps the least `limit` of what is added.
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

/// By NameId: the place of the name among all in order.
std::vector<std::uint32_t> name_ranks(const Trace& trace) {
  std::vector<std::uint32_t> order(trace.names.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return trace.names[a] < trace.names[b]; });
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace

std::vector<SliceId> ordered_hits(const Trace& trace, const SliceSet& hits, HitOrder order, std::size_t limit,
                                  const std::stop_token& stop, unsigned threads) {
  if (limit == 0 || hits.word_count() == 0) return {};
  threads = thread_count_or_default(threads);
  std::vector<std::uint32_t> ranks;
  if (order.column == HitColumn::name) ranks = name_ranks(trace);
  const SliceColumns& slices = trace.slices;
  std::vector<Least> least(threads, Least(limit));
  const std::size_t words = hits.word_count();
  parallel_for(
      threads, (words + kPieceWords - 1) / kPieceWords, stop, [&](std::size_t piece, unsigned worker) {
        Least& own = least[worker];
        std::uint32_t row = 0;
        std::uint32_t row_end = 0;
        const auto key_of = [&](std::uint32_t slice) -> std::int64_t {
          switch (order.column) {
            case HitColumn::name:
              return ranks[index_of(slices.name[slice])];
            case HitColumn::track:
              if (slice >= row_end) {
                row = index_of(trace.row_of(SliceId{slice}));
                row_end = trace.rows[row].first_slice + trace.rows[row].slice_count;
              }
              return index_of(trace.rows[row].track);
            case HitColumn::start:
              return slices.start_ns[slice];
            case HitColumn::duration:
              break;
          }
          return slices.duration_ns[slice];
        };
        const std::size_t last = std::min(words, (piece + 1) * kPieceWords);
        for (std::size_t word = piece * kPieceWords; word < last; ++word) {
          for (std::uint64_t bits = hits.word(word); bits != 0; bits &= bits - 1) {
            const auto slice =
                static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
            const std::int64_t key = key_of(slice);
            own.add({order.ascending ? key : ~key, slices.start_ns[slice], slice});
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

}  // namespace kino
