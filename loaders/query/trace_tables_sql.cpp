#include "loaders/query/trace_tables_sql.hpp"

#include <array>
#include <string>
#include <utility>

#include "core/base/damage.hpp"
#include "loaders/query/listed_table.hpp"

namespace kino {
namespace {

constexpr std::string_view kStatNames[] = {
    // In the order of DamageReason.
    "unreadable_event",
    "truncated_event",
    "no_phase",
    "unknown_phase",
    "no_timestamp",
    "time_out_of_range",
    "time_in_ns",
    "not_an_event",
    "no_duration",
    "negative_duration",
    "begin_without_end",
    "end_without_begin",
    "async_without_begin",
    "async_without_end",
    "repaired_event",
    "repaired_document",
    "counter_without_value",
    "overlap_spilled",
    "correlation_out_of_range",
    "truncated_file",
    "truncated_gzip",
    "gzip_checksum",
    "trailing_data",
    "header_unreadable",
    "far_outlier",
    "flow_without_slice",
    "flow_without_partner",
    "spool_limit",
    "unknown_action",
    "number_out_of_range",
    "unreadable_rest",
    "further_events",
    "invalid_escape",
    "event_lines",
    "unclosed_array",
    "unclosed_document",
    "truncated_rest",
    "flow_begun_again",
    "flow_without_start",
    "samples_not_shown",
    "launch_flow_start",
    "launch_flow_end"};
static_assert(std::size(kStatNames) == kDamageReasonCount);

ListedRows numbered(std::string columns, int count, int number_column,
                    std::function<std::uint64_t(const QueryModel&)> rows,
                    std::function<void(sqlite3_context*, const QueryModel&, std::uint64_t, int)> give) {
  return {std::move(columns), count, number_column,
          [rows = std::move(rows)](const QueryModel& model, QueryClock&, std::uint64_t& out) {
            out = rows(model);
            return true;
          },
          [give = std::move(give)](sqlite3_context* out, const QueryModel& model, QueryClock&,
                                   std::uint64_t row, int column) { give(out, model, row, column); }};
}

ListedRows thread_rows() {
  enum { utid_column, id_column, tid_column, name_column, upid_column, is_main_column };
  return numbered(
      "utid INTEGER, id INTEGER, tid, name TEXT, upid INTEGER, is_main_thread INTEGER", is_main_column + 1,
      utid_column, [](const QueryModel& model) { return model.threads().size(); },
      [](sqlite3_context* out, const QueryModel& model, std::uint64_t row, int column) {
        const QueryThread& thread = model.threads()[row];
        if (column == utid_column || column == id_column)
          sqlite3_result_int64(out, static_cast<std::int64_t>(row));
        if (column == tid_column) give_number_or_text(out, thread.tid);
        if (column == name_column) give_text(out, thread.name);
        if (column == upid_column) sqlite3_result_int64(out, thread.process);
        if (column == is_main_column)
          sqlite3_result_int(out, model.processes()[thread.process].pid == thread.tid ? 1 : 0);
      });
}

ListedRows process_rows() {
  enum { upid_column, id_column, pid_column, name_column, arg_set_column };
  return numbered(
      "upid INTEGER, id INTEGER, pid, name TEXT, arg_set_id INTEGER", arg_set_column + 1, upid_column,
      [](const QueryModel& model) { return model.processes().size(); },
      [](sqlite3_context* out, const QueryModel& model, std::uint64_t row, int column) {
        const QueryProcess& process = model.processes()[row];
        if (column == upid_column || column == id_column)
          sqlite3_result_int64(out, static_cast<std::int64_t>(row));
        if (column == pid_column) give_number_or_text(out, process.pid);
        if (column == name_column) give_text(out, process.title);
      });
}

std::string_view kind_text(TrackKind kind) {
  switch (kind) {
    case TrackKind::gpu_stream:
      return "gpu_stream";
    case TrackKind::gpu_annotation:
      return "gpu_annotation";
    case TrackKind::gpu_sync:
      return "gpu_sync";
    case TrackKind::cpu_thread:
      return "cpu_thread";
    case TrackKind::async:
      return "async";
    case TrackKind::counter:
      return "counter";
  }
  return {};
}

/// Sets the result to a column of a track. Tracks of slices precede counters.
void give_track(sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                int column) {
  enum {
    id_column,
    name_column,
    type_column,
    utid_column,
    upid_column,
    parent_column,
    unit_column,
    kind_column,
    device_column,
    stream_column,
    rank_column
  };
  const Nesting* const nested = model.nesting(clock.stop());
  if (nested == nullptr) return;
  const bool counter = row >= nested->tracks.size();
  const TrackId source = counter ? model.counters()[row - nested->tracks.size()] : nested->tracks[row].source;
  const std::uint32_t thread = counter ? QueryTrack::kNoThread : nested->tracks[row].thread;
  const bool on_thread = thread != QueryTrack::kNoThread;
  const Track& track = model.trace().track(source);
  const bool gpu = track.kind == TrackKind::gpu_stream || track.kind == TrackKind::gpu_annotation ||
                   track.kind == TrackKind::gpu_sync;
  switch (column) {
    case id_column:
      return sqlite3_result_int64(out, static_cast<std::int64_t>(row));
    case name_column:
      return give_text(out, track.name);
    case type_column:
      return give_text(out, counter ? "counter_track" : (on_thread ? "thread_track" : "process_track"));
    case utid_column:
      if (on_thread) sqlite3_result_int64(out, thread);
      return;
    case upid_column:
      return sqlite3_result_int64(out, model.process_of(source));
    case unit_column:
      if (track.bytes) give_text(out, "bytes");
      return;
    case kind_column:
      return give_text(out, kind_text(track.kind));
    case device_column:
      if (gpu) give_number_or_text(out, model.processes()[model.process_of(source)].pid);
      return;
    case stream_column:
      if (gpu) give_number_or_text(out, track.tid);
      return;
    default:
      return;  // parent_id: NULL, tracks are not nested; rank: see virtual_table.cpp
  }
}

ListedRows track_rows() {
  return {
      "id INTEGER, name TEXT, type TEXT, utid INTEGER, upid INTEGER, parent_id INTEGER, unit TEXT, "
      "kind HIDDEN TEXT, device HIDDEN, stream HIDDEN, rank HIDDEN INTEGER",
      11, 0,
      [](const QueryModel& model, QueryClock& clock, std::uint64_t& out) {
        const Nesting* const nested = model.nesting(clock.stop());
        if (nested == nullptr) return false;
        out = nested->tracks.size() + model.counters().size();
        return true;
      },
      give_track};
}

std::uint64_t counter_samples(const QueryModel& model) {
  std::uint64_t samples = 0;
  for (const TrackId id : model.counters()) samples += model.trace().track(id).sample_count;
  return samples;
}

void give_counter(sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                  int column) {
  enum { id_column, ts_column, track_column, value_column };
  if (column == id_column) return sqlite3_result_int64(out, static_cast<std::int64_t>(row));
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < model.counters().size(); ++i) {
    const Track& track = model.trace().track(model.counters()[i]);
    if (row - before >= track.sample_count) {
      before += track.sample_count;
      continue;
    }
    const std::size_t sample = track.first_sample + (row - before);
    if (column == ts_column) sqlite3_result_int64(out, model.unix_ns(model.trace().samples.time_ns[sample]));
    if (column == value_column) sqlite3_result_double(out, model.trace().samples.value[sample]);
    const Nesting* const nested = column == track_column ? model.nesting(clock.stop()) : nullptr;
    if (nested != nullptr) sqlite3_result_int64(out, static_cast<std::int64_t>(nested->tracks.size() + i));
    return;
  }
}

ListedRows counter_rows() {
  return {"id INTEGER, ts INTEGER, track_id INTEGER, value REAL", 4, 0,
          [](const QueryModel& model, QueryClock&, std::uint64_t& out) {
            out = counter_samples(model);
            return true;
          },
          give_counter};
}

ListedRows stats_rows() {
  enum {
    name_column,
    key_column,
    severity_column,
    source_column,
    value_column,
    description_column,
    offset_column,
    sample_column
  };
  return numbered(
      "name TEXT, key TEXT, severity TEXT, source TEXT, value INTEGER, description TEXT, first_offset HIDDEN "
      "INTEGER, sample HIDDEN TEXT",
      sample_column + 1, -1, [](const QueryModel&) { return std::uint64_t{kDamageReasonCount}; },
      [](sqlite3_context* out, const QueryModel& model, std::uint64_t row, int column) {
        const auto reason = static_cast<DamageReason>(row);
        if (column == name_column) give_text(out, kStatNames[row]);
        if (column == severity_column) give_text(out, severity_of(reason));
        if (column == source_column) give_text(out, "trace");
        if (column == description_column) give_text(out, english(text_of(reason)));
        if (column == value_column)
          sqlite3_result_int64(out, static_cast<std::int64_t>(model.damage().count(reason)));
        for (const Damage& damage : model.damage().entries()) {
          if (damage.reason != reason) continue;
          if (column == offset_column && damage.first_offset != ~std::uint64_t{0})
            sqlite3_result_int64(out, static_cast<std::int64_t>(damage.first_offset));
          if (column == sample_column) give_text(out, damage.sample);
        }
      });
}

ListedRows metadata_rows() {
  enum { name_column, key_type_column, int_column, str_column };
  struct Fact {
    std::string_view name;
    std::int64_t (*number)(const QueryModel&);
  };
  static constexpr std::array<Fact, 6> kFacts{
      {{"rank", [](const QueryModel& model) { return model.rank(); }},
       {"world_size", [](const QueryModel& model) { return model.trace().job.world_size; }},
       {"origin_unix_ns", [](const QueryModel& model) { return model.trace().origin_unix_ns; }},
       {"base_time_ns", [](const QueryModel& model) { return model.trace().base_time_ns; }},
       {"slices", [](const QueryModel& model) { return std::int64_t{model.slice_count()}; }},
       {"events",
        [](const QueryModel& model) { return static_cast<std::int64_t>(model.trace().counts.total()); }}}};
  return numbered(
      "name TEXT, key_type TEXT, int_value INTEGER, str_value TEXT", str_column + 1, -1,
      [](const QueryModel&) { return kFacts.size() + 2; },
      [](sqlite3_context* out, const QueryModel& model, std::uint64_t row, int column) {
        const bool number = row < kFacts.size();
        if (column == name_column)
          give_text(out, number ? kFacts[row].name : (row == kFacts.size() ? "file" : "backend"));
        if (column == key_type_column) give_text(out, "single");
        if (column == int_column && number) sqlite3_result_int64(out, kFacts[row].number(model));
        if (column == str_column && !number)
          give_text(out, row == kFacts.size() ? model.file() : model.trace().job.backend);
      });
}

ListedRows bounds_rows() {
  return numbered(
      "start_ts INTEGER, end_ts INTEGER", 2, -1, [](const QueryModel&) { return std::uint64_t{1}; },
      [](sqlite3_context* out, const QueryModel& model, std::uint64_t, int column) {
        const TimeRange bounds = model.bounds();
        sqlite3_result_int64(out, model.unix_ns(column == 0 ? bounds.begin_ns : bounds.end_ns));
      });
}

ListedRows self_rows() {
  return {
      "id INTEGER, self_dur INTEGER", 2, 0,
      [](const QueryModel& model, QueryClock& clock, std::uint64_t& out) {
        out = model.event_count();
        return model.self_ns(clock.stop()) != nullptr;
      },
      [](sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row, int column) {
        const Column<std::int64_t>* const self = model.self_ns(clock.stop());
        if (column == 0) sqlite3_result_int64(out, static_cast<std::int64_t>(row));
        if (column == 1 && self != nullptr) sqlite3_result_int64(out, (*self)[row]);
      }};
}

}  // namespace

