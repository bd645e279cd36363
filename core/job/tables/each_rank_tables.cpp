#include "core/job/tables/each_rank_tables.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/job/tables/rank_ledger.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/tables/gpu/queue_length.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "core/tables/name_stats/api_table.hpp"
#include "core/tables/name_stats/category_table.hpp"
#include "core/tables/operators/memory_table.hpp"

namespace kino {
namespace {

/// Largest number of rows per rank. Names are from the file, so their number is unlimited, and more rows are
/// hardly readable.
constexpr std::uint32_t kMostRowsOfRank = 1000;
constexpr std::string_view kEachRankKey = "rank";

/// Resizes a column to `rows` rows. Added rows are empty, for ranks whose tables lack the column.
void fill(TableColumn& column, std::size_t rows) {
  if (auto* const integers = std::get_if<TableColumn::Integers>(&column.values)) {
    integers->resize(rows, kNoInteger);
  } else if (auto* const numbers = std::get_if<TableColumn::Numbers>(&column.values)) {
    numbers->resize(rows, kNoNumber);
  } else {
    std::get<TableColumn::Texts>(column.values).resize(rows);
    if (!column.words.empty()) column.words.resize(rows);
  }
}

/// Returns the column with the key and type of `like`; creates it with `rows` empty rows if missing.
TableColumn& column_like(Table& table, const TableColumn& like, std::size_t rows) {
  const auto found = std::ranges::find_if(table.columns, [&](const TableColumn& column) {
    return column.key == like.key && column.values.index() == like.values.index();
  });
  if (found != table.columns.end()) return *found;
  TableColumn& column = table.columns.emplace_back(like);
  std::visit([](auto& values) { values.clear(); }, column.values);
  column.words.clear();
  fill(column, rows);
  return column;
}

/// Adds the values of `from` to a column with `rows` rows.
void append(TableColumn& column, const TableColumn& from, std::size_t rows) {
  std::visit(
      [&](auto& values) {
        const auto& more = std::get<std::remove_reference_t<decltype(values)>>(from.values);
        values.insert(values.end(), more.begin(), more.end());
      },
      column.values);
  if (from.words.empty()) return;
  column.words.resize(rows);
  column.words.insert(column.words.end(), from.words.begin(), from.words.end());
}

/// First two arguments of a note about partly covered rows or events: "The launches of 245 of 260 ...".
struct Counts {
  std::uint64_t part = 0;
  std::uint64_t all = 0;
};

/// Parses a number that grouped() wrote, such as "1 234". nullopt for other texts.
std::optional<std::uint64_t> count_from_text(const std::string& text) {
  constexpr std::size_t kMostDigits = 18;
  std::uint64_t count = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ' ') continue;
    if (c < '0' || c > '9' || ++digits > kMostDigits) return std::nullopt;
    count = 10 * count + static_cast<std::uint64_t>(c - '0');
  }
  return digits == 0 ? std::nullopt : std::optional(count);
}

std::optional<Counts> counts_of(const Message& note) {
  if (!note.id() || message_form(*note.id(), Language::english).find("{0} of {1} ") == std::string_view::npos)
    return std::nullopt;
  const std::vector<Message> parts = note.parts();
  if (parts.size() < 2) return std::nullopt;
  const auto part = count_from_text(parts[0].str());
  const auto all = count_from_text(parts[1].str());
  return part && all ? std::optional(Counts{*part, *all}) : std::nullopt;
}

/// Returns whether two notes differ in their counts only.
bool same_but_counts(const Message& a, const Message& b) {
  if (a.id() != b.id()) return false;
  const std::vector<Message> x = a.parts();
  const std::vector<Message> y = b.parts();
  return x.size() == y.size() && x.size() >= 2 && std::equal(x.begin() + 2, x.end(), y.begin() + 2);
}

/// Returns the note with the counts of all ranks added up. Empty if a rank has no such note.
Message summed_note(const Message& first, std::span<const Table* const> tables) {
  Counts sum;
  for (const Table* const table : tables) {
    std::optional<Counts> own;
    for (const Message& note : table->notes) {
      if (same_but_counts(note, first) && (own = counts_of(note))) break;
    }
    if (!own) return {};
    sum.part += own->part;
    sum.all += own->all;
  }
  std::vector<Message> parts = first.parts();
  parts[0] = grouped(sum.part);
  parts[1] = grouped(sum.all);
  return Message::filled(*first.id(), parts);
}

/// Returns the notes that all ranks have. Their counts are added up.
std::vector<Message> common_notes(std::span<const Table* const> tables) {
  std::vector<Message> notes;
  if (tables.empty()) return notes;
  for (const Message& note : tables.front()->notes) {
    if (counts_of(note)) {
      Message sum = summed_note(note, tables);
      if (!sum.empty()) notes.push_back(std::move(sum));
      continue;
    }
    const bool everywhere = std::ranges::all_of(tables, [&](const Table* table) {
      return std::ranges::find(table->notes, note) != table->notes.end();
    });
    if (everywhere) notes.push_back(note);
  }
  return notes;
}

