#include "loaders/query/snapshot_tables_sql.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/memory/categories/allocation_classifier.hpp"
#include "core/memory/segment_spans.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_text.hpp"
#include "loaders/query/listed_table.hpp"

namespace kino {
namespace {

/// A row that belongs to one of several devices.
struct DeviceRow {
  const QueryModel& model;
  const Snapshot& snapshot;
  QueryClock& clock;
  std::size_t device_index = 0;
  std::size_t index = 0;  ///< index among the rows of the device
  const SnapshotDevice& device() const { return snapshot.devices[device_index]; }
  const Allocations& all() const { return device().history.allocations; }
  const SnapshotEntries& entries() const { return device().entries; }
  const SegmentSpan& segment() const { return device().history.segments[index]; }
  EventIndex event() const { return static_cast<EventIndex>(index); }
};

using CountRows = std::uint64_t (*)(const SnapshotDevice&);
struct DeviceColumn {
  const char* declared;
  void (*give)(sqlite3_context* out, const DeviceRow& row);
};

void give_integer(sqlite3_context* out, std::uint64_t value) {
  sqlite3_result_int64(out, static_cast<sqlite3_int64>(value));
}

void give_device(sqlite3_context* out, const SnapshotDevice& device) {
  if (device.host) return give_text(out, "host");
  sqlite3_result_int64(out, device.ordinal);
}

enum { id_column, device_column, first_own_column };

/// Returns a table with the rows of all devices, one device after the other. `columns` follow id and device.
ListedRows device_rows(std::span<const DeviceColumn> columns, CountRows count_of) {
  ListedRows rows;
  rows.columns = "id INTEGER, device";
  for (const DeviceColumn& column : columns) rows.columns.append(", ").append(column.declared);
  rows.column_count = first_own_column + static_cast<int>(columns.size());
  rows.number_column = id_column;
  rows.count = [count_of](const QueryModel& model, QueryClock&, std::uint64_t& count) {
    count = 0;
    if (model.snapshot() == nullptr) return true;
    for (const SnapshotDevice& device : model.snapshot()->devices) count += count_of(device);
    return true;
  };
  rows.give = [count_of, columns](sqlite3_context* out, const QueryModel& model, QueryClock& clock,
                                  std::uint64_t row, int column) {
    if (column == id_column) return give_integer(out, row);
    DeviceRow device_row{model, *model.snapshot(), clock, 0, row};
    const auto rows_of_device = [&] { return count_of(device_row.device()); };
    for (; device_row.index >= rows_of_device(); ++device_row.device_index)
      device_row.index -= rows_of_device();
    if (column == device_column) return give_device(out, device_row.device());
    columns[static_cast<std::size_t>(column - first_own_column)].give(out, device_row);
  };
  return rows;
}

std::uint64_t allocations_of(const SnapshotDevice& device) { return device.history.allocations.count(); }
std::uint64_t entries_of(const SnapshotDevice& device) { return device.entries.entry_count(); }
std::uint64_t segments_of(const SnapshotDevice& device) { return device.history.segments.size(); }

/// Allocation categories of each device, cached with the model.
struct KeptMeanings {
  std::shared_ptr<const std::vector<AllocationClassifier>> of_devices;
};

/// Returns the categories for a row's device; null if stopped.
const AllocationClassifier* meaning_of(const DeviceRow& row) {
  const QueryModel& model = row.model;
  QueryClock& clock = row.clock;
  const auto* const kept = model.kept<KeptMeanings>(clock.stop(), [&] {
    auto made = std::make_shared<std::vector<AllocationClassifier>>();
    for (std::size_t d = 0; d < model.snapshot()->devices.size(); ++d)
      made->push_back(memory_meaning(*model.snapshot(), d, clock.limits().units, clock.stop()));
    return KeptMeanings{std::move(made)};
  });
  return kept == nullptr ? nullptr : &(*kept->of_devices)[row.device_index];
}

/// Segment of each allocation, as an index within its device (segments_of_allocations()); cached with the
/// model.
struct KeptSegments {
  std::vector<std::vector<std::uint32_t>> of_devices;
  std::vector<std::uint64_t> first;  // id of the first segment of each device
};

void give_segment(sqlite3_context* out, const DeviceRow& row) {
  const auto* const kept = row.model.kept<KeptSegments>(row.clock.stop(), [&] {
    KeptSegments made;
    std::uint64_t first = 0;
    for (const SnapshotDevice& device : row.snapshot.devices) {
      made.of_devices.push_back(segments_of_allocations(device.history));
      made.first.push_back(first);
      first += segments_of(device);
    }
    return made;
  });
  if (kept == nullptr || kept->of_devices[row.device_index][row.index] == kNoSegment) return;
  give_integer(out, kept->first[row.device_index] + kept->of_devices[row.device_index][row.index]);
}

/// Returns an event to SQLite; NULL for events before or after the recording.
void give_event(sqlite3_context* out, EventIndex event) {
  if (event != kBeforeRecording && event != kNever) sqlite3_result_int64(out, event);
}

/// Returns the time of the event in Unix ns; nullopt if the event or its time was not recorded.
std::optional<std::int64_t> time_of(const SnapshotDevice& device, EventIndex event) {
  if (event == kBeforeRecording || event == kNever) return std::nullopt;
  const std::int64_t time_us = device.entries.time_us[static_cast<std::size_t>(event)];
  constexpr std::int64_t kMost = INT64_MAX / 1000;
  if (time_us == SnapshotEntries::kNoTime || time_us > kMost || time_us < -kMost) return std::nullopt;
  return time_us * 1000;
}

void give_time(sqlite3_context* out, const SnapshotDevice& device, EventIndex event) {
  if (const auto time = time_of(device, event)) sqlite3_result_int64(out, *time);
}

void give_stack(sqlite3_context* out, StackId stack) {
  if (stack != kNoStack) sqlite3_result_int64(out, static_cast<std::uint32_t>(stack));
}

std::string_view origin_text(AllocationOrigin origin) {
  switch (origin) {
    case AllocationOrigin::recorded:
      return "recorded";
    case AllocationOrigin::freed_only:
      return "older, freed in the recording";
    case AllocationOrigin::ghost:
      break;
  }
  return "older, never freed";
}

void give_allocation(sqlite3_context* out, const DeviceRow& row) {
  const AllocationId id = row.device().history.allocation_of_entry[row.index];
  if (id == kNoAllocation) return;
  std::uint64_t before = 0;
  for (std::size_t d = 0; d < row.device_index; ++d) before += allocations_of(row.snapshot.devices[d]);
  give_integer(out, before + index_of(id));
}

void give_stream(sqlite3_context* out, const DeviceRow& row, std::uint16_t stream) {
  give_copy(out, stream_text(row.snapshot, stream));
}
void give_pool(sqlite3_context* out, const DeviceRow& row, std::uint16_t pool) {
  give_copy(out, pool_id_text(row.snapshot, pool));
}

using Out = sqlite3_context*;
using DeviceRef = const DeviceRow&;

constexpr DeviceColumn kAllocationColumns[] = {
    {"address INTEGER", [](Out out, DeviceRef row) { give_integer(out, row.all().addr[row.index]); }},
    {"bytes INTEGER", [](Out out, DeviceRef row) { give_integer(out, row.all().size[row.index]); }},
    {"alloc_ts INTEGER",
     [](Out out, DeviceRef row) { give_time(out, row.device(), row.all().begin[row.index]); }},
    {"free_ts INTEGER",
     [](Out out, DeviceRef row) { give_time(out, row.device(), row.all().end[row.index]); }},
    {"alloc_event INTEGER", [](Out out, DeviceRef row) { give_event(out, row.all().begin[row.index]); }},
    {"free_event INTEGER", [](Out out, DeviceRef row) { give_event(out, row.all().end[row.index]); }},
    {"stream TEXT", [](Out out, DeviceRef row) { give_stream(out, row, row.all().stream[row.index]); }},
    {"pool TEXT", [](Out out, DeviceRef row) { give_pool(out, row, row.all().pool[row.index]); }},
    {"segment_id INTEGER", give_segment},
    {"stack_id INTEGER", [](Out out, DeviceRef row) { give_stack(out, row.all().stack[row.index]); }},
    {"place TEXT",
     [](Out out, DeviceRef row) {
       give_copy(
           out,
           place_message(row.snapshot, row.all(), AllocationId{static_cast<std::uint32_t>(row.index)}).str());
     }},
    {"category TEXT",
     [](Out out, DeviceRef row) {
       if (const AllocationClassifier* const meaning = meaning_of(row))
         give_copy(out, english(text_of(meaning->category[row.index])));
     }},
    {"sureness TEXT",
     [](Out out, DeviceRef row) {
       if (const AllocationClassifier* const meaning = meaning_of(row))
         give_copy(out, english(text_of(meaning->sure[row.index])));
     }},
    {"why TEXT",
     [](Out out, DeviceRef row) {
       if (const AllocationClassifier* const meaning = meaning_of(row))
         give_copy(out, meaning->whys[meaning->why[row.index]].str());
     }},
    {"origin TEXT", [](Out out, DeviceRef row) { give_text(out, origin_text(row.all().origin[row.index])); }},
    {"live_at_end INTEGER",
     [](Out out, DeviceRef row) { sqlite3_result_int(out, row.all().end[row.index] == kNever ? 1 : 0); }},
};

constexpr DeviceColumn kEventColumns[] = {
    {"event INTEGER", [](Out out, DeviceRef row) { sqlite3_result_int64(out, row.event()); }},
    {"ts INTEGER", [](Out out, DeviceRef row) { give_time(out, row.device(), row.event()); }},
    {"action TEXT", [](Out out, DeviceRef row) { give_text(out, text_of(row.entries().action[row.index])); }},
    {"address INTEGER", [](Out out, DeviceRef row) { give_integer(out, row.entries().addr[row.index]); }},
    {"bytes INTEGER", [](Out out, DeviceRef row) { give_integer(out, row.entries().size[row.index]); }},
    {"active_bytes INTEGER",
     [](Out out, DeviceRef row) {
       give_integer(out, curve_at(row.device(), MemoryCurve::requested, row.event()));
     }},
    {"reserved_bytes INTEGER",
     [](Out out, DeviceRef row) {
       give_integer(out, curve_at(row.device(), MemoryCurve::reserved, row.event()));
     }},
    {"stream TEXT", [](Out out, DeviceRef row) { give_stream(out, row, row.entries().stream[row.index]); }},
    {"pool TEXT", [](Out out, DeviceRef row) { give_pool(out, row, row.entries().pool[row.index]); }},
    {"stack_id INTEGER", [](Out out, DeviceRef row) { give_stack(out, row.entries().stack[row.index]); }},
    {"allocation_id INTEGER", give_allocation},
};

constexpr DeviceColumn kSegmentColumns[] = {
    {"address INTEGER", [](Out out, DeviceRef row) { give_integer(out, row.segment().addr); }},
    {"bytes INTEGER", [](Out out, DeviceRef row) { give_integer(out, row.segment().size); }},
    {"begin_event INTEGER", [](Out out, DeviceRef row) { give_event(out, row.segment().begin); }},
    {"end_event INTEGER", [](Out out, DeviceRef row) { give_event(out, row.segment().end); }},
    {"begin_ts INTEGER", [](Out out, DeviceRef row) { give_time(out, row.device(), row.segment().begin); }},
    {"end_ts INTEGER", [](Out out, DeviceRef row) { give_time(out, row.device(), row.segment().end); }},
    {"stream TEXT", [](Out out, DeviceRef row) { give_stream(out, row, row.segment().stream); }},
    {"pool TEXT", [](Out out, DeviceRef row) { give_pool(out, row, row.segment().pool); }},
    {"small INTEGER", [](Out out, DeviceRef row) { sqlite3_result_int(out, row.segment().small ? 1 : 0); }},
    {"expandable INTEGER",
     [](Out out, DeviceRef row) { sqlite3_result_int(out, row.segment().expandable ? 1 : 0); }},
    {"stack_id INTEGER", [](Out out, DeviceRef row) { give_stack(out, row.segment().stack); }},
};

ListedRows allocation_rows() { return device_rows(kAllocationColumns, allocations_of); }
ListedRows event_rows() { return device_rows(kEventColumns, entries_of); }
ListedRows segment_rows() { return device_rows(kSegmentColumns, segments_of); }

/// Returns a table with one row per frame: stack by stack, the innermost frame first.
ListedRows frame_rows() {
  enum { stack_column, depth_column, name_column, file_column, line_column, column_count };
  // Index of a stack's first row: the frames of all stacks are stored consecutively.
  const auto first_of = [](const SnapshotStacks& stacks, std::uint32_t stack) {
    return static_cast<std::uint64_t>(stacks.frames(StackId{stack}).data() -
                                      stacks.frames(StackId{0}).data());
  };
  ListedRows rows;
  rows.columns = "stack_id INTEGER, depth INTEGER, name TEXT, filename TEXT, line INTEGER";
  rows.column_count = column_count;
  rows.number_column = stack_column;
  rows.count = [](const QueryModel& model, QueryClock&, std::uint64_t& count) {
    count = model.snapshot() == nullptr ? 0 : model.snapshot()->stacks.stored_frames();
    return true;
  };
  rows.of_number = [first_of](const QueryModel& model, std::uint64_t number, std::uint64_t& begin,
                              std::uint64_t& end) {
    begin = end = 0;
    if (model.snapshot() == nullptr || number >= model.snapshot()->stacks.stack_count()) return;
    const SnapshotStacks& stacks = model.snapshot()->stacks;
    const auto stack = static_cast<std::uint32_t>(number);
    begin = first_of(stacks, stack);
    end = begin + stacks.frames(StackId{stack}).size();
  };
  rows.give = [first_of](sqlite3_context* out, const QueryModel& model, QueryClock&, std::uint64_t row,
                         int column) {
    const Snapshot& snapshot = *model.snapshot();
    const SnapshotStacks& stacks = snapshot.stacks;
    // Finds the last stack that starts at or before the row. An empty stack starts where the next stack does.
    std::uint32_t low = 0;
    for (std::uint32_t high = stacks.stack_count(); high - low > 1;) {
      const std::uint32_t middle = low + (high - low) / 2;
      (first_of(stacks, middle) <= row ? low : high) = middle;
    }
    const std::uint64_t depth = row - first_of(stacks, low);
    const SnapshotFrame& frame = stacks.frame(stacks.frames(StackId{low})[depth]);
    if (column == stack_column) give_integer(out, low);
    if (column == depth_column) give_integer(out, depth);
    if (column == name_column) give_text(out, snapshot.text(frame.name));
    if (column == file_column) give_text(out, snapshot.text(frame.file));
    if (column == line_column) sqlite3_result_int64(out, frame.line);
  };
  return rows;
}

}  // namespace

int register_snapshot_tables(sqlite3* database, QueryContext& context) {
  const std::pair<const char*, ListedRows (*)()> tables[] = {{"allocation", allocation_rows},
                                                             {"memory_event", event_rows},
                                                             {"segment", segment_rows},
                                                             {"frame", frame_rows}};
  for (const auto& [name, rows] : tables) {
    if (const int code = register_table(database, name, listed_table(rows(), context), context);
        code != SQLITE_OK)
      return code;
  }
  return SQLITE_OK;
}

}  // namespace kino
