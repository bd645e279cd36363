#include "loaders/query/joined_tables.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/gpu/collective_table.hpp"
#include "core/tables/gpu/cpu_meanwhile.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "core/trace/name_text.hpp"
#include "loaders/query/argument_values.hpp"
#include "loaders/query/joined_events.hpp"
#include "loaders/query/listed_table.hpp"

namespace kino {
namespace {

/// A request for a cell: the slice of its row, and the context that receives the value.
struct Cell {
  sqlite3_context* out;
  const QueryModel& model;
  QueryClock& clock;
  const JoinedEvents& joined;
  SliceId slice;

  const Trace& trace() const { return model.trace(); }
  std::uint32_t number() const { return index_of(slice); }
  const EventFacts& facts() const { return joined.facts[facts_index(model.trace(), slice)]; }
};

void give_known(sqlite3_context* out, std::int64_t number) {
  if (number >= 0) sqlite3_result_int64(out, number);
}
void give_known(sqlite3_context* out, std::string_view text) {
  if (!text.empty()) give_text(out, text);
}
void give_slice(sqlite3_context* out, SliceId slice) {
  if (slice != kNoSlice) sqlite3_result_int64(out, index_of(slice));
}

const Track& track_of(const Cell& cell) { return cell.trace().track(cell.trace().track_of(cell.slice)); }

/// Sets the result to an argument that the trace does not store in a column; NULL if it is absent.
void give_argument(const Cell& cell, std::string_view key) {
  if (cell.model.details() == nullptr) return;
  const Result<std::string> json = cell.model.details()->arguments_json(cell.model.event_ref(cell.number()));
  ArgumentValue value;
  if (!json.ok() || !find_argument(json.value(), key, value)) return;
  if (value.type == ArgumentValue::Type::text) return give_copy(cell.out, value.text);
  if (value.type == ArgumentValue::Type::real) return sqlite3_result_double(cell.out, value.real);
  sqlite3_result_int64(cell.out, value.integer);
}

struct FieldOf {
  const char* declared;
  void (*give)(const Cell& cell);
};

void give_id(const Cell& cell) { sqlite3_result_int64(cell.out, cell.number()); }
void give_ts(const Cell& cell) {
  sqlite3_result_int64(cell.out, cell.model.unix_ns(cell.model.start_ns(cell.number())));
}
void give_dur(const Cell& cell) { sqlite3_result_int64(cell.out, cell.model.duration_ns(cell.number())); }
void give_name(const Cell& cell) { give_text(cell.out, cell.model.name_text(cell.number())); }
void give_short_name(const Cell& cell) {
  give_copy(cell.out, short_name(cell.model.name_text(cell.number())));
}
void give_kind(const Cell& cell) { give_text(cell.out, text_of(cell.trace().slices.kind[cell.number()])); }
void give_device(const Cell& cell) {
  if (is_on_gpu(cell.trace(), cell.slice))
    give_number_or_text(cell.out, cell.trace().processes[track_of(cell).process].pid);
}
void give_stream(const Cell& cell) {
  if (is_on_gpu(cell.trace(), cell.slice)) give_number_or_text(cell.out, track_of(cell).tid);
}
void give_tid(const Cell& cell) {
  if (!is_on_gpu(cell.trace(), cell.slice)) give_number_or_text(cell.out, track_of(cell).tid);
}
void give_step(const Cell& cell) {
  std::int64_t number = 0;
  if (step_of(cell.model, cell.joined, cell.slice, number)) sqlite3_result_int64(cell.out, number);
}
void give_launch_id(const Cell& cell) { give_slice(cell.out, cell.trace().slices.link[cell.number()]); }
void give_launch_delay(const Cell& cell) {
  if (const auto delay = launch_delay_ns(cell.trace(), cell.slice)) sqlite3_result_int64(cell.out, *delay);
}
void give_launch_delay_why(const Cell& cell) {
  const std::string_view why = english(text_of(early_start(cell.trace(), cell.slice)));
  if (!why.empty()) give_text(cell.out, why);
}
void give_op_id(const Cell& cell) { give_slice(cell.out, operator_of(cell.trace(), cell.slice)); }
void give_op_name(const Cell& cell) {
  const SliceId op = operator_of(cell.trace(), cell.slice);
  if (op != kNoSlice) give_text(cell.out, cell.trace().name_of(op));
}
void give_module(const Cell& cell) {
  for (SliceId up = cpu_side_of(cell.trace(), cell.slice); up != kNoSlice; up = cell.trace().parent(up)) {
    constexpr std::string_view kModule = "nn.Module: ";
    if (cell.trace().name_of(up).starts_with(kModule))
      return give_text(cell.out, cell.trace().name_of(up).substr(kModule.size()));
  }
}
void give_queue_depth(const Cell& cell) {
  const QueueLengths* const lengths = queue_lengths_of(cell.model, cell.clock.stop());
  if (lengths == nullptr) return;
  const std::uint32_t length = lengths->of_slices[cell.number()];
  if (length != kNoQueue) sqlite3_result_int64(cell.out, length);
}
void give_tensor_core(const Cell& cell) {
  const TensorCores use = tensor_cores_of(cell.trace().name_of(cell.slice), cell.joined.vendor);
  if (use != TensorCores::unknown) sqlite3_result_int(cell.out, use == TensorCores::yes ? 1 : 0);
}

/// Returns the FLOPs of a call; null if the call is not counted, or if stopped.
const CallFlop* flop_of(const Cell& cell) {
  const CountedFlops* const flops = counted_flops(cell.model, cell.clock.stop());
  if (flops == nullptr) return nullptr;
  const auto found = std::ranges::lower_bound(flops->calls, cell.number(), {},
                                              [](const CallFlop& call) { return index_of(call.call); });
  return found != flops->calls.end() && found->call == cell.slice ? &*found : nullptr;
}
void give_flops(const Cell& cell) {
  if (const CallFlop* const call = flop_of(cell)) sqlite3_result_double(cell.out, call->flop);
}
void give_flops_upper_bound(const Cell& cell) {
  if (const CallFlop* const call = flop_of(cell)) sqlite3_result_int(cell.out, call->at_most ? 1 : 0);
}
void give_exposed(const Cell& cell) {
  const ExposedTimes* const times = exposed_times(cell.model, cell.clock.stop());
  if (times == nullptr) return;
  const auto found = std::ranges::lower_bound(times->kernels, cell.number(), {},
                                              [](const ExposedKernel& at) { return index_of(at.kernel); });
  if (found != times->kernels.end() && found->kernel == cell.slice)
    sqlite3_result_int64(cell.out, found->exposed_ns);
}

/// Kernels, copies and memsets.
constexpr FieldOf kJoinedWorkFields[] = {
    {"id INTEGER", give_id},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"name TEXT", give_name},
    {"short_name TEXT", give_short_name},
    {"device", give_device},
    {"stream", give_stream},
    {"kind TEXT", give_kind},
    {"grid_x INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().grid[0]); }},
    {"grid_y INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().grid[1]); }},
    {"grid_z INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().grid[2]); }},
    {"block_x INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().block[0]); }},
    {"block_y INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().block[1]); }},
    {"block_z INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().block[2]); }},
    {"registers INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().registers); }},
    {"shared_memory INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().shared_memory); }},
    {"occupancy REAL",
     [](const Cell& cell) {
       if (cell.facts().occupancy >= 0) sqlite3_result_double(cell.out, cell.facts().occupancy);
     }},
    {"launch_id INTEGER", give_launch_id},
    {"launch_delay INTEGER", give_launch_delay},
    {"queue_depth INTEGER", give_queue_depth},
    {"op_id INTEGER", give_op_id},
    {"op_name TEXT", give_op_name},
    {"module TEXT", give_module},
    {"step INTEGER", give_step},
    {"correlation", [](const Cell& cell) { give_argument(cell, "args.correlation"); }},
    {"graph_id", [](const Cell& cell) { give_argument(cell, "args.graph id"); }},
    {"graph_node_id", [](const Cell& cell) { give_argument(cell, "args.graph node id"); }},
    {"tensor_core INTEGER", give_tensor_core},
    {"bytes INTEGER", [](const Cell& cell) { give_known(cell.out, cell.facts().bytes); }},
    {"bandwidth REAL",
     [](const Cell& cell) {
       if (cell.facts().bandwidth >= 0) sqlite3_result_double(cell.out, cell.facts().bandwidth);
     }},
    {"launch_delay_why TEXT", give_launch_delay_why}};

constexpr FieldOf kLaunchFields[] = {
    {"id INTEGER", give_id},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"name TEXT", give_name},
    {"tid", give_tid},
    {"op_id INTEGER", give_op_id},
    {"op_name TEXT", give_op_name},
    {"module TEXT", give_module},
    {"step INTEGER", give_step},
    {"work_id INTEGER", give_launch_id},
    {"work_count INTEGER",
     [](const Cell& cell) {
       sqlite3_result_int64(cell.out,
                            static_cast<std::int64_t>(launched_by(cell.trace(), cell.slice).size()));
     }},
    {"gpu_dur INTEGER", [](const Cell& cell) {
       std::int64_t sum = 0;
       for (const SliceId work : launched_by(cell.trace(), cell.slice)) sum += cell.trace().duration_ns(work);
       sqlite3_result_int64(cell.out, sum);
     }}};

constexpr FieldOf kOperatorFields[] = {
    {"id INTEGER", give_id},
    {"name TEXT", give_name},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"self_dur INTEGER",
     [](const Cell& cell) { sqlite3_result_int64(cell.out, self_ns(cell.trace(), cell.slice)); }},
    {"gpu_dur INTEGER",
     [](const Cell& cell) {
       const OperatorGpuTime* const time = operator_gpu_time(cell.model, cell.clock.stop());
       if (time != nullptr) sqlite3_result_int64(cell.out, time->total_ns[cell.number()]);
     }},
    {"gpu_self INTEGER",
     [](const Cell& cell) {
       const OperatorGpuTime* const time = operator_gpu_time(cell.model, cell.clock.stop());
       if (time != nullptr) sqlite3_result_int64(cell.out, time->self_ns[cell.number()]);
     }},
    {"input_dims TEXT", [](const Cell& cell) { give_known(cell.out, cell.facts().input_dims); }},
    {"input_types TEXT", [](const Cell& cell) { give_known(cell.out, cell.facts().input_types); }},
    {"sequence", [](const Cell& cell) { give_argument(cell, "args.Sequence number"); }},
    {"forward_id INTEGER",
     [](const Cell& cell) {
       const std::vector<SliceId> forward = forward_of(cell.trace(), cell.slice);
       if (!forward.empty()) give_slice(cell.out, forward.front());
     }},
    {"module TEXT", give_module},
    {"flops REAL", give_flops},
    {"tid", give_tid},
    {"step INTEGER", give_step},
    {"flops_upper_bound INTEGER", give_flops_upper_bound}};

constexpr FieldOf kSpanFields[] = {
    {"id INTEGER", give_id},        {"ts INTEGER", give_ts},    {"dur INTEGER", give_dur},
    {"name TEXT", give_name},       {"kind TEXT", give_kind},   {"tid", give_tid},
    {"device", give_device},        {"stream", give_stream},    {"op_id INTEGER", give_op_id},
    {"op_name TEXT", give_op_name}, {"step INTEGER", give_step}};

CollectiveFacts facts_of(const Cell& cell) {
  return collective_facts(cell.trace(), cell.joined.facts, cell.slice);
}

double bandwidth_of(const Cell& cell, const CollectiveFacts& facts) {
  const std::int64_t ns = cell.trace().slices.duration_ns[cell.number()];
  return facts.bytes() < 0 || ns <= 0 ? -1 : static_cast<double>(facts.bytes()) / static_cast<double>(ns);
}

constexpr FieldOf kCollectiveFields[] = {
    {"id INTEGER", give_id},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"name TEXT", [](const Cell& cell) { give_text(cell.out, text_of(facts_of(cell).kind)); }},
    {"kernel TEXT", give_name},
    {"device", give_device},
    {"stream", give_stream},
    {"group_name TEXT", [](const Cell& cell) { give_known(cell.out, facts_of(cell).group); }},
    {"group_size INTEGER", [](const Cell& cell) { give_known(cell.out, facts_of(cell).group_size); }},
    {"seq INTEGER", [](const Cell& cell) { give_known(cell.out, facts_of(cell).sequence); }},
    {"bytes INTEGER", [](const Cell& cell) { give_known(cell.out, facts_of(cell).bytes()); }},
    {"dtype TEXT", [](const Cell& cell) { give_known(cell.out, facts_of(cell).dtype); }},
    {"algbw REAL",
     [](const Cell& cell) {
       const double bandwidth = bandwidth_of(cell, facts_of(cell));
       if (bandwidth >= 0) sqlite3_result_double(cell.out, bandwidth);
     }},
    {"busbw REAL",
     [](const Cell& cell) {
       const CollectiveFacts facts = facts_of(cell);
       const double factor = bus_factor(facts.kind, facts.group_size);
       const double bandwidth = bandwidth_of(cell, facts);
       if (bandwidth >= 0 && factor > 0) sqlite3_result_double(cell.out, bandwidth * factor);
     }},
    {"exposed INTEGER", give_exposed},
    {"launch_id INTEGER", give_launch_id},
    {"step INTEGER", give_step},
    {"rank INTEGER", nullptr}};  // filled in by virtual_table.cpp for every table

ListedRows rows_of(std::span<const FieldOf> fields, std::vector<SliceId> JoinedEvents::*list) {
  ListedRows rows;
  for (const FieldOf& field : fields)
    rows.columns += (rows.columns.empty() ? "" : ", ") + std::string(field.declared);
  rows.column_count = static_cast<int>(fields.size());
  rows.count = [list](const QueryModel& model, QueryClock& clock, std::uint64_t& count) {
    const JoinedEvents* const joined = joined_events(model, clock.stop());
    if (joined != nullptr) count = (joined->*list).size();
    return joined != nullptr;
  };
  rows.number_column = 0;  // the column `id`
  rows.of_number = [list](const QueryModel& model, std::uint64_t number, std::uint64_t& begin,
                          std::uint64_t& end) {
    const JoinedEvents* const joined = joined_events(model, {});  // not null: the rows were counted before
    const std::vector<SliceId>& slices = joined->*list;
    const auto found = std::ranges::lower_bound(slices, number, {}, [](SliceId id) { return index_of(id); });
    begin = static_cast<std::uint64_t>(found - slices.begin());
    end = begin + (found != slices.end() && index_of(*found) == number ? 1 : 0);
  };
  rows.give = [fields, list](sqlite3_context* out, const QueryModel& model, QueryClock& clock,
                             std::uint64_t row, int column) {
    const JoinedEvents* const joined = joined_events(model, clock.stop());
    if (joined != nullptr)
      fields[static_cast<std::size_t>(column)].give({out, model, clock, *joined, (joined->*list)[row]});
  };
  return rows;
}

/// Named type for QueryModel::kept().
struct StepRows {
  std::vector<StepBreakdown> rows;
};

const StepRows* kept_steps(const QueryModel& model, QueryClock& clock) {
  const JoinedEvents* const joined = joined_events(model, clock.stop());
  if (joined == nullptr) return nullptr;
  return model.kept<StepRows>(
      clock.stop(), [&] { return StepRows{step_rows(model.trace(), joined->steps, clock.stop())}; });
}

ListedRows step_listing() {
  constexpr std::array kRoles{StepRole::compute, StepRole::communication, StepRole::memcpy, StepRole::memset,
                              StepRole::runtime, StepRole::data_loading,  StepRole::cpu,    StepRole::idle};
  ListedRows rows;
  rows.columns =
      "number INTEGER, id INTEGER, ts INTEGER, dur INTEGER, gpu_work INTEGER, hidden_communication INTEGER, "
      "compute INTEGER, communication INTEGER, memcpy INTEGER, memset INTEGER, runtime INTEGER, data_loading "
      "INTEGER, cpu "
      "INTEGER, idle INTEGER";
  rows.column_count = 6 + static_cast<int>(kRoles.size());
  rows.count = [](const QueryModel& model, QueryClock& clock, std::uint64_t& count) {
    const StepRows* const steps = kept_steps(model, clock);
    if (steps != nullptr) {
      count = static_cast<std::uint64_t>(std::ranges::count_if(steps->rows, &StepBreakdown::listed));
    }
    return steps != nullptr;
  };
  rows.give = [kRoles](sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                       int column) {
    const StepRows* const steps = kept_steps(model, clock);
    if (steps == nullptr) return;
    const StepBreakdown& step = steps->rows[row];
    // Unknown figures are NULL in SQL, and empty in the table of steps.
    const auto give = [out](const std::optional<std::int64_t>& value) {
      if (value) sqlite3_result_int64(out, *value);
    };
    if (column == 0 && !step.marked()) return;
    if (column == 0) return give_number_or_text(out, step.name);
    if (column == 1) return give_slice(out, step.slice);
    if (column == 2) return sqlite3_result_int64(out, model.unix_ns(step.range.begin_ns));
    if (column == 3) return sqlite3_result_int64(out, step.range.length_ns());
    if (column == 4) return give(step.known_gpu_work());
    if (column == 5) return give(step.known_hidden_communication_ns());
    give(step.known_ns(kRoles[static_cast<std::size_t>(column - 6)]));
  };
  return rows;
}

struct GapRows {
  std::vector<GpuGap> rows;
};

const GapRows* kept_gaps(const QueryModel& model, QueryClock& clock) {
  const JoinedEvents* const joined = joined_events(model, clock.stop());
  if (joined == nullptr) return nullptr;
  return model.kept<GapRows>(clock.stop(), [&] {
    const TimeRange whole = whole_range(model.trace());
    const GpuWork work = gpu_work_in(model.trace(), whole, clock.stop());
    GapRows gaps{
        gpu_gaps(model.trace(), work, gap_window(model.trace(), work, joined->steps, whole), clock.stop())};
    mark_lost_work(model.trace(), gaps.rows, gap_facts(model.trace(), clock.stop()));
    return gaps;
  });
}

ListedRows gap_listing() {
  enum { ts_column, dur_column, device_column, place_column, cause_column, before_column, after_column };
  ListedRows rows;
  rows.columns =
      "ts INTEGER, dur INTEGER, device, place TEXT, cause TEXT, before_id INTEGER, after_id INTEGER";
  rows.column_count = after_column + 1;
  rows.count = [](const QueryModel& model, QueryClock& clock, std::uint64_t& count) {
    const GapRows* const gaps = kept_gaps(model, clock);
    if (gaps != nullptr) count = gaps->rows.size();
    return gaps != nullptr;
  };
  rows.give = [](sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                 int column) {
    const GapRows* const gaps = kept_gaps(model, clock);
    if (gaps == nullptr) return;
    const GpuGap& gap = gaps->rows[row];
    if (column == ts_column) sqlite3_result_int64(out, model.unix_ns(gap.range.begin_ns));
    if (column == dur_column) sqlite3_result_int64(out, gap.range.length_ns());
    if (column == device_column) give_number_or_text(out, model.trace().processes[gap.process].pid);
    if (column == place_column) give_text(out, english(text_of(gap.place)));
    if (column == cause_column) give_text(out, english(text_of(gap.cause)));
    if (column == before_column) give_slice(out, gap.before);
    if (column == after_column) give_slice(out, gap.after);
  };
  return rows;
}

/// Rows of the table `file`: the opened files. They do not depend on the queried file.
ListedRows file_listing(const QueryContext& context) {
  enum { number_column, name_column, rank_column, world_size_column, slices_column };
  ListedRows rows;
  rows.columns = "number INTEGER, name TEXT, rank INTEGER, world_size INTEGER, slices INTEGER";
  rows.column_count = slices_column + 1;
  rows.count = [&context](const QueryModel&, QueryClock&, std::uint64_t& count) {
    count = context.files.size();
    return true;
  };
  rows.give = [&context](sqlite3_context* out, const QueryModel&, QueryClock&, std::uint64_t row,
                         int column) {
    const QueryModel& model = *context.files[row];
    if (column == number_column) sqlite3_result_int64(out, static_cast<std::int64_t>(row + 1));
    if (column == name_column) give_text(out, model.file());
    if (column == rank_column) give_known(out, model.rank());
    if (column == world_size_column) give_known(out, model.trace().job.world_size);
    if (column == slices_column) sqlite3_result_int64(out, model.slice_count());
  };
  rows.of_one_file = false;
  return rows;
}

}  // namespace

int register_joined_tables(sqlite3* database, QueryContext& context) {
  std::pair<const char*, ListedRows> tables[] = {
      {"kernel", rows_of(kJoinedWorkFields, &JoinedEvents::kernels)},
      {"copy", rows_of(kJoinedWorkFields, &JoinedEvents::copies)},
      {"launch", rows_of(kLaunchFields, &JoinedEvents::launches)},
      {"operator", rows_of(kOperatorFields, &JoinedEvents::operators)},
      {"collective", rows_of(kCollectiveFields, &JoinedEvents::collectives)},
      {"annotation", rows_of(kSpanFields, &JoinedEvents::annotations)},
      {"sync", rows_of(kSpanFields, &JoinedEvents::waits)},
      {"step", step_listing()},
      {"gap", gap_listing()},
      {"file", file_listing(context)}};
  for (auto& [name, rows] : tables) {
    if (const int code = register_table(database, name, listed_table(std::move(rows), context), context);
        code != SQLITE_OK)
      return code;
  }
  return sqlite3_exec(
      database,
      "CREATE TEMP VIEW damage AS SELECT name, severity, value AS count, description, first_offset, "
      "sample FROM stats WHERE value > 0",
      nullptr, nullptr, nullptr);
}

}  // namespace kino