/// Returns one table with the rows of all ranks. `part_of` returns the table of a rank by its index, or null.
template <typename PartOf>
Table joined_table(const TableInfo& kind, const JobScope& scope, const PartOf& part_of,
                   const std::stop_token& stop) {
  Table table = titled_table(kind, msg::the_rows_of_all_ranks);
  TableColumn::Integers& numbers =
      table.add_integers(std::string(kEachRankKey), msg::rank, Unit::id, msg::as_stated_in_file);
  std::vector<const Table*> parts;
  for (std::size_t rank = 0; rank < scope.analysis.ranks.size() && !stop.stop_requested(); ++rank) {
    const RankDigest& digest = *scope.analysis.ranks[rank];
    const Table* const part = part_of(rank);
    if (part == nullptr) continue;
    if (parts.empty()) table.definition.then(part->definition);
    parts.push_back(part);
    const std::size_t before = numbers.size();
    numbers.resize(before + part->row_count(), known_or_none(digest.rank));
    table.links.resize(numbers.size(), RowLink::to_recording(static_cast<std::uint32_t>(rank)));
    for (const TableColumn& from : part->columns) append(column_like(table, from, before), from, before);
    for (TableColumn& column : table.columns) fill(column, numbers.size());
  }
  table.notes = common_notes(parts);
  return table;
}

/// Returns the table of a rank's snapshot, with times since the first event of its trace.
Table snapshot_table(const RankSnapshot& snapshot, const RankDigest& digest) {
  std::vector<MemoryDevice> devices = snapshot.devices;
  for (MemoryDevice& device : devices) device.peak_time_ns -= digest.first_ns;
  return memory_device_table(devices);
}

/// Returns the memory table of all ranks. Each rank's source is that of JobAnalysis::memory(): its trace or
/// its snapshot.
Table job_memory_table(const JobScope& scope, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  std::vector<std::optional<Table>> by_snapshot(job.ranks.size());
  for (std::size_t i = 0; i < job.ranks.size() && !stop.stop_requested(); ++i) {
    if (job.measure_of(i) == MemoryMeasure::requested)
      by_snapshot[i] = snapshot_table(*job.snapshots[i], *job.ranks[i]);
  }
  const auto part_of = [&](std::size_t i) {
    return by_snapshot[i] ? &*by_snapshot[i] : kept_table(*job.ranks[i], kMemoryTable.name);
  };
  Table table = joined_table(kMemoryTable, scope, part_of, stop);
  table.definition = msg::row_per_rank_and_device;
  TableColumn::Texts& measures =
      table.add_texts("memory_measure", msg::memory_measure, msg::memory_measure_meaning);
  for (const RowLink& link : table.links) measures.emplace_back(name_of(job.measure_of(link.recording())));
  return table;
}

template <const auto& kOfTrace>
TableKind<JobScope> joined() {
  return {{.name = kOfTrace.name, .title = kOfTrace.title, .heading = msg::per_rank, .about = kOfTrace.about},
          [](const JobScope& scope, const TableQuery&, const std::stop_token& stop) -> Table {
            const auto part_of = [&](std::size_t i) {
              return kept_table(*scope.analysis.ranks[i], kOfTrace.name);
            };
            return joined_table(kOfTrace, scope, part_of, stop);
          }};
}

TableKind<JobScope> job_memory() {
  TableKind<JobScope> kind = joined<kMemoryTable>();
  kind.compute = [](const JobScope& scope, const TableQuery&, const std::stop_token& stop) -> Table {
    return job_memory_table(scope, stop);
  };
  return kind;
}

/// Returns the table as stored in a digest: with limited rows, and without links, because links refer to the
/// trace.
Table stored(Table table) {
  if (table.row_count() > kMostRowsOfRank) {
    for (TableColumn& column : table.columns) fill(column, kMostRowsOfRank);
    table.notes.emplace_back(msg::first_1000_rows_per_rank);
  }
  table.links.clear();
  table.depths.clear();
  return table;
}

}  // namespace

const Table* kept_table(const RankDigest& digest, std::string_view name) {
  const auto found = std::ranges::find(digest.tables, name, &Table::name);
  return found == digest.tables.end() ? nullptr : &*found;
}

std::span<const TableKind<JobScope>* const> each_rank_table_kinds() {
  static const std::array kKinds{joined<kBreakdownTable>(),  joined<kKernelTypeTable>(),
                                 joined<kGpuMetricsTable>(), joined<kCategoryTable>(),
                                 joined<kIdleTable>(),       joined<kLaunchTable>(),
                                 joined<kQueueTable>(),      joined<kApiTable>(),
                                 joined<kCopyTable>(),       job_memory()};
  static const auto kAll = [] {
    std::array<const TableKind<JobScope>*, kKinds.size()> all{};
    std::ranges::transform(kKinds, all.begin(), [](const TableKind<JobScope>& kind) { return &kind; });
    return all;
  }();
  return kAll;
}

bool has_ledger_and_layers(const RankDigest& digest) {
  return kept_table(digest, kLayerTable.name) != nullptr;
}

Message missing_details_note(std::span<const std::shared_ptr<const RankDigest>> ranks) {
  const auto missing = static_cast<std::size_t>(std::ranges::count_if(
      ranks, [](const auto& rank) { return rank != nullptr && !has_ledger_and_layers(*rank); }));
  if (missing == 0) return {};
  return {msg::ranks_without_details, grouped(missing), grouped(ranks.size())};
}

RankDigest digest_with_tables(const Trace& trace, std::shared_ptr<const WorkRules> rules, RankDetails details,
                              const std::stop_token& stop) {
  RankDigest digest = digest_of(trace, stop);
  const RangeAnalyses analyses(trace, std::move(rules));
  const auto whole = analyses.of(whole_range(trace));
  for (const TableKind<JobScope>* const kind : each_rank_table_kinds()) {
    const TableInfo& of_trace = *kind_named(table_kinds(), kind->name);
    digest.tables.push_back(stored(table_of(of_trace, *whole, {}, stop)));
  }
  if (details == RankDetails::ledger_and_layers) {
    digest.tables.push_back(stored(table_of(kLayerTable, *whole, {}, stop)));
    digest.ledger = rank_ledger(*whole, digest, stop);
  }
  return stop.stop_requested() ? RankDigest() : std::move(digest);
}

}  // namespace kino
