// The selected rows of a table and their totals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/tables/table_grid.hpp"
#include "app/ui/tables/table_results.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/column_totals.hpp"

namespace kino {

struct SelectedRows {
  std::shared_ptr<const TableResult> answer;  ///< null: nothing can be selected
  std::vector<std::uint32_t> rows;            ///< in the order shown
  std::vector<ColumnTotals> totals;           ///< by column
};

/// Returns the rows of `shown` that are marked in `chosen`, which is indexed by row of the table. O(shown +
/// selected * columns).
SelectedRows selected_rows(std::shared_ptr<const TableResult> answer, const std::vector<std::uint32_t>& shown,
                           const std::vector<char>& chosen);

/// Gathers the rows that are selected in a grid. UI thread only; tables with more than kMostAtOnce rows are
/// processed on the pool.
class TableSelection {
 public:
  static constexpr std::size_t kMostAtOnce = 10'000;

  TableSelection(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Called once per frame. `rows` may be null; `generation` counts changes of `rows`.
  void update(const TableResults::Rows* rows, std::uint64_t generation, const TableGrid& grid);
  const SelectedRows& shown() const { return shown_; }
  bool running() const { return gathered_.running(); }

 private:
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::tuple<bool, std::uint64_t, std::uint64_t> input_;  // input of shown_ or gathered_
  BackgroundResult<SelectedRows> gathered_;
  SelectedRows shown_;
};

}  // namespace kino
