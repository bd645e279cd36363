// The table on display and its rows in order: computed on the worker pool, with recent tables cached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/system/background_result.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"
#include "core/memory/snapshot.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The snapshot to compare with. The pointer is weak, so that cached tables do not keep a closed snapshot
/// alive.
struct ComparedSnapshot {
  std::weak_ptr<const Snapshot> snapshot;
  std::size_t device = 0;
  EventIndex at = kBeforeRecording;
  bool operator==(const ComparedSnapshot& other) const {
    return !snapshot.owner_before(other.snapshot) && !other.snapshot.owner_before(snapshot) &&
           device == other.device && at == other.at;
  }
};

/// Identifies a table and its input. `group` is an index into the groups of `kind`.
struct TableResultQuery {
  const TableInfo* kind = nullptr;
  std::size_t group = 0;
  // For traces.
  std::optional<TimeRange> range;
  std::optional<std::int64_t> step;
  // For snapshots.
  std::size_t device = 0;
  EventIndex at = kBeforeRecording;
  std::optional<EventIndex> baseline;
  std::optional<ComparedSnapshot> compared;
  std::string find;
  ByteUnits units = ByteUnits::decimal;  ///< units of bytes in sentences
  /// The user's sort order, for tables that contain only the first rows in this order. Empty: the table's own
  /// order.
  std::vector<TableOrder> order;
  bool operator==(const TableResultQuery&) const = default;
  /// Whether `other` differs at most in the moments of the snapshot, for instance because the cursor is being
  /// dragged.
  bool only_moved(const TableResultQuery& other) const;
};

/// A table, or the reason why there is none.
struct TableResult {
  TableResultQuery question;
  Table table;
  Message problem;                           ///< one sentence; empty if there is a table
  std::uint64_t problem_offset = kNoOffset;  ///< byte of the query's text to which `problem` refers
};

/// Treatment of the rows of the previous computation when a new one replaces it.
enum class OldRows : std::uint8_t {
  drop,  ///< the rows refer to data that no longer exist
  keep,  ///< the rows remain on screen until the new ones are ready
};

/// Computes the table of the newest query, and sorts and filters its rows. UI thread only; all work is done
/// on the pool.
class TableResults {
 public:
  struct Rows {
    std::shared_ptr<const TableResult> answer;
    std::vector<std::uint32_t> order;  ///< rows of the table, filtered and in order
  };

  /// Computes a table. Called on the pool; owns its input.
  using Compute = std::function<Result<Table>(const TableResultQuery&, const std::stop_token&)>;

  TableResults(Compute compute, WorkerPool& pool, std::function<void()> wake)
      : compute_(std::move(compute)), pool_(pool), wake_(std::move(wake)) {}

  void set_compute(Compute compute, OldRows old);
  const Compute& compute() const { return compute_; }
  /// Requests a table, or takes it from the cache. Called once per frame while the table is shown. Only the
  /// newest query is computed, since ranges change often. If only the moment of a snapshot has changed, the
  /// table under way is finished and shown first, so that rows are updated while the cursor is dragged.
  void ask(const TableResultQuery& question);
  /// Sets order and filters from the next update() on.
  void set_order(const std::vector<TableOrder>& order, const std::string& filter,
                 const std::vector<ColumnFilter>& columns = {});
  /// Called once per frame. Returns true if rows() changed.
  bool update();

  /// The newest table and the order of its rows, possibly for an earlier query; null before the first table.
  const Rows* rows() const { return rows_.value(); }
  /// Whether rows() does not match the newest query, order or filters yet.
  bool running() const { return computed_.running() || next_ || rows_.running() || order_stale_; }
  /// Whether the newest query ran out of memory.
  bool failed() const { return computed_.failed() || rows_.failed(); }

 private:
  static constexpr std::size_t kMostCached = 24;

  void start(const TableResultQuery& question);
  void take(std::shared_ptr<const TableResult> answer);

  Compute compute_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::optional<TableResultQuery> requested_;
  std::optional<TableResultQuery> next_;  // query to start when the one under way is done
  BackgroundResult<std::shared_ptr<const TableResult>> computed_;
  std::list<std::shared_ptr<const TableResult>> cached_;  // newest first
  std::shared_ptr<const TableResult> answer_;
  std::vector<TableOrder> order_;
  std::string filter_;
  std::vector<ColumnFilter> columns_;
  bool order_stale_ = false;
  BackgroundResult<Rows> rows_;
};

/// Returns the function that computes tables of a trace. `analyses` owns the trace.
TableResults::Compute tables_of(std::shared_ptr<const RangeAnalyses> analyses);
/// Returns the input of tables_of(), which owns the trace.
std::shared_ptr<const RangeAnalyses> analyses_of(std::shared_ptr<const Trace> trace);

/// Returns a search query for the slices of this name. For a very long name, the query may also match other
/// slices.
std::string query_for_name(std::string_view name);

}  // namespace kino