std::string_view severity_of(DamageReason reason) {
  switch (reason) {
    case DamageReason::overlap_spilled:
    case DamageReason::far_outlier:
    case DamageReason::flow_without_slice:
    case DamageReason::flow_without_partner:
    case DamageReason::flow_begun_again:
    case DamageReason::flow_without_start:
    case DamageReason::samples_not_shown:
    case DamageReason::launch_flow_start:
    case DamageReason::launch_flow_end:
    case DamageReason::further_events:
    case DamageReason::time_in_ns:
    case DamageReason::event_lines:
    case DamageReason::unclosed_array:
    case DamageReason::repaired_document:
    case DamageReason::trailing_data:
      return "info";
    default:
      return drops_event(reason) || ends_early(reason) ? "data_loss" : "error";
  }
}

int register_trace_tables(sqlite3* database, QueryContext& context) {
  const std::pair<const char*, ListedRows (*)()> tables[] = {
      {"thread", thread_rows},       {"process", process_rows},    {"track", track_rows},
      {"counter", counter_rows},     {"stats", stats_rows},        {"metadata", metadata_rows},
      {"trace_bounds", bounds_rows}, {"slice_self_dur", self_rows}};
  for (const auto& [name, rows] : tables) {
    if (const int code = register_table(database, name, listed_table(rows(), context), context);
        code != SQLITE_OK)
      return code;
  }
  return sqlite3_exec(
      database,
      "CREATE TEMP VIEW thread_track AS SELECT id, name, type, utid, parent_id FROM track "
      "WHERE type = 'thread_track';"
      "CREATE TEMP VIEW process_track AS SELECT id, name, type, upid, parent_id FROM track "
      "WHERE type = 'process_track';"
      "CREATE TEMP VIEW counter_track AS SELECT id, name, type, upid, unit, parent_id FROM track "
      "WHERE type = 'counter_track';",
      nullptr, nullptr, nullptr);
}

}  // namespace kino
