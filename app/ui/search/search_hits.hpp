// The hits of a search in a trace: found on the worker pool while the user types, and stepped through by
// time.
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

/// Progress of a search through arguments, and a callback for each advance.
struct SearchProgress {
  ArgumentProgress arguments;
  std::function<void()> advanced = [] {};
};

/// A trace with the index and field names that its searches share. The first search builds them.
class SearchedTrace {
 public:
  /// Without details, arguments cannot be searched.
  explicit SearchedTrace(std::shared_ptr<const Trace> trace,
                         std::shared_ptr<const EventDetails> details = nullptr)
      : trace_(std::move(trace)), details_(std::move(details)) {}
  const Trace& trace() const { return *trace_; }
  const EventDetails* details() const { return details_.get(); }
  /// Thread-safe. The first call builds the index; see SearchIndex for its cost.
  const SearchIndex& index();
  /// EventDetails::sampled_fields(), computed once. Thread-safe.
  std::shared_ptr<const ArgumentFields> sampled_fields(const std::stop_token& stop);
  /// Returns whether events have arguments of this name and, if they do not, a similar name. If the name is
  /// not in the sample, the first such call reads the names of all events: EventDetails::all_fields().
  /// Thread-safe.
  SearchQuery::Field field(const std::string& key, SearchProgress& progress, const std::stop_token& stop);

 private:
  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const EventDetails> details_;
  std::mutex fields_mutex_;
  std::shared_ptr<const ArgumentFields> fields_;  // guarded by fields_mutex_; null before the sample
  bool all_fields_ = false;                       // guarded by fields_mutex_; fields_ covers all events
  std::once_flag built_;
  std::optional<SearchIndex> index_;  // written once under built_
};

struct SearchResult {
  Message error;                         ///< sentence on why there is no result; empty if there is a result
  std::optional<std::size_t> error_at;   ///< start of the invalid part, as a byte of the query
  std::uint64_t total = 0;               ///< number of hits
  std::int64_t total_ns = 0;             ///< time of the hits; nested hits of a track count once
  std::vector<SliceId> listed;           ///< the first hits by start, at most kMostListed
  std::shared_ptr<const SliceSet> hits;  ///< null after an error
  std::optional<SearchQuery> query;      ///< absent after an error
  static constexpr std::size_t kMostListed = 10'000;

  /// Returns the hits to be emphasized: null if there are none, or if every slice is a hit.
  std::shared_ptr<const SliceSet> emphasised() const {
    return hits && total > 0 && total < hits->size() ? hits : nullptr;
  }
};

/// The slices of one name among the hits of a query.
struct FoundName {
  std::string name;
  std::optional<SliceKind> kind;  ///< nullopt if the slices have different kinds
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
};

/// The names among the hits of a query.
struct FoundNames {
  std::string query;
  Message error;  ///< sentence on why there is no result; empty if there is a result
  std::uint64_t total = 0;
  std::int64_t total_ns = 0;
  std::vector<FoundName> names;  ///< most total time first, at most kMost
  static constexpr std::size_t kMost = 8;
};

/// A hit and its index among all hits.
struct FoundHit {
  SliceId slice = kNoSlice;
  std::uint64_t place = 0;
};

/// Searches a trace. For the cost see core/trace/search/name_search.hpp and, for queries on arguments,
/// EventDetails::find().
SearchResult search_trace(SearchedTrace& searched, const std::string& query, const std::stop_token& stop,
                          SearchProgress* progress = nullptr);

/// Searches a trace and sums the hits by name. Costs as much as search_trace(), plus O(hits + names).
FoundNames find_names(SearchedTrace& searched, const std::string& query, const std::stop_token& stop);

/// Returns the hit after (step 1) or before (step -1) `from` in the order of start, wrapping around. If
/// `from` is kNoSlice: the first hit at or after `from_ns`, or the last one before `from_ns`. For the cost
/// see core/trace/search/name_search.hpp.
FoundHit neighbor_hit(const Trace& trace, const SearchQuery& query, SliceId from, std::int64_t from_ns,
                      int step, const std::stop_token& stop = {});

/// The newest query of one trace, its result, and steps through the hits. UI thread only. A result remains
/// until the next one is ready.
class SearchHits {
 public:
  SearchHits(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
             WorkerPool& pool, std::function<void()> wake)
      : searched_(std::make_shared<SearchedTrace>(std::move(trace), std::move(details))),
        pool_(pool),
        wake_(std::move(wake)) {}

  /// Starts a query. An empty query clears the result.
  void ask(const std::string& query);
  /// Takes over a finished result; returns true if the result changed. Called once per frame.
  bool poll();
  /// Finds the next (step 1) or previous (step -1) hit as soon as the query has a result. A step requested
  /// during another step continues from the hit of that step. At most kMostSteps are queued.
  void step(SliceId from, std::int64_t from_ns, int step);
  /// Returns the hit of a finished step, once; nullopt if no step has finished.
  std::optional<FoundHit> poll_step();

  bool running() const { return answer_.running(); }
  const Trace& trace() const { return searched_->trace(); }
  /// Returns the names that match a query, which need not be the one of ask(); null before the first result.
  /// Until the result is ready, returns the one of an earlier query.
  const FoundNames* names(const std::string& query);
  bool finding_names() const { return names_.running(); }
  /// Names of searchable arguments; null until they are known. The first call starts to collect them.
  const ArgumentFields* fields();
  /// Share of the file searched for arguments; nullopt unless such a search is under way.
  std::optional<double> arguments_searched() const;
  static constexpr std::size_t kMostSteps = 64;
  const std::string& query() const { return query_; }
  /// Result of the query; null before the first result and for an empty query.
  const SearchResult* answer() const;
  /// answer() with shared ownership.
  std::shared_ptr<const SearchResult> shared_answer() const;
  /// Number of hits that overlap each of `bins` equal parts of `range`. Computed on the pool: until the
  /// newest counts are ready, returns those of an earlier query or range. Empty without a search, and if no
  /// slice or every slice is a hit. Call once per frame.
  const std::vector<std::uint32_t>& hits_per_bin(TimeRange range, std::uint32_t bins);
  /// Index of `slice` among the hits, if it is listed or was the last step. O(log listed).
  std::optional<std::uint64_t> place_of(SliceId slice) const;

 private:
  std::shared_ptr<SearchedTrace> searched_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::string query_;
  bool forgotten_ = false;  // the result was cleared since the last poll()
  BackgroundResult<std::shared_ptr<const SearchResult>> answer_;
  std::shared_ptr<SearchProgress> progress_;
  BackgroundResult<FoundHit> step_;
  std::shared_ptr<const SearchResult> binned_answer_;  // the input of bins_
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
  std::deque<Step> steps_;  // pending until the query has a result and the step before is done
  BackgroundResult<FoundNames> names_;
  std::string names_query_;  // the query that names_ was started with
  bool fields_asked_ = false;
  BackgroundResult<std::shared_ptr<const ArgumentFields>> fields_;
};

}  // namespace kino
