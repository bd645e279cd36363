// What a table is, declared once beside its computation: its name and title, its groups, how it is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tables/table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

// What tables are computed from. Rooms above declare them: this one only hands them on.
class RangeParts;      // core/trace/links/range_parts.hpp
struct SnapshotScope;  // core/memory/tables/snapshot_tables.hpp
struct HangRecording;  // core/job/flight/hang.hpp
struct JobScope;       // core/job/tables/job_tables.hpp

/// A way to group the rows of a table.
struct TableGroup {
  std::string_view name;                        ///< for --group
  std::string_view title;                       ///< in English; see core_sentences.def
  std::span<const std::string_view> keys = {};  ///< as TableKind::keys, of rows that are grouped so
  // NOLINTNEXTLINE(google-explicit-constructor): it is asked for by its name.
  constexpr operator std::string_view() const { return name; }
};

/// What is asked of a table of a trace.
struct TableAsked {
  std::size_t group = 0;              ///< index into the kind's groups
  std::optional<std::string> stream;  ///< a stream's number, of tables that heed it
};

/// A row of a table of a trace. `example` is the slice that it leads to.
struct RowAsked {
  const Table& table;
  std::uint32_t row = 0;
  SliceId example = kNoSlice;
  std::size_t group = 0;
};

/// What a table can be of; see TableKind::compute.
enum class TableSubject : std::uint8_t { parts, trace, snapshot, pair, job, hang };

/// What a table heeds besides range, step and group.
struct TableOptions {
  bool stream = false;    ///< --stream
  bool moment = false;    ///< --at
  bool since = false;     ///< --since
  bool find = false;      ///< --find
  bool actions = false;   ///< --find action:x
  bool settings = false;  ///< --set
};

/// A table by name: `extern const TableKind kLaunchTable;` in the header of its computation. All members are
/// constant and static. Five lists contain all tables: of a trace
/// (core/tables/analysis/trace_tables.hpp), of a snapshot (core/memory/tables/snapshot_table_kinds.hpp), of a
/// set of snapshots (core/memory/snapshot_set/snapshot_set_tables.hpp), of a job
/// (core/job/tables/job_tables.hpp) and of a hang (core/job/flight/hang_tables.hpp). The window, the command
/// line, reports and translations read these lists.
struct TableKind {
  using OfTrace = Table (*)(const RangeParts& parts, const TableAsked& asked, const std::stop_token& stop);
  using OfSnapshot = Table (*)(const SnapshotScope& scope, std::size_t group, const std::stop_token& stop);
  using OfPair = Table (*)(const SnapshotScope& before, const SnapshotScope& after, std::size_t group,
                           const std::stop_token& stop);
  using OfJob = Table (*)(const JobScope& scope, std::size_t group, const std::stop_token& stop);
  using OfHang = Table (*)(const HangRecording& hang, std::size_t group, const std::stop_token& stop);
  using Instances = std::vector<SliceId> (*)(const RangeParts& parts, const RowAsked& asked,
                                             const std::stop_token& stop);

  std::string_view name;                    ///< of the command line: "kernels"
  std::string_view title;                   ///< in lists, in English; see core_sentences.def
  std::string_view heading;                 ///< of the part of the list it stands in, likewise; may be empty
  std::string_view about;                   ///< for the help: what its rows are
  std::span<const TableGroup> groups = {};  ///< for --group; the first one unless told; may be empty
  /// Keys of columns, of tables without groups: rows of two runs are the same where these are equal. Empty:
  /// rows are of one run alone.
  std::span<const std::string_view> keys = {};
  TableOptions heeds = {};
  /// Which one it holds tells what the table is of; TableSubject::parts: it is no table of a list.
  std::variant<std::monostate, OfTrace, OfSnapshot, OfPair, OfJob, OfHang> compute = {};
  /// The slices that a row sums up, in no particular order; null for tables whose rows are no such sums. Not
  /// called for rows that lead to no slice.
  Instances instances = nullptr;

  constexpr TableSubject subject() const { return static_cast<TableSubject>(compute.index()); }
  std::span<const std::string_view> keys_of(std::size_t group) const {
    return groups.empty() ? keys : groups[group].keys;
  }
  /// The group's place among them, 0 unless told; nullopt for one that the table has not.
  constexpr std::optional<std::size_t> group_named(std::string_view group) const {
    if (group.empty()) return 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].name == group) return i;
    }
    return std::nullopt;
  }
};

/// The one of this name, or null.
constexpr const TableKind* kind_named(std::span<const TableKind* const> kinds, std::string_view name) {
  for (const TableKind* const kind : kinds) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

}  // namespace kino
