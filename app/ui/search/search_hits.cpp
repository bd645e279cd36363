#include "app/ui/search/search_hits.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

template <class Visit>
void for_each_hit(const SliceSet& hits, const Visit& visit) {
  const auto end = static_cast<std::uint32_t>(hits.size());
  for (std::uint32_t slice = hits.first_in(0, end); slice < end; slice = hits.first_in(slice + 1, end))
    visit(SliceId{slice});
}

/// Returns the number of hits that precede `hit` in the order of (start, id). Counts at most kMostTies hits
/// with the same start.
std::uint64_t hits_before(const Trace& trace, const SearchQuery& query, SliceId hit,
                          const std::stop_token& stop) {
  constexpr std::uint64_t kMostTies = 256;
  const std::int64_t start = trace.start_ns(hit);
  std::uint64_t before = 0;
  // No slice starts before the trace, so a hit that overlaps the time before `start` also starts before it.
  if (start > trace.range.begin_ns) {
    const std::vector<std::uint32_t> bin = query.hits_per_bin({}, {trace.range.begin_ns, start}, 1, stop);
    if (!bin.empty()) before = bin.front();
  }
  SliceId at = hit;
  for (std::uint64_t ties = 0; ties < kMostTies; ++ties) {
    at = query.previous_hit({}, start, at, stop);
    if (at == kNoSlice || trace.start_ns(at) != start) break;
    ++before;
  }
  return before;
}

}  // namespace

const SearchIndex& SearchedTrace::index() {
  std::call_once(built_, [this] { index_.emplace(*trace_); });
  return *index_;
}

std::shared_ptr<const ArgumentFields> SearchedTrace::sampled_fields(const std::stop_token& stop) {
  const std::lock_guard lock(fields_mutex_);
  if (fields_ == nullptr && details_ != nullptr) {
    auto sampled = std::make_shared<const ArgumentFields>(details_->sampled_fields(stop));
    if (stop.stop_requested()) return sampled;
    fields_ = std::move(sampled);
  }
  return fields_ != nullptr ? fields_ : std::make_shared<const ArgumentFields>();
}

SearchQuery::Field SearchedTrace::field(const std::string& key, SearchProgress& progress,
                                        const std::stop_token& stop) {
  // Without details, names cannot be checked; the search itself reports why.
  if (details_ == nullptr || sampled_fields(stop)->has(key)) return {};
  const std::lock_guard lock(fields_mutex_);
  if (!all_fields_ && !stop.stop_requested()) {
    Result<ArgumentFields> all = details_->all_fields(progress.arguments, progress.advanced, stop);
    progress.arguments.bytes = 0;
    progress.arguments.total_bytes = 0;
    if (!all.ok()) return {};
    fields_ = std::make_shared<const ArgumentFields>(std::move(all).value());
    all_fields_ = true;
  }
  if (stop.stop_requested() || fields_->has(key)) return {};
  ArgumentFields known = *fields_;
  for (const char* name : {"name", "cat", "kind", "track", "shape", "dims", "args"}) known.add(name);
  return {false, known.nearest(key)};
}

