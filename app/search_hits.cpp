#include "app/search_hits.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace kino {
namespace {

/// How many hits come before `hit` by (start, id).
std::uint64_t hits_before(const Trace& trace, const SearchQuery& query, SliceId hit,
                          const std::stop_token& stop) {
  constexpr std::uint64_t kMostTies = 256;
  const std::int64_t start = trace.slices.start_ns[index_of(hit)];
  std::uint64_t before = 0;
  // Nothing starts before the trace, so what touches the time before the hit has started in it.
  if (start > trace.range.begin_ns) {
    const std::vector<std::uint32_t> bin = query.hits_per_bin({}, {trace.range.begin_ns, start}, 1, stop);
    if (!bin.empty()) before = bin.front();
  }
  SliceId at = hit;
  for (std::uint64_t ties = 0; ties < kMostTies; ++ties) {
    at = query.previous_hit({}, start, at, stop);
    if (at == kNoSlice || trace.slices.start_ns[index_of(at)] != start) break;
    ++before;
  }
  return before;
}

}  // namespace

const SearchIndex& SearchedTrace::index() {
  std::call_once(built_, [this] { index_.emplace(*trace_); });
  return *index_;
}

SearchAnswer search_trace(SearchedTrace& searched, const std::string& query, const std::stop_token& stop) {
  SearchAnswer answer;
  Result<SearchQuery> compiled = SearchQuery::compile(query, searched.index());
  if (!compiled.ok()) {
    answer.error = compiled.error().what;
    return answer;
  }
  if (stop.stop_requested()) return answer;
  answer.query = std::move(compiled).value();
  const Result<std::uint64_t> total = answer.query->count_hits(stop);
  if (!total.ok()) return answer;  // stopped
  answer.total = total.value();
  const Trace& trace = searched.trace();
  answer.name_matches.resize(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    answer.name_matches[i] = answer.query->matches_name(NameId{i});
  }
  const TimeRange all{std::numeric_limits<std::int64_t>::min() / 4,
                      std::numeric_limits<std::int64_t>::max() / 4};
  answer.listed = answer.query->first_hits({}, all, SearchAnswer::kMostListed, stop);
  return answer;
}

FoundHit neighbour_hit(const Trace& trace, const SearchQuery& query, SliceId from, std::int64_t from_ns,
                       int step, const std::stop_token& stop) {
  if (from != kNoSlice) from_ns = trace.slices.start_ns[index_of(from)];
  FoundHit found;
  if (step > 0) {
    found.slice = query.next_hit({}, from_ns, from, stop);
    if (found.slice == kNoSlice)
      found.slice = query.next_hit({}, std::numeric_limits<std::int64_t>::min(), kNoSlice, stop);
  } else {
    found.slice = query.previous_hit({}, from_ns, from, stop);
    if (found.slice == kNoSlice)
      found.slice = query.previous_hit({}, std::numeric_limits<std::int64_t>::max(), kNoSlice, stop);
  }
  if (found.slice != kNoSlice) found.place = hits_before(trace, query, found.slice, stop);
  return found;
}

void SearchHits::ask(const std::string& query) {
  if (query == query_) return;
  query_ = query;
  step_.reset();
  last_step_ = {};
  if (query.empty()) {
    answer_.reset();
    forgotten_ = true;
    return;
  }
  answer_.start(pool_, wake_, [searched = searched_, query](const std::stop_token& stop) {
    return std::make_shared<const SearchAnswer>(search_trace(*searched, query, stop));
  });
}

bool SearchHits::poll() {
  const bool taken = answer_.poll();
  return std::exchange(forgotten_, false) || taken;
}

void SearchHits::step(SliceId from, std::int64_t from_ns, int step) {
  if (step_.running() || answer() == nullptr || !answer()->query) return;
  step_.start(
      pool_, wake_,
      [searched = searched_, answer = *answer_.value(), from, from_ns, step](const std::stop_token& stop) {
        return neighbour_hit(searched->trace(), *answer->query, from, from_ns, step, stop);
      });
}

std::optional<FoundHit> SearchHits::poll_step() {
  if (!step_.poll() || step_.value() == nullptr || step_.value()->slice == kNoSlice) return std::nullopt;
  last_step_ = *step_.value();
  return last_step_;
}

const SearchAnswer* SearchHits::answer() const {
  return query_.empty() || answer_.value() == nullptr ? nullptr : answer_.value()->get();
}

std::optional<std::uint64_t> SearchHits::place_of(SliceId slice) const {
  const SearchAnswer* found = answer();
  if (found == nullptr || slice == kNoSlice) return std::nullopt;
  if (slice == last_step_.slice) return last_step_.place;
  const Trace& trace = searched_->trace();
  const auto key = [&](SliceId id) { return std::tuple(trace.slices.start_ns[index_of(id)], id); };
  const auto at = std::ranges::lower_bound(found->listed, key(slice), {}, key);
  if (at == found->listed.end() || *at != slice) return std::nullopt;
  return static_cast<std::uint64_t>(at - found->listed.begin());
}

std::vector<std::uint32_t> faded_colors(std::vector<std::uint32_t> colors, const std::vector<bool>& matches,
                                        std::uint32_t alpha) {
  for (std::size_t i = 0; i < colors.size(); ++i) {
    if (i < matches.size() && matches[i]) continue;
    const std::uint32_t own = colors[i] >> 24;
    colors[i] = (colors[i] & 0xffffffU) | (own * alpha / 255) << 24;
  }
  return colors;
}

}  // namespace kino
