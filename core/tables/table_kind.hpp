// Declaration of a table: its name, title, groups and computation. Each table is declared in the header of
// its computation.
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
#include "core/tables/iteration_query.hpp"
#include "core/tables/table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A way to group the rows of a table.
struct TableGroup {
  std::string_view name;  ///< value of --group
  msg::Id title;
  std::span<const std::string_view> keys = {};  ///< see TableInfo::keys
  // NOLINTNEXTLINE(google-explicit-constructor): a group is looked up by its name.
  constexpr operator std::string_view() const { return name; }
};

struct TableQuery {
  std::size_t group = 0;                   ///< index into the table's groups
  std::optional<std::string> stream = {};  ///< stream number, if the table supports it
  ByteUnits units = ByteUnits::decimal;    ///< units of memory amounts in texts
  const Trace* captures =
      nullptr;                     ///< trace with the captures of graphs, if the table supports it; null: the
                                   ///< trace itself
  IterationQuery iterations = {};  ///< if the table supports it
};

/// Query about one row of a computed table. `example` is the slice that the row links to.
struct RowQuery {
  const Table& table;
  std::uint32_t row = 0;
  SliceId example = kNoSlice;
  std::size_t group = 0;
};

/// Options that a table supports, in addition to range, step and group.
struct TableOptions {
  bool stream = false;      ///< --stream
  bool moment = false;      ///< --at
  bool since = false;       ///< --since
  bool find = false;        ///< --find
  bool actions = false;     ///< --find action:x
  bool settings = false;    ///< --set
  bool captures = false;    ///< --capture
  bool iterations = false;  ///< --source, --phase, --batch, --all and --steady
};

/// Description of a table without its computation. All members are constant and static. The window, the
/// command line, reports and translations read lists of these descriptions, one per kind of input: a trace
/// (core/tables/analysis/trace_tables.hpp), a snapshot (core/memory/tables/snapshot_table_kinds.hpp), a set
/// of snapshots (core/memory/snapshot_set/snapshot_set_tables.hpp), a job (core/job/tables/job_tables.hpp), a
/// hang (core/job/flight/hang_tables.hpp) and a comparison (core/tables/compare/comparison_tables.hpp).
struct TableInfo {
  std::string_view name;                    ///< name on the command line: "kernels"
  msg::Id title;                            ///< title in lists
  msg::Id heading = msg::nothing;           ///< heading of its section in lists
  msg::Id about;                            ///< meaning of a row, for the help
  std::span<const TableGroup> groups = {};  ///< possible values of --group, the default first; may be empty
  /// Keys of the columns that identify a row, for tables without groups. Rows of two runs correspond if these
  /// columns are equal. If `keys` is empty, rows of different runs do not correspond.
  std::span<const std::string_view> keys = {};
  TableOptions supports = {};

  std::span<const std::string_view> keys_of(std::size_t group) const {
    return groups.empty() ? keys : groups[group].keys;
  }
  /// Returns the index of the group: 0 for an empty name, nullopt if there is no such group.
  constexpr std::optional<std::size_t> group_named(std::string_view group) const {
    if (group.empty()) return 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].name == group) return i;
    }
    return std::nullopt;
  }
};

/// Table with its computation from a `Scope`, such as the trace or the job. Declared in the header of the
/// computation: `extern const TableKind<RangeParts> kLaunchTable;`.
template <class Scope>
struct TableKind : TableInfo {
  Table (*compute)(const Scope& scope, const TableQuery& query, const std::stop_token& stop) = nullptr;
  /// Returns the slices that a row sums up, in no particular order. Null if rows are not sums of slices. Not
  /// called for rows that do not link to a slice.
  std::vector<SliceId> (*instances)(const Scope& scope, const RowQuery& query,
                                    const std::stop_token& stop) = nullptr;
};

/// Returns the table of this name, or null. `kinds` contains pointers to TableInfo or TableKind.
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
