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
#include "core/tables/gpu/step_split.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "core/trace/name_text.hpp"
#include "loaders/query/argument_values.hpp"
#include "loaders/query/joined_events.hpp"
#include "loaders/query/listed_table.hpp"

namespace kino {
namespace {

/// A request for a column of a row that is a slice.
struct Asked {
  sqlite3_context* out;
  const QueryModel& model;
  QueryClock& clock;
  const JoinedEvents& joined;
  SliceId slice;

  const Trace& trace() const { return model.trace(); }
  std::uint32_t number() const { return index_of(slice); }
  const EventFacts& facts() const { return joined.facts[facts_number(model.trace(), slice)]; }
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

const Track& track_of(const Asked& it) { return it.trace().track(it.trace().track_of(it.slice)); }

/// Gives an argument that the trace does not store in a column.
void give_argument(const Asked& it, std::string_view key) {
  if (it.model.details() == nullptr) return;
  const Result<std::string> json = it.model.details()->arguments_json(it.model.event_ref(it.number()));
  ArgumentValue value;
  if (!json.ok() || !find_argument(json.value(), key, value)) return;
  if (value.type == ArgumentValue::Type::text) return give_copy(it.out, value.text);
  if (value.type == ArgumentValue::Type::real) return sqlite3_result_double(it.out, value.real);
  sqlite3_result_int64(it.out, value.integer);
}

struct FieldOf {
  const char* declared;
  void (*give)(const Asked& it);
};

void give_id(const Asked& it) { sqlite3_result_int64(it.out, it.number()); }
void give_ts(const Asked& it) {
  sqlite3_result_int64(it.out, it.model.unix_ns(it.model.start_ns(it.number())));
}
void give_dur(const Asked& it) { sqlite3_result_int64(it.out, it.model.duration_ns(it.number())); }
void give_name(const Asked& it) { give_text(it.out, it.model.name_text(it.number())); }
void give_short_name(const Asked& it) { give_copy(it.out, short_name(it.model.name_text(it.number()))); }
void give_kind(const Asked& it) { give_text(it.out, text_of(it.trace().slices.kind[it.number()])); }
void give_device(const Asked& it) {
  if (is_on_gpu(it.trace(), it.slice))
    give_number_or_text(it.out, it.trace().processes[track_of(it).process].pid);
}
void give_stream(const Asked& it) {
  if (is_on_gpu(it.trace(), it.slice)) give_number_or_text(it.out, track_of(it).tid);
}
void give_tid(const Asked& it) {
  if (!is_on_gpu(it.trace(), it.slice)) give_number_or_text(it.out, track_of(it).tid);
}
void give_step(const Asked& it) {
  std::int64_t number = 0;
  if (step_of(it.model, it.joined, it.slice, number)) sqlite3_result_int64(it.out, number);
}
void give_launch_id(const Asked& it) { give_slice(it.out, it.trace().slices.link[it.number()]); }
void give_launch_delay(const Asked& it) {
  if (const auto delay = launch_delay_ns(it.trace(), it.slice)) sqlite3_result_int64(it.out, *delay);
}
void give_launch_delay_why(const Asked& it) {
  const std::string_view why = english(text_of(early_start(it.trace(), it.slice)));
  if (!why.empty()) give_text(it.out, why);
}
void give_op_id(const Asked& it) { give_slice(it.out, operator_of(it.trace(), it.slice)); }
void give_op_name(const Asked& it) {
  const SliceId op = operator_of(it.trace(), it.slice);
  if (op != kNoSlice) give_text(it.out, it.trace().name_of(op));
}
void give_module(const Asked& it) {
  for (SliceId up = cpu_side_of(it.trace(), it.slice); up != kNoSlice; up = it.trace().parent(up)) {
    constexpr std::string_view kModule = "nn.Module: ";
    if (it.trace().name_of(up).starts_with(kModule))
      return give_text(it.out, it.trace().name_of(up).substr(kModule.size()));
  }
}
void give_queue_depth(const Asked& it) {
  const QueueLengths* const lengths = queue_lengths_of(it.model, it.clock.stop());
  if (lengths == nullptr) return;
  const std::uint32_t length = lengths->of_slices[it.number()];
  if (length != kNoQueue) sqlite3_result_int64(it.out, length);
}
void give_tensor_core(const Asked& it) {
  const TensorCores use = tensor_cores_of(it.trace().name_of(it.slice), it.joined.vendor);
  if (use != TensorCores::unknown) sqlite3_result_int(it.out, use == TensorCores::yes ? 1 : 0);
}

/// Null if the call is not counted, or if stopped.
const CallFlop* flop_of(const Asked& it) {
  const CountedFlops* const flops = counted_flops(it.model, it.clock.stop());
  if (flops == nullptr) return nullptr;
  const auto found = std::ranges::lower_bound(flops->calls, it.number(), {},
                                              [](const CallFlop& call) { return index_of(call.call); });
  return found != flops->calls.end() && found->call == it.slice ? &*found : nullptr;
}
void give_flops(const Asked& it) {
  if (const CallFlop* const call = flop_of(it)) sqlite3_result_double(it.out, call->flop);
}
void give_flops_upper_bound(const Asked& it) {
  if (const CallFlop* const call = flop_of(it)) sqlite3_result_int(it.out, call->at_most ? 1 : 0);
}
void give_exposed(const Asked& it) {
  const ExposedTimes* const times = exposed_times(it.model, it.clock.stop());
  if (times == nullptr) return;
  const auto found = std::ranges::lower_bound(times->kernels, it.number(), {},
                                              [](const ExposedKernel& at) { return index_of(at.kernel); });
  if (found != times->kernels.end() && found->kernel == it.slice)
    sqlite3_result_int64(it.out, found->exposed_ns);
}

/// Kernels, copies and memsets.
constexpr FieldOf kWorkFields[] = {
    {"id INTEGER", give_id},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"name TEXT", give_name},
    {"short_name TEXT", give_short_name},
    {"device", give_device},
    {"stream", give_stream},
    {"kind TEXT", give_kind},
    {"grid_x INTEGER", [](const Asked& it) { give_known(it.out, it.facts().grid[0]); }},
    {"grid_y INTEGER", [](const Asked& it) { give_known(it.out, it.facts().grid[1]); }},
    {"grid_z INTEGER", [](const Asked& it) { give_known(it.out, it.facts().grid[2]); }},
    {"block_x INTEGER", [](const Asked& it) { give_known(it.out, it.facts().block[0]); }},
    {"block_y INTEGER", [](const Asked& it) { give_known(it.out, it.facts().block[1]); }},
    {"block_z INTEGER", [](const Asked& it) { give_known(it.out, it.facts().block[2]); }},
    {"registers INTEGER", [](const Asked& it) { give_known(it.out, it.facts().registers); }},
    {"shared_memory INTEGER", [](const Asked& it) { give_known(it.out, it.facts().shared_memory); }},
    {"occupancy REAL",
     [](const Asked& it) {
       if (it.facts().occupancy >= 0) sqlite3_result_double(it.out, it.facts().occupancy);
     }},
    {"launch_id INTEGER", give_launch_id},
    {"launch_delay INTEGER", give_launch_delay},
    {"queue_depth INTEGER", give_queue_depth},
    {"op_id INTEGER", give_op_id},
    {"op_name TEXT", give_op_name},
    {"module TEXT", give_module},
    {"step INTEGER", give_step},
    {"correlation", [](const Asked& it) { give_argument(it, "args.correlation"); }},
    {"graph_id", [](const Asked& it) { give_argument(it, "args.graph id"); }},
    {"graph_node_id", [](const Asked& it) { give_argument(it, "args.graph node id"); }},
    {"tensor_core INTEGER", give_tensor_core},
    {"bytes INTEGER", [](const Asked& it) { give_known(it.out, it.facts().bytes); }},
    {"bandwidth REAL",
     [](const Asked& it) {
       if (it.facts().bandwidth >= 0) sqlite3_result_double(it.out, it.facts().bandwidth);
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
     [](const Asked& it) {
       sqlite3_result_int64(it.out, static_cast<std::int64_t>(launched_by(it.trace(), it.slice).size()));
     }},
    {"gpu_dur INTEGER", [](const Asked& it) {
       std::int64_t sum = 0;
       for (const SliceId work : launched_by(it.trace(), it.slice)) sum += it.trace().duration_ns(work);
       sqlite3_result_int64(it.out, sum);
     }}};

constexpr FieldOf kOperatorFields[] = {
    {"id INTEGER", give_id},
    {"name TEXT", give_name},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"self_dur INTEGER",
     [](const Asked& it) { sqlite3_result_int64(it.out, self_ns(it.trace(), it.slice)); }},
    {"gpu_dur INTEGER",
     [](const Asked& it) {
       const OperatorGpuTime* const time = operator_gpu_time(it.model, it.clock.stop());
       if (time != nullptr) sqlite3_result_int64(it.out, time->total_ns[it.number()]);
     }},
    {"gpu_self INTEGER",
     [](const Asked& it) {
       const OperatorGpuTime* const time = operator_gpu_time(it.model, it.clock.stop());
       if (time != nullptr) sqlite3_result_int64(it.out, time->self_ns[it.number()]);
     }},
    {"input_dims TEXT", [](const Asked& it) { give_known(it.out, it.facts().input_dims); }},
    {"input_types TEXT", [](const Asked& it) { give_known(it.out, it.facts().input_types); }},
    {"sequence", [](const Asked& it) { give_argument(it, "args.Sequence number"); }},
    {"forward_id INTEGER",
     [](const Asked& it) {
       const std::vector<SliceId> forward = forward_of(it.trace(), it.slice);
       if (!forward.empty()) give_slice(it.out, forward.front());
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

CollectiveFacts facts_of(const Asked& it) { return collective_facts(it.trace(), it.joined.facts, it.slice); }

double bandwidth_of(const Asked& it, const CollectiveFacts& facts) {
  const std::int64_t ns = it.trace().slices.duration_ns[it.number()];
  return facts.bytes() < 0 || ns <= 0 ? -1 : static_cast<double>(facts.bytes()) / static_cast<double>(ns);
}

constexpr FieldOf kCollectiveFields[] = {
    {"id INTEGER", give_id},
    {"ts INTEGER", give_ts},
    {"dur INTEGER", give_dur},
    {"name TEXT", [](const Asked& it) { give_text(it.out, text_of(facts_of(it).kind)); }},
    {"kernel TEXT", give_name},
    {"device", give_device},
    {"stream", give_stream},
    {"group_name TEXT", [](const Asked& it) { give_known(it.out, facts_of(it).group); }},
    {"group_size INTEGER", [](const Asked& it) { give_known(it.out, facts_of(it).group_size); }},
    {"seq INTEGER", [](const Asked& it) { give_known(it.out, facts_of(it).sequence); }},
    {"bytes INTEGER", [](const Asked& it) { give_known(it.out, facts_of(it).bytes()); }},
    {"dtype TEXT", [](const Asked& it) { give_known(it.out, facts_of(it).dtype); }},
    {"algbw REAL",
     [](const Asked& it) {
       const double bandwidth = bandwidth_of(it, facts_of(it));
       if (bandwidth >= 0) sqlite3_result_double(it.out, bandwidth);
     }},
    {"busbw REAL",
     [](const Asked& it) {
       const CollectiveFacts facts = facts_of(it);
       const double factor = bus_factor(facts.kind, facts.group_size);
       const double bandwidth = bandwidth_of(it, facts);
       if (bandwidth >= 0 && factor > 0) sqlite3_result_double(it.out, bandwidth * factor);
     }},
    {"exposed INTEGER", give_exposed},
    {"launch_id INTEGER", give_launch_id},
    {"step INTEGER", give_step},
    {"rank INTEGER", nullptr}};  // provided for every table

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
  rows.number_column = 0;  // `id` is the first column
  rows.of_number = [list](const QueryModel& model, std::uint64_t number, std::uint64_t& begin,
                          std::uint64_t& end) {
    const JoinedEvents* const joined = joined_events(model, {});  // not null: the rows were counted
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
  std::vector<SplitStep> rows;
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
      count = static_cast<std::uint64_t>(std::ranges::count_if(steps->rows, &SplitStep::listed));
    }
    return steps != nullptr;
  };
  rows.give = [kRoles](sqlite3_context* out, const QueryModel& model, QueryClock& clock, std::uint64_t row,
                       int column) {
    const StepRows* const steps = kept_steps(model, clock);
    if (steps == nullptr) return;
    const SplitStep& step = steps->rows[row];
    // Unknown figures are NULL, as they are empty in the table of steps.
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

/// The opened files. The rows do not depend on the queried file.
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
      {"kernel", rows_of(kWorkFields, &JoinedEvents::kernels)},
      {"copy", rows_of(kWorkFields, &JoinedEvents::copies)},
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
