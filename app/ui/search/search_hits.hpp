// The hits of a search in a trace: found on the worker pool as the person types, walked in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/system/background_result.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/search/hit_table.hpp"
#include "core/trace/search/name_search.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// How far the search through arguments is, and whom to tell.
struct SearchProgress {
  ArgumentProgress arguments;
  std::function<void()> advanced = [] {};
};

/// A trace with what searches of it share; built by the first search.
class SearchedTrace {
 public:
  /// Without details nothing is found by arguments.
  explicit SearchedTrace(std::shared_ptr<const Trace> trace,
                         std::shared_ptr<const EventDetails> details = nullptr)
      : trace_(std::move(trace)), details_(std::move(details)) {}
  const Trace& trace() const { return *trace_; }
  const EventDetails* details() const { return details_.get(); }
  /// Thread-safe; the first call takes what SearchIndex says.
  const SearchIndex& index();
  /// EventDetails::sampled_fields(), once. Thread-safe.
  std::shared_ptr<const ArgumentFields> sampled_fields(const std::stop_token& stop);
  /// Whether events have arguments of this name. What the sample does not have is looked for in all events,
  /// once: EventDetails::all_fields(). Thread-safe.
  SearchQuery::Field field(const std::string& key, SearchProgress& progress, const std::stop_token& stop);

 private:
  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const EventDetails> details_;
  std::mutex fields_mutex_;
  std::shared_ptr<const ArgumentFields> fields_;  // guarded by fields_mutex_; null before the sample
  bool all_fields_ = false;                       // guarded by fields_mutex_; whether they are of all events
  std::once_flag built_;
  std::optional<SearchIndex> index_;  // written once under built_
};

/// What a query found.
struct SearchAnswer {
  Message error;                         ///< why the query means nothing, one sentence; empty when it does
  std::optional<std::size_t> error_at;   ///< the byte of the query where what it is about begins
  std::uint64_t total = 0;               ///< hits
  std::vector<SliceId> listed;           ///< the first ones by start, at most kMostListed
  std::shared_ptr<const SliceSet> hits;  ///< null with an error
  std::optional<SearchQuery> query;      ///< without an error
  static constexpr std::size_t kMostListed = 10'000;

  /// The hits, if telling them from the rest helps: null when there are none, or when everything is one.
  std::shared_ptr<const SliceSet> emphasised() const {
    return hits && total > 0 && total < hits->size() ? hits : nullptr;
  }
};

/// One hit and its place among all, counted from 0.
struct FoundHit {
  SliceId slice = kNoSlice;
  std::uint64_t place = 0;
};

/// Answers a query; costs what core/trace/search/name_search.hpp says and, when it asks for arguments, what
/// EventDetails::find() says. Unfinished once stop is requested.
SearchAnswer search_trace(SearchedTrace& searched, const std::string& query, const std::stop_token& stop,
                          SearchProgress* progress = nullptr);

/// The hit after (step 1) or before (-1) `from` by start, around the ends; with kNoSlice the first one at or
/// after `from_ns`, or the last one before it. Costs what core/trace/search/name_search.hpp says.
FoundHit neighbour_hit(const Trace& trace, const SearchQuery& query, SliceId from, std::int64_t from_ns,
                       int step, const std::stop_token& stop = {});

/// The newest query of one trace and its answer, and steps along the hits. UI thread only; the answer stays
/// until the next one is there.
class SearchHits {
 public:
  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  SearchHits(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
             WorkerPool& pool, std::function<void()> wake)
      : searched_(std::make_shared<SearchedTrace>(std::move(trace), std::move(details))),
        pool_(pool),
        wake_(std::move(wake)) {}

  /// Looks for `query`; an empty one finds nothing and forgets the answer.
  void ask(const std::string& query);
  /// Takes over an answer; true when it is another one. Once a frame.
  bool poll();
  /// Looks for the next (1) or previous (-1) hit, as soon as there is an answer. Steps that are asked for
  /// while an earlier one is under way go on from where that one ends, up to kMostSteps of them.
  void step(SliceId from, std::int64_t from_ns, int step);
  /// The hit a step has found, once; nullopt otherwise.
  std::optional<FoundHit> poll_step();

  bool running() const { return answer_.running(); }
  const Trace& trace() const { return searched_->trace(); }
  /// The names of arguments that can be asked for; null until they are known. Asks for them.
  const ArgumentFields* fields();
  /// The share of the text that has been searched for arguments, while that is under way.
  std::optional<double> arguments_searched() const;
  static constexpr std::size_t kMostSteps = 64;
  const std::string& query() const { return query_; }
  /// Null before the first answer and for an empty query.
  const SearchAnswer* answer() const;
  /// The same as answer(), to be kept by what is computed from it.
  std::shared_ptr<const SearchAnswer> shared_answer() const;
  /// How many hits touch each of `bins` equal parts of `range`, of the newest answer for which that is
  /// computed; empty without a search. Asks for them: once a frame.
  const std::vector<std::uint32_t>& hits_per_bin(TimeRange range, std::uint32_t bins);
  /// The place of `slice` among the hits, if it was stepped to or is listed. O(log listed).
  std::optional<std::uint64_t> place_of(SliceId slice) const;

 private:
  std::shared_ptr<SearchedTrace> searched_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::string query_;
  bool forgotten_ = false;  // the answer went away since the last poll()
  BackgroundResult<std::shared_ptr<const SearchAnswer>> answer_;
  std::shared_ptr<SearchProgress> progress_;
  BackgroundResult<FoundHit> step_;
  std::shared_ptr<const SearchAnswer> binned_answer_;  // what bins_ was asked for
  std::uint32_t binned_columns_ = 0;
  TimeRange binned_range_;
  BackgroundResult<std::vector<std::uint32_t>> bins_;
  FoundHit last_step_;
  struct Step {
    SliceId from = kNoSlice;
    std::int64_t from_ns = 0;
    int step = 0;
  };
  void start_step();
  std::deque<Step> steps_;  // that wait for the answer, or for the one before
  bool fields_asked_ = false;
  BackgroundResult<std::shared_ptr<const ArgumentFields>> fields_;
};

}  // namespace kino
