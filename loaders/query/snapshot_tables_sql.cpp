#include "loaders/query/snapshot_tables_sql.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/categories/memory_meaning.hpp"
#include "core/memory/segment_spans.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_text.hpp"
#include "loaders/query/listed_table.hpp"

namespace kino {
namespace {

/// A row of one of several devices.
struct DeviceRow {
  const QueryModel& model;
  const Snapshot& snapshot;
  std::size_t number = 0;  ///< of the device
  std::size_t row = 0;     ///< of its own
  const SnapshotDevice& device() const { return snapshot.devices[number]; }
};

using CountRows = std::uint64_t (*)(const SnapshotDevice&);
using GiveDeviceRow = void (*)(sqlite3_context* out, const DeviceRow& of, QueryClock& clock, int column);

void give_integer(sqlite3_context* out, std::uint64_t value) {
  sqlite3_result_int64(out, static_cast<sqlite3_int64>(value));
}

void give_device(sqlite3_context* out, const SnapshotDevice& device) {
  if (device.host) return give_text(out, "host");
  sqlite3_result_int64(out, device.ordinal);
}

enum { id_column, device_column, first_own_column };

/// The rows of the devices one behind the other; `columns` come behind id and device.
ListedRows device_rows(const std::string& columns, int column_count, CountRows count_of, GiveDeviceRow give) {
  ListedRows rows;
  rows.columns = "id INTEGER, device, " + columns;
  rows.column_count = column_count;
  rows.number_column = id_column;
  rows.count = [count_of](const QueryModel& model, QueryClock&, std::uint64_t& count) {
    count = 0;
    if (model.snapshot() == nullptr) return true;
    for (const SnapshotDevice& device : model.snapshot()->devices) count += count_of(device);
    return true;
  };
  rows.give = [count_of, give](sqlite3_context* out, const QueryModel& model, QueryClock& clock,
                               std::uint64_t row, int column) {
    if (column == id_column) return give_integer(out, row);
    DeviceRow of{model, *model.snapshot(), 0, row};
    for (; of.row >= count_of(of.device()); ++of.number) of.row -= count_of(of.device());
    if (column == device_column) return give_device(out, of.device());
    give(out, of, clock, column);
  };
  return rows;
}

std::uint64_t allocations_of(const SnapshotDevice& device) { return device.history.allocations.count(); }
std::uint64_t entries_of(const SnapshotDevice& device) { return device.entries.size_entries(); }
std::uint64_t segments_of(const SnapshotDevice& device) { return device.history.segments.size(); }

/// What allocations are for, of each device. Kept with the model.
struct KeptMeanings {
  std::shared_ptr<const std::vector<MemoryMeaning>> of_devices;
};

const MemoryMeaning* meaning_of(const QueryModel& model, std::size_t device, QueryClock& clock) {
  const auto* const kept = model.kept<KeptMeanings>(clock.stop(), [&] {
    auto made = std::make_shared<std::vector<MemoryMeaning>>();
    for (std::size_t d = 0; d < model.snapshot()->devices.size(); ++d)
      made->push_back(memory_meaning(*model.snapshot(), d, clock.limits().units, clock.stop()));
    return KeptMeanings{std::move(made)};
  });
  return kept == nullptr ? nullptr : &(*kept->of_devices)[device];
}

/// segments_of_allocations() of each device, as ids of `segment`. Kept with the model.
struct KeptSegments {
  std::vector<std::vector<std::uint32_t>> of_devices;
  std::vector<std::uint64_t> first;  // id of a device's first segment
};

void give_segment(sqlite3_context* out, const DeviceRow& of, QueryClock& clock) {
  const auto* const kept = of.model.kept<KeptSegments>(clock.stop(), [&] {
    KeptSegments made;
    std::uint64_t first = 0;
    for (const SnapshotDevice& device : of.snapshot.devices) {
      made.of_devices.push_back(segments_of_allocations(device.history));
      made.first.push_back(first);
      first += segments_of(device);
    }
    return made;
  });
  if (kept == nullptr || kept->of_devices[of.number][of.row] == kNoSegment) return;
  give_integer(out, kept->first[of.number] + kept->of_devices[of.number][of.row]);
}

/// Nothing before the recording and after it.
void give_event(sqlite3_context* out, EventIndex event) {
  if (event != kBeforeRecording && event != kNever) sqlite3_result_int64(out, event);
}

/// Its Unix ns; nothing where the recording has none.
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

std::string_view words_of(AllocationOrigin origin) {
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

ListedRows allocation_rows() {
  enum {
    address_column = first_own_column,
    bytes_column,
    alloc_ts_column,
    free_ts_column,
    alloc_event_column,
    free_event_column,
    stream_column,
    pool_column,
    segment_column,
    stack_column,
    place_column,
    category_column,
    sureness_column,
    why_column,
    origin_column,
    live_column,
    column_count
  };
  return device_rows(
      "address INTEGER, bytes INTEGER, alloc_ts INTEGER, free_ts INTEGER, alloc_event "
      "INTEGER, free_event INTEGER, stream TEXT, pool TEXT, segment_id INTEGER, stack_id INTEGER, place "
      "TEXT, category TEXT, "
      "sureness TEXT, why TEXT, origin TEXT, live_at_end INTEGER",
      column_count, allocations_of,
      [](sqlite3_context* out, const DeviceRow& of, QueryClock& clock, int column) {
        const Snapshot& snapshot = of.snapshot;
        const SnapshotDevice& device = of.device();
        const Allocations& all = device.history.allocations;
        const std::size_t i = of.row;
        const auto meaning = [&] { return meaning_of(of.model, of.number, clock); };
        switch (column) {
          case address_column:
            return give_integer(out, all.addr[i]);
          case bytes_column:
            return give_integer(out, all.size[i]);
          case alloc_ts_column:
            return give_time(out, device, all.begin[i]);
          case free_ts_column:
            return give_time(out, device, all.end[i]);
          case alloc_event_column:
            return give_event(out, all.begin[i]);
          case free_event_column:
            return give_event(out, all.end[i]);
          case stream_column:
            return give_copy(out, stream_text(snapshot, all.stream[i]));
          case pool_column:
            return give_copy(out, pool_id_text(snapshot, all.pool[i]));
          case segment_column:
            return give_segment(out, of, clock);
          case stack_column:
            return give_stack(out, all.stack[i]);
          case place_column:
            return give_copy(out,
                             place_words(snapshot, all, AllocationId{static_cast<std::uint32_t>(i)}).str());
          case category_column:
            if (const MemoryMeaning* const it = meaning()) give_copy(out, english(text_of(it->category[i])));
            return;
          case sureness_column:
            if (const MemoryMeaning* const it = meaning()) give_copy(out, english(text_of(it->sure[i])));
            return;
          case why_column:
            if (const MemoryMeaning* const it = meaning()) give_copy(out, it->whys[it->why[i]].str());
            return;
          case origin_column:
            return give_text(out, words_of(all.origin[i]));
          default:
            return sqlite3_result_int(out, all.end[i] == kNever ? 1 : 0);
        }
      });
}

ListedRows event_rows() {
  enum {
    event_column = first_own_column,
    ts_column,
    action_column,
    address_column,
    bytes_column,
    active_column,
    reserved_column,
    stream_column,
    pool_column,
    stack_column,
    allocation_column,
    column_count
  };
  return device_rows(
      "event INTEGER, ts INTEGER, action TEXT, address INTEGER, bytes INTEGER, "
      "active_bytes INTEGER, reserved_bytes INTEGER, stream TEXT, pool TEXT, stack_id INTEGER, allocation_id "
      "INTEGER",
      column_count, entries_of,
      [](sqlite3_context* out, const DeviceRow& of, QueryClock& /*clock*/, int column) {
        const Snapshot& snapshot = of.snapshot;
        const SnapshotDevice& device = of.device();
        const SnapshotEntries& entries = device.entries;
        const std::size_t i = of.row;
        const auto event = static_cast<EventIndex>(i);
        switch (column) {
          case event_column:
            return sqlite3_result_int64(out, event);
          case ts_column:
            return give_time(out, device, event);
          case action_column:
            return give_text(out, text_of(entries.action[i]));
          case address_column:
            return give_integer(out, entries.addr[i]);
          case bytes_column:
            return give_integer(out, entries.size[i]);
          case active_column:
            return give_integer(out, curve_at(device, MemoryCurve::requested, event));
          case reserved_column:
            return give_integer(out, curve_at(device, MemoryCurve::reserved, event));
          case stream_column:
            return give_copy(out, stream_text(snapshot, entries.stream[i]));
          case pool_column:
            return give_copy(out, pool_id_text(snapshot, entries.pool[i]));
          case stack_column:
            return give_stack(out, entries.stack[i]);
          default: {
            const AllocationId id = device.history.allocation_of_entry[i];
            if (id == kNoAllocation) return;
            std::uint64_t before = 0;
            for (std::size_t d = 0; d < of.number; ++d) before += allocations_of(snapshot.devices[d]);
            return give_integer(out, before + index_of(id));
          }
        }
      });
}

ListedRows segment_rows() {
  enum {
    address_column = first_own_column,
    bytes_column,
    begin_column,
    end_column,
    begin_ts_column,
    end_ts_column,
    stream_column,
    pool_column,
    small_column,
    expandable_column,
    stack_column,
    column_count
  };
  return device_rows(
      "address INTEGER, bytes INTEGER, begin_event INTEGER, end_event INTEGER, begin_ts "
      "INTEGER, end_ts INTEGER, stream TEXT, pool TEXT, small INTEGER, expandable INTEGER, stack_id INTEGER",
      column_count, segments_of,
      [](sqlite3_context* out, const DeviceRow& of, QueryClock& /*clock*/, int column) {
        const Snapshot& snapshot = of.snapshot;
        const SnapshotDevice& device = of.device();
        const SegmentSpan& segment = device.history.segments[of.row];
        switch (column) {
          case address_column:
            return give_integer(out, segment.addr);
          case bytes_column:
            return give_integer(out, segment.size);
          case begin_column:
            return give_event(out, segment.begin);
          case end_column:
            return give_event(out, segment.end);
          case begin_ts_column:
            return give_time(out, device, segment.begin);
          case end_ts_column:
            return give_time(out, device, segment.end);
          case stream_column:
            return give_copy(out, stream_text(snapshot, segment.stream));
          case pool_column:
            return give_copy(out, pool_id_text(snapshot, segment.pool));
          case small_column:
            return sqlite3_result_int(out, segment.small ? 1 : 0);
          case expandable_column:
            return sqlite3_result_int(out, segment.expandable ? 1 : 0);
          default:
            return give_stack(out, segment.stack);
        }
      });
}

/// A frame of a stack a row: stack after stack, the innermost frame first.
ListedRows frame_rows() {
  enum { stack_column, depth_column, name_column, file_column, line_column, column_count };
  // The frames of all stacks lie one behind the other.
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
    // The last stack that begins at the row or before; empty ones begin where the next does.
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
  const std::array<std::pair<const char*, ListedRows (*)()>, 4> tables{{{"allocation", allocation_rows},
                                                                        {"memory_event", event_rows},
                                                                        {"segment", segment_rows},
                                                                        {"frame", frame_rows}}};
  for (const auto& [name, rows] : tables) {
    if (const int code = register_table(database, name, listed_table(rows(), context), context);
        code != SQLITE_OK)
      return code;
  }
  return SQLITE_OK;
}

}  // namespace kino
