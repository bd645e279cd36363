// Declarations of tables: name, title, groups and computation, once for each table beside its computation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A way to group the rows of a table.
struct TableGroup {
  std::string_view name;  ///< for --group
  msg::Id title;
  std::span<const std::string_view> keys = {};  ///< as TableInfo::keys, of rows that are grouped so
  // NOLINTNEXTLINE(google-explicit-constructor): it is asked for by its name.
  constexpr operator std::string_view() const { return name; }
};

/// The request for one table.
struct TableQuery {
  std::size_t group = 0;                   ///< index into the table's groups
  std::optional<std::string> stream = {};  ///< number of a stream, if the table supports it
  ByteUnits units = ByteUnits::decimal;    ///< for amounts of memory in texts
};

/// One row of a computed table. `example` is the slice that the row leads to.
struct RowQuery {
  const Table& table;
  std::uint32_t row = 0;
  SliceId example = kNoSlice;
  std::size_t group = 0;
};

/// The options that a table supports besides range, step and group.
struct TableOptions {
  bool stream = false;    ///< --stream
  bool moment = false;    ///< --at
  bool since = false;     ///< --since
  bool find = false;      ///< --find
  bool actions = false;   ///< --find action:x
  bool settings = false;  ///< --set
};

/// The description of a table, without its computation. All members are constant and static. Six lists
/// contain all tables: of a trace (core/tables/analysis/trace_tables.hpp), of a snapshot
/// (core/memory/tables/snapshot_table_kinds.hpp), of a set of snapshots
/// (core/memory/snapshot_set/snapshot_set_tables.hpp), of a job (core/job/tables/job_tables.hpp), of a hang
/// (core/job/flight/hang_tables.hpp) and of a comparison (core/tables/compare/comparison_tables.hpp). The window, the
/// command line, reports and translations read these lists.
struct TableInfo {
  std::string_view name;                    ///< of the command line: "kernels"
  msg::Id title;                            ///< in lists
  msg::Id heading = msg::nothing;           ///< of the list's part that contains it
  msg::Id about;                            ///< for the help: what its rows are
  std::span<const TableGroup> groups = {};  ///< for --group; the first one is the default; may be empty
  /// Keys of columns, of tables without groups: rows of two runs are the same where these are equal. Empty:
  /// rows are of one run alone.
  std::span<const std::string_view> keys = {};
  TableOptions supports = {};

  std::span<const std::string_view> keys_of(std::size_t group) const {
    return groups.empty() ? keys : groups[group].keys;
  }
  /// Returns the index of the group, 0 for an empty name, nullopt if the table has no such group.
  constexpr std::optional<std::size_t> group_named(std::string_view group) const {
    if (group.empty()) return 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].name == group) return i;
    }
    return std::nullopt;
  }
};

/// A table that is computed from a `Scope`, which the module of the table defines or knows:
/// `extern const TableKind<GpuParts> kLaunchTable;` in the header of its computation.
template <class Scope>
struct TableKind : TableInfo {
  Table (*compute)(const Scope& scope, const TableQuery& query, const std::stop_token& stop) = nullptr;
  /// Returns the slices that a row sums up, in no particular order. Null if rows are no such sums. Not called
  /// for rows that lead to no slice.
  std::vector<SliceId> (*instances)(const Scope& scope, const RowQuery& query,
                                    const std::stop_token& stop) = nullptr;
};

/// Returns the table of this name, or null. `kinds`: pointers to TableInfo or to TableKind.
template <class Kinds>
constexpr auto kind_named(const Kinds& kinds, std::string_view name)
    -> std::iter_value_t<decltype(kinds.begin())> {
  for (const auto* const kind : kinds) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

/// Returns an empty table with the name and the title of its kind.
inline Table titled_table(const TableInfo& kind, Message definition) {
  Table table;
  table.name = kind.name;
  table.title = kind.title;
  table.definition = std::move(definition);
  return table;
}

}  // namespace kino
