// The tables of a snapshot in the window: their computation, queries and styles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/ui/tables/table_grid.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

inline constexpr std::array<const TableInfo*, 1> kLiveKinds{&kLiveTable};

/// Returns a function that computes the tables of snapshot_table_kinds(). The comparison is with the snapshot
/// that the query names. `categories` may be null.
TableResults::Compute tables_of(std::shared_ptr<const Snapshot> snapshot,
                                std::shared_ptr<SnapshotCategories> categories);

/// Returns a query for the shown device and, if the table supports them, for the cursor's moment and the
/// baseline.
TableResultQuery snapshot_query(const SnapshotState& state, const TableInfo& kind);

/// Style of rows that lead to allocations. A row has the color of its allocation, and the row of the selected
/// allocation is marked.
class AllocationRowStyle : public RowStyle {
 public:
  using ColorOf = std::function<std::uint32_t(AllocationId)>;
  /// Returns the group of an allocation. Allocations with equal groups belong to one row.
  using GroupOf = std::uint64_t (*)(const Allocations& all, AllocationId id);
  static std::uint64_t itself(const Allocations& all, AllocationId id);

  /// `state` and `color_of` must outlive the style.
  AllocationRowStyle(const SnapshotState& state, const ColorOf& color_of, GroupOf group_of = itself)
      : state_(state), color_of_(color_of), group_of_(group_of) {}
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override;
  std::uint32_t number_color(const Table& table, std::size_t column, std::uint32_t row,
                             const Theme& theme) const override;
  bool is_marked(const Table& table, std::uint32_t row) const override;

 private:
  const SnapshotState& state_;
  const ColorOf& color_of_;
  GroupOf group_of_;
};

}  // namespace kino
