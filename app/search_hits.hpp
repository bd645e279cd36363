// The hits of a search in a trace: found on the worker pool as the person types, walked in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/background_result.hpp"
#include "core/name_search.hpp"
#include "core/trace.hpp"
#include "core/worker_pool.hpp"

namespace kino {

/// A trace with what searches of it share; built by the first search.
class SearchedTrace {
 public:
  explicit SearchedTrace(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}
  const Trace& trace() const { return *trace_; }
  /// Thread-safe; the first call takes what SearchIndex says.
  const SearchIndex& index();

 private:
  std::shared_ptr<const Trace> trace_;
  std::once_flag built_;
  std::optional<SearchIndex> index_;  // written once under built_
};

/// What a query found.
struct SearchAnswer {
  std::string error;                 ///< why the query means nothing, one sentence; empty when it does
  std::uint64_t total = 0;           ///< hits
  std::vector<SliceId> listed;       ///< the first ones by start, at most kMostListed
  std::vector<bool> name_matches;    ///< by NameId: whether slices of that name may be hits
  std::optional<SearchQuery> query;  ///< without an error
  static constexpr std::size_t kMostListed = 10'000;
};

/// One hit and its place among all, counted from 0.
struct FoundHit {
  SliceId slice = kNoSlice;
  std::uint64_t place = 0;
};

/// Answers a query; costs what core/name_search.hpp says. Unfinished once stop is requested.
SearchAnswer search_trace(SearchedTrace& searched, const std::string& query, const std::stop_token& stop);

/// The hit after (step 1) or before (-1) `from` by start, around the ends; with kNoSlice the first one at or
/// after `from_ns`, or the last one before it. Costs what core/name_search.hpp says.
FoundHit neighbour_hit(const Trace& trace, const SearchQuery& query, SliceId from, std::int64_t from_ns,
                       int step, const std::stop_token& stop = {});

/// The palette with the names that do not match faded: to `alpha` of 255.
std::vector<std::uint32_t> faded_colors(std::vector<std::uint32_t> colors, const std::vector<bool>& matches,
                                        std::uint32_t alpha);

/// The newest query of one trace and its answer, and steps along the hits. UI thread only; the answer stays
/// until the next one is there.
class SearchHits {
 public:
  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  SearchHits(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
      : searched_(std::make_shared<SearchedTrace>(std::move(trace))), pool_(pool), wake_(std::move(wake)) {}

  /// Looks for `query`; an empty one finds nothing and forgets the answer.
  void ask(const std::string& query);
  /// Takes over an answer; true when it is another one. Once a frame.
  bool poll();
  /// Looks for the next (1) or previous (-1) hit; nothing while an earlier step is under way.
  void step(SliceId from, std::int64_t from_ns, int step);
  /// The hit a step has found, once; nullopt otherwise.
  std::optional<FoundHit> poll_step();

  bool running() const { return answer_.running(); }
  /// Null before the first answer and for an empty query.
  const SearchAnswer* answer() const;
  /// The place of `slice` among the hits, if it was stepped to or is listed. O(log listed).
  std::optional<std::uint64_t> place_of(SliceId slice) const;

 private:
  std::shared_ptr<SearchedTrace> searched_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::string query_;
  bool forgotten_ = false;  // the answer went away since the last poll()
  BackgroundResult<std::shared_ptr<const SearchAnswer>> answer_;
  BackgroundResult<FoundHit> step_;
  FoundHit last_step_;
};

}  // namespace kino
