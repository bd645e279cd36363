// The table that a person looks at and its rows in order: computed on the worker pool, kept for a while.
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

/// What a snapshot is compared with. Closing the other one frees it, whatever tables are kept.
struct ComparedSnapshot {
  std::weak_ptr<const Snapshot> snapshot;
  std::size_t device = 0;
  EventIndex at = kBeforeRecording;
  bool operator==(const ComparedSnapshot& other) const {
    return !snapshot.owner_before(other.snapshot) && !other.snapshot.owner_before(snapshot) &&
           device == other.device && at == other.at;
  }
};

/// Which table of what. The group is an index into those of the kind.
struct TableQuestion {
  const TableInfo* kind = nullptr;
  std::size_t group = 0;
  // Of a trace.
  std::optional<TimeRange> range;
  std::optional<std::int64_t> step;
  // Of a snapshot.
  std::size_t device = 0;
  EventIndex at = kBeforeRecording;
  std::optional<EventIndex> baseline;
  std::optional<ComparedSnapshot> compared;
  std::string find;
  ByteUnits units = ByteUnits::decimal;  ///< of its sentences
  /// For tables that contain only the first rows in the order that the user wants. Empty: their own order.
  std::vector<TableOrder> order;
  bool operator==(const TableQuestion&) const = default;
  /// Whether it is the same question at another moment of the snapshot, as while the cursor moves.
  bool only_moved(const TableQuestion& other) const;
};

/// A table, or why there is none.
struct TableAnswer {
  TableQuestion question;
  Table table;
  Message problem;  ///< one sentence; empty when there is a table
};

/// Treatment of the rows of the previous computation when a new one replaces it.
enum class OldRows : std::uint8_t {
  drop,  ///< they lead into something that is no longer there
  keep,  ///< they stay on screen until the new ones are known
};

/// UI thread only; all work is done on the pool.
class TableResults {
 public:
  struct Rows {
    std::shared_ptr<const TableAnswer> answer;
    std::vector<std::uint32_t> order;  ///< rows of the table that are shown
  };

  /// Called on the pool; owns what it reads.
  using Compute = std::function<Result<Table>(const TableQuestion&, const std::stop_token&)>;

  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  TableResults(Compute compute, WorkerPool& pool, std::function<void()> wake)
      : compute_(std::move(compute)), pool_(pool), wake_(std::move(wake)) {}

  /// Replaces the computation: the same question is asked again.
  void set_compute(Compute compute, OldRows old);
  /// Once a frame, while the table is shown: asks for another table, or takes one it has kept. Ranges change
  /// often: only the newest question is computed. If only the moment has moved, the table under way is shown
  /// before the newest one, so that rows change while the cursor is dragged.
  void ask(const TableQuestion& question);
  /// How the rows are shown from the next update() on.
  void set_order(const std::vector<TableOrder>& order, const std::string& filter,
                 const std::vector<ColumnFilter>& columns = {});
  /// Once a frame; true when rows() are others.
  bool update();

  /// The newest answer in order, which may be to an earlier question; null before the first.
  const Rows* rows() const { return rows_.value(); }
  /// Whether rows() are not what was asked for yet.
  bool running() const { return computed_.running() || next_ || rows_.running() || order_stale_; }
  /// Whether there was not enough memory for what was asked.
  bool failed() const { return computed_.failed() || rows_.failed(); }

 private:
  static constexpr std::size_t kKept = 24;

  void start(const TableQuestion& question);
  void take(std::shared_ptr<const TableAnswer> answer);

  Compute compute_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::optional<TableQuestion> asked_;
  std::optional<TableQuestion> next_;  // asked when the one under way is done
  BackgroundResult<std::shared_ptr<const TableAnswer>> computed_;
  std::list<std::shared_ptr<const TableAnswer>> kept_;  // the newest first
  std::shared_ptr<const TableAnswer> answer_;
  std::vector<TableOrder> order_;
  std::string filter_;
  std::vector<ColumnFilter> columns_;
  bool order_stale_ = false;
  BackgroundResult<Rows> rows_;
};

/// Computes tables of a trace. `analyses` keep it.
TableResults::Compute tables_of(std::shared_ptr<const RangeAnalyses> analyses);
/// What tables_of() needs, with the trace.
std::shared_ptr<const RangeAnalyses> analyses_of(std::shared_ptr<const Trace> trace);

/// What to type into the search so that it finds the slices of this name, and, where the search's
/// expressions allow, no others.
std::string query_for_name(std::string_view name);

}  // namespace kino
