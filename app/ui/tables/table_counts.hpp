// Numbers of rows of a few tables, for the tabs of a drawer: computed on the worker pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "app/system/background_result.hpp"
#include "app/ui/tables/table_results.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// UI thread only.
class TableCounts {
 public:
  TableCounts(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Requests the numbers of rows. Called once per frame. A computation under way is finished first, so that
  /// the numbers are updated while a range is dragged. `version` changes with `compute`; the old numbers are
  /// then dropped.
  void ask(const TableResults::Compute& compute, std::uint64_t version,
           const std::vector<TableResultQuery>& queries);
  /// Returns the number of rows of a table in its newest count. Nullopt before the first count, and if the
  /// table cannot be computed.
  std::optional<std::size_t> rows(const TableInfo& kind) const;
  bool running() const { return counted_.running() || (pending_ && *pending_ != done_); }

 private:
  struct Query {
    std::uint64_t version = 0;
    std::vector<TableResultQuery> tables;
    bool operator==(const Query&) const = default;
  };
  struct Counted {
    const TableInfo* kind = nullptr;
    std::optional<std::size_t> rows;
  };

  WorkerPool& pool_;
  std::function<void()> wake_;
  std::optional<Query> pending_;  // the newest query
  std::optional<Query> done_;     // the query of the newest count, or of the one under way
  BackgroundResult<std::vector<Counted>> counted_;
};

}  // namespace kino