namespace {

/// Restricts the hits to slices with the requested arguments. Returns a sentence if the arguments cannot be
/// read.
std::optional<Message> apply_arguments(SearchedTrace& searched, SearchQuery& query, SearchProgress& progress,
                                       const std::stop_token& stop) {
  if (searched.details() == nullptr) return msg::arguments_not_available;
  Result<SliceSet> found = searched.details()->find(
      query.argument_terms(), [&query](SliceId slice) { return query.matches_but_arguments(slice); },
      progress.arguments, progress.advanced, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (!found.ok()) return found.error().what;
  query.restrict_to(std::make_shared<const SliceSet>(std::move(found).value()));
  return std::nullopt;
}

/// Returns the time that the hits cover. Nested and overlapping hits of a track count once.
/// Unspecified if stopped. O(hits log hits).
std::int64_t covered_ns(const Trace& trace, const SliceSet& hits, const std::stop_token& stop) {
  constexpr std::size_t kStopEvery = 16384;
  std::vector<std::int64_t> ends(trace.tracks.size(), std::numeric_limits<std::int64_t>::min());
  std::vector<SliceId> sorted;
  sorted.reserve(hits.count());
  for_each_hit(hits, [&](SliceId slice) { sorted.push_back(slice); });
  std::ranges::sort(sorted, {}, [&](SliceId slice) { return trace.start_ns(slice); });
  std::int64_t sum = 0;
  std::size_t visited = 0;
  for (const SliceId slice : sorted) {
    if (++visited % kStopEvery == 0 && stop.stop_requested()) break;
    std::int64_t& end = ends[index_of(trace.track_of(slice))];
    const std::int64_t begin = std::max(end, trace.start_ns(slice));
    if (trace.end_ns(slice) <= begin) continue;
    end = trace.end_ns(slice);
    add_saturating(sum, saturating_subtract(end, begin));
  }
  return sum;
}

}  // namespace

SearchResult search_trace(SearchedTrace& searched, const std::string& query, const std::stop_token& stop,
                          SearchProgress* progress) {
  SearchResult answer;
  SearchProgress own;
  if (progress == nullptr) progress = &own;
  Result<SearchQuery> compiled =
      SearchQuery::compile(query, searched.index(), 0,
                           [&](const std::string& key) { return searched.field(key, *progress, stop); });
  if (!compiled.ok()) {
    answer.error = compiled.error().what;
    if (compiled.error().offset != kNoOffset)
      answer.error_at = static_cast<std::size_t>(compiled.error().offset);
    return answer;
  }
  if (stop.stop_requested()) return answer;
  answer.query = std::move(compiled).value();
  if (!answer.query->argument_terms().empty()) {
    if (auto problem = apply_arguments(searched, *answer.query, *progress, stop)) {
      answer.error = std::move(*problem);
      answer.query.reset();
      return answer;
    }
    if (stop.stop_requested()) return answer;
  }
  Result<SliceSet> hits = answer.query->hit_set(stop);
  if (!hits.ok()) return answer;  // stopped
  answer.hits = std::make_shared<const SliceSet>(std::move(hits).value());
  answer.total = answer.hits->count();
  answer.total_ns = covered_ns(searched.trace(), *answer.hits, stop);
  answer.listed = ordered_hits(searched.trace(), *answer.hits, {}, SearchResult::kMostListed, stop);
  return answer;
}

FoundNames find_names(SearchedTrace& searched, const std::string& query, const std::stop_token& stop) {
  SearchResult answer = search_trace(searched, query, stop);
  FoundNames found{.query = query,
                   .error = std::move(answer.error),
                   .total = answer.total,
                   .total_ns = answer.total_ns,
                   .names = {}};
  if (answer.hits == nullptr || stop.stop_requested()) return found;
  const Trace& trace = searched.trace();
  struct Sum {
    std::uint64_t count = 0;
    std::int64_t total_ns = 0;
    SliceKind kind{};
    bool mixed = false;
  };
  std::vector<Sum> sums(trace.names.size());
  for_each_hit(*answer.hits, [&](SliceId slice) {
    Sum& sum = sums[index_of(trace.name(slice))];
    if (sum.count == 0) sum.kind = trace.kind(slice);
    sum.mixed = sum.mixed || sum.kind != trace.kind(slice);
    ++sum.count;
    add_saturating(sum.total_ns, trace.duration_ns(slice));
  });
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count > 0) order.push_back(i);
  }
  const std::size_t shown = std::min(order.size(), FoundNames::kMost);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), [&](auto a, auto b) {
    return std::tuple(sums[b].total_ns, sums[b].count, a) < std::tuple(sums[a].total_ns, sums[a].count, b);
  });
  found.names.reserve(shown);
  for (const std::uint32_t i : std::span(order).first(shown)) {
    const Sum& sum = sums[i];
    found.names.push_back({std::string(trace.names[i]), sum.mixed ? std::nullopt : std::optional(sum.kind),
                           sum.count, sum.total_ns});
  }
  return found;
}

FoundHit neighbor_hit(const Trace& trace, const SearchQuery& query, SliceId from, std::int64_t from_ns,
                      int step, const std::stop_token& stop) {
  if (from != kNoSlice) from_ns = trace.start_ns(from);
  FoundHit found;
  const auto neighbor = [&](std::int64_t at_ns, SliceId at) {
    return step > 0 ? query.next_hit({}, at_ns, at, stop) : query.previous_hit({}, at_ns, at, stop);
  };
  using Limits = std::numeric_limits<std::int64_t>;
  found.slice = neighbor(from_ns, from);
  if (found.slice == kNoSlice) found.slice = neighbor(step > 0 ? Limits::min() : Limits::max(), kNoSlice);
  if (found.slice != kNoSlice) found.place = hits_before(trace, query, found.slice, stop);
  return found;
}

void SearchHits::ask(const std::string& query) {
  if (query == query_) return;
  query_ = query;
  step_.reset();
  steps_.clear();
  last_step_ = {};
  if (query.empty()) {
    answer_.reset();
    forgotten_ = true;
    return;
  }
  progress_ = std::make_shared<SearchProgress>();
  progress_->advanced = wake_;
  answer_.start(
      pool_, wake_, [searched = searched_, progress = progress_, query](const std::stop_token& stop) {
        return std::make_shared<const SearchResult>(search_trace(*searched, query, stop, progress.get()));
      });
}

bool SearchHits::poll() {
  names_.poll();
  const bool taken = answer_.poll() != nullptr;
  start_step();
  return std::exchange(forgotten_, false) || taken;
}

void SearchHits::step(SliceId from, std::int64_t from_ns, int step) {
  if (steps_.size() < kMostSteps) steps_.push_back({from, from_ns, step});
  start_step();
}

void SearchHits::start_step() {
  if (steps_.empty() || answer_.running() || step_.running()) return;
  const Step next = steps_.front();
  steps_.pop_front();
  if (answer() == nullptr || !answer()->query) {
    steps_.clear();
    return;
  }
  step_.start(
      pool_, wake_, [searched = searched_, answer = *answer_.value(), next](const std::stop_token& stop) {
        return neighbor_hit(searched->trace(), *answer->query, next.from, next.from_ns, next.step, stop);
      });
}

std::optional<FoundHit> SearchHits::poll_step() {
  const FoundHit* found = step_.poll();
  if (found == nullptr) return std::nullopt;
  if (found->slice == kNoSlice) {
    steps_.clear();
    return std::nullopt;
  }
  last_step_ = *found;
  // Queued steps continue from this hit, which was unknown when they were requested.
  for (Step& waiting : steps_) waiting.from = found->slice;
  start_step();
  return last_step_;
}

const FoundNames* SearchHits::names(const std::string& query) {
  if (std::exchange(names_query_, query) != query) {
    if (query.empty()) {
      names_.reset();
    } else {
      names_.start(pool_, wake_, [searched = searched_, query](const std::stop_token& stop) {
        return find_names(*searched, query, stop);
      });
    }
  }
  return names_.value();
}

const ArgumentFields* SearchHits::fields() {
  if (!std::exchange(fields_asked_, true)) {
    fields_.start(pool_, wake_, [searched = searched_](const std::stop_token& stop) {
      return searched->sampled_fields(stop);
    });
  }
  fields_.poll();
  return fields_.value() != nullptr ? fields_.value()->get() : nullptr;
}

std::optional<double> SearchHits::arguments_searched() const {
  if (!answer_.running() || !progress_) return std::nullopt;
  const std::uint64_t total = progress_->arguments.total_bytes;
  if (total == 0) return std::nullopt;
  return static_cast<double>(progress_->arguments.bytes) / static_cast<double>(total);
}

std::shared_ptr<const SearchResult> SearchHits::shared_answer() const {
  return answer() == nullptr ? nullptr : *answer_.value();
}

const std::vector<std::uint32_t>& SearchHits::hits_per_bin(TimeRange range, std::uint32_t bins) {
  static const std::vector<std::uint32_t> none;
  std::shared_ptr<const SearchResult> wanted = shared_answer();
  if (wanted != nullptr && (!wanted->query || wanted->emphasised() == nullptr)) wanted = nullptr;
  bins_.poll();
  if (wanted == nullptr) {
    bins_.reset();
    binned_answer_.reset();
    return none;
  }
  if (wanted != binned_answer_ || bins != binned_columns_ || range != binned_range_) {
    binned_answer_ = wanted;
    binned_columns_ = bins;
    binned_range_ = range;
    bins_.start(pool_, wake_, [searched = searched_, wanted, range, bins](const std::stop_token& stop) {
      return wanted->query->hits_per_bin({}, range, bins, stop);
    });
  }
  return bins_.value() != nullptr ? *bins_.value() : none;
}

const SearchResult* SearchHits::answer() const {
  return query_.empty() || answer_.value() == nullptr ? nullptr : answer_.value()->get();
}

std::optional<std::uint64_t> SearchHits::place_of(SliceId slice) const {
  const SearchResult* found = answer();
  if (found == nullptr || slice == kNoSlice) return std::nullopt;
  if (slice == last_step_.slice) return last_step_.place;
  const Trace& trace = searched_->trace();
  const auto key = [&](SliceId id) { return std::tuple(trace.start_ns(id), id); };
  const auto at = std::ranges::lower_bound(found->listed, key(slice), {}, key);
  if (at == found->listed.end() || *at != slice) return std::nullopt;
  return static_cast<std::uint64_t>(at - found->listed.begin());
}

}  // namespace kino
