#include "core/tables/gpu/step_breakdown.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/duration_list.hpp"
#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/cpu_collectives.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

constexpr std::size_t kIdle = static_cast<std::size_t>(StepRole::idle);

/// Returns the role of a CPU event; StepRole::idle if it has none.
StepRole role_on_cpu(SliceKind kind, std::uint8_t name_role) {
  switch (kind) {
    case SliceKind::runtime:
      return StepRole::runtime;
    case SliceKind::cpu_op:
    case SliceKind::annotation:
      return static_cast<StepRole>(name_role);
    default:
      return StepRole::idle;
  }
}

/// Whether the name is a memset of CUDA, HIP or Level Zero.
bool is_memset(std::string_view name) { return contains(name, "emset") || contains(name, "MemoryFill"); }

/// Collects the intervals of each role.
class RoleIntervals {
 public:
  explicit RoleIntervals(const Trace& trace) : trace_(trace) {
    // Roles by name, for operators and annotations.
    name_role_.assign(trace.names.size(), static_cast<std::uint8_t>(StepRole::cpu));
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      const std::string_view name = trace.names[i];
      if (is_step_name(name)) name_role_[i] = static_cast<std::uint8_t>(StepRole::idle);
      if (is_data_loading(name)) name_role_[i] = static_cast<std::uint8_t>(StepRole::data_loading);
    }
  }

  bool gather(const std::stop_token& stop) {
    inside_.resize(trace_.slice_count());
    for (const Track& track : trace_.tracks) {
      for (const Row& row : rows_of(trace_, track)) {
        if (!gather_row(row, track.kind, stop)) return false;
      }
    }
    inside_ = {};
    return !stop.stop_requested();
  }

  /// Moves out the intervals of a role, merged and sorted.
  std::vector<TimeRange> take(std::size_t role) { return united(std::move(lists_[role])); }

 private:
  bool gather_row(const Row& row, TrackKind kind, const std::stop_token& stop) {
    const SliceColumns& slices = trace_.slices;
    if (kind != TrackKind::cpu_thread && kind != TrackKind::gpu_stream) return true;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return false;
      const bool on_gpu = kind == TrackKind::gpu_stream;
      const StepRole role =
          on_gpu ? role_on_gpu(i) : role_on_cpu(slices.kind[i], name_role_[index_of(slices.name[i])]);
      // A slice within another slice of its role adds nothing to the union.
      const std::uint8_t around =
          on_gpu || slices.parent[i] == kNoSlice ? std::uint8_t{0} : inside_[index_of(slices.parent[i])];
      const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(role));
      inside_[i] = around | bit;
      if (role == StepRole::idle || (around & bit) != 0) continue;
      if (slices.duration_ns[i] <= 0) continue;
      lists_[static_cast<std::size_t>(role)].push_back({slices.start_ns[i], trace_.end_ns(SliceId{i})});
    }
    return true;
  }

  StepRole role_on_gpu(std::uint32_t slice) const {
    switch (trace_.slices.kind[slice]) {
      case SliceKind::compute:
        return StepRole::compute;
      case SliceKind::communication:
        return StepRole::communication;
      case SliceKind::copy:
        return is_memset(trace_.name_of(SliceId{slice})) ? StepRole::memset : StepRole::memcpy;
      default:
        return StepRole::idle;
    }
  }

  const Trace& trace_;
  std::vector<std::uint8_t> name_role_;
  std::vector<std::uint8_t> inside_;  // bit mask of the roles of the slice and of enclosing slices, by
                                      // SliceId
  std::array<std::vector<TimeRange>, kStepRoleCount> lists_;
};

/// Count and extent of a step's GPU work.
struct DeviceWork {
  std::uint64_t count = 0;
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
};

/// Range from the first start to the last end of a set of slices.
struct Hull {
  TimeRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};

  bool empty() const { return range.begin_ns > range.end_ns; }
  void add(const Trace& trace, SliceId slice) {
    range.begin_ns = std::min(range.begin_ns, trace.start_ns(slice));
    range.end_ns = std::max(range.end_ns, trace.end_ns(slice));
  }
};

StepWindow without_steps(const Trace& trace, const GpuWork& work) {
  Hull operators;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.slices.kind[i] == SliceKind::cpu_op) operators.add(trace, SliceId{i});
  }
  Hull gpu;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) gpu.add(trace, slice);
  }
  StepWindow row;
  row.name = "0";
  row.range = trace.content;
  row.operators = !operators.empty();
  if (!operators.empty()) row.range = operators.range;
  if (!gpu.empty()) row.range = gpu.range;
  if (!gpu.empty()) row.tensorboard = gpu.range;
  if (!operators.empty()) row.tensorboard = operators.range;
  return row;
}

/// Finds the GPU work launched by each step's calls.
class DeviceWorkFinder {
 public:
  DeviceWorkFinder(const Trace& trace, std::vector<StepWindow>& rows)
      : trace_(trace), rows_(rows), device_(rows.size()) {}

  /// Returns the GPU work by step, as the plugin assigns it: a call belongs to a step if it is entirely
  /// within the step.
  const std::vector<DeviceWork>& run(const GpuWork& work) {
    for (const StreamWork& stream : work.streams) {
      for (const SliceId slice : stream.slices) add(slice);
    }
    return device_;
  }
  /// Returns the end times of work that the plugin assigns to no step.
  const std::vector<std::int64_t>& other_ends() const { return other_ends_; }

 private:
  void add(SliceId slice) {
    const SliceId launch = trace_.link(slice);
    const std::int64_t end_ns = trace_.end_ns(slice);
    const std::size_t owner = launch == kNoSlice ? rows_.size() : step_at(launch);
    // In a trace without steps, all work with a recorded launch counts, even if its call precedes the GPU's
    // window.
    const std::size_t counted = launch != kNoSlice && !rows_.front().marked() ? 0 : owner;
    if (counted < rows_.size()) {
      StepWindow& row = rows_[counted];
      ++row.gpu_work;
      row.work_end_ns = row.work_end_ns == kNoInteger ? end_ns : std::max(row.work_end_ns, end_ns);
    }
    if (owner == rows_.size() || trace_.end_ns(launch) > rows_[owner].tensorboard.end_ns) {
      other_ends_.push_back(end_ns);
      return;
    }
    DeviceWork& own = device_[owner];
    ++own.count;
    own.first_ns = std::min(own.first_ns, trace_.start_ns(slice));
    own.last_ns = std::max(own.last_ns, end_ns);
  }

  /// Returns the index of the step in which `call` starts; rows_.size() if there is none.
  std::size_t step_at(SliceId call) const {
    const std::int64_t start_ns = trace_.start_ns(call);
    const auto after = std::ranges::upper_bound(
        rows_, start_ns, {}, [](const StepWindow& row) { return row.tensorboard.begin_ns; });
    if (after == rows_.begin() || std::prev(after)->tensorboard.end_ns <= start_ns) return rows_.size();
    return static_cast<std::size_t>(std::prev(after) - rows_.begin());
  }

  const Trace& trace_;
  std::vector<StepWindow>& rows_;
  std::vector<DeviceWork> device_;
  std::vector<std::int64_t> other_ends_;
};

/// Extends the plugin's range of each row to the GPU work that its calls launched. Marks last steps with
/// missing GPU work as incomplete.
void extend_to_device(const Trace& trace, const GpuWork& work, std::vector<StepWindow>& rows) {
  DeviceWorkFinder finder(trace, rows);
  const std::vector<DeviceWork>& device = finder.run(work);
  std::int64_t previous_end = rows.front().tensorboard.begin_ns;
  if (device.front().count > 0) {
    for (const std::int64_t end : finder.other_ends()) {
      if (end < device.front().first_ns) previous_end = std::max(previous_end, end);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TimeRange& window = rows[i].tensorboard;
    window.begin_ns = std::max(window.begin_ns, previous_end);
    window.end_ns = std::max(window.end_ns, device[i].last_ns);
    window.end_ns = std::max(window.end_ns, window.begin_ns);
    previous_end = window.end_ns;
  }
  if (work.size() == 0) return;
  std::size_t whole = rows.size();
  while (whole > 1 && device[whole - 1].count == 0) --whole;
  constexpr double kWhole = 0.8;  // as in the plugin
  if (whole > 1 &&
      static_cast<double>(device[whole - 1].count) < kWhole * static_cast<double>(device[whole - 2].count)) {
    --whole;
  }
  for (std::size_t i = whole; i < rows.size(); ++i) rows[i].complete = false;
}

std::uint32_t process_of(const Trace& trace, SliceId slice) {
  return trace.track(trace.track_of(slice)).process;
}

/// Returns a process that launches GPU work. nullopt if a process in `marking` launches some, or if no launch
/// is known.
std::optional<std::uint32_t> other_launching_process(const Trace& trace,
                                                     const std::set<std::uint32_t>& marking) {
  std::optional<std::uint32_t> other;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    const SliceId launch = trace.slices.link[i];
    if (launch == kNoSlice || !is_gpu_work(trace.slices.kind[i])) continue;
    const std::uint32_t process = process_of(trace, launch);
    if (marking.contains(process)) return std::nullopt;
    if (!other) other = process;
  }
  return other;
}

/// Returns notes on steps with much GPU work launched before the step. Empty for many steps, since work that
/// a step takes over is then balanced by work that it leaves to the next step.
std::vector<Message> earlier_work_notes(const std::vector<StepWindow>& steps) {
  constexpr std::ptrdiff_t kFewSteps = 4;
  constexpr double kMuch = 0.1;  // share of the GPU time of a step
  std::vector<Message> notes;
  if (std::ranges::count_if(steps, is_used, &StepWindow::use) > kFewSteps) return notes;
  for (const StepWindow& step : steps) {
    // A cut step already has a note on these launches.
    if (step.use != StepUse::used || step.earlier.share <= kMuch) continue;
    notes.emplace_back(msg::gpu_work_launched_before_step_ends, step.name,
                       text_from_duration(step.earlier.end_ns - step.range.begin_ns),
                       text_from_share(step.earlier.share));
  }
  return notes;
}

/// Returns the note on the row of a trace without steps.
msg::Id unmarked_note(const StepBreakdown& row) {
  if (!row.listed()) return msg::no_steps_operators_calls_or_work;
  if (row.split.recorded.gpu_work) return msg::no_steps_row_covers_device_window;
  if (row.operators) return msg::no_steps_row_covers_operators;
  return msg::no_steps_row_covers_trace;
}

/// Returns notes on the row of a trace without steps, and on columns that are empty.
std::vector<Message> row_notes(const std::vector<StepBreakdown>& rows) {
  if (rows.empty()) return {};
  std::vector<Message> notes;
  if (!rows.front().marked()) notes.emplace_back(unmarked_note(rows.front()));
  const RecordedKinds& recorded = rows.front().split.recorded;
  if (!rows.front().listed()) return notes;
  if (!recorded.gpu_work) {
    notes.emplace_back(msg::no_gpu_work_columns_empty);
  } else if (!recorded.kernels || !recorded.calls || !recorded.operators) {
    notes.emplace_back(msg::a_column_is_empty_if_events);
  }
  return notes;
}

struct RoleColumn {
  StepRole role;
  const char* key;
  msg::Id title;
  msg::Id about;
};
constexpr std::array<RoleColumn, kStepRoleCount> kRoleColumns{
    {{StepRole::compute, "compute_ns", msg::compute, msg::a_kernel_computes},
     {StepRole::communication, "communication_ns", msg::exposed_communication,
      msg::a_collective_runs_and_nothing_computes},
     {StepRole::memcpy, "memcpy_ns", msg::memcpy, msg::a_copy_runs},
     {StepRole::memset, "memset_ns", msg::memset, msg::a_memset_runs},
     {StepRole::runtime, "runtime_ns", msg::runtime, msg::the_cpu_is_in_a_runtime},
     {StepRole::data_loading, "data_loading_ns", msg::data_loading, msg::the_data_loader_runs},
     {StepRole::cpu, "cpu_ns", msg::cpu, msg::another_operator_or_annotation_runs},
     {StepRole::idle, "idle_ns", msg::nothing_recorded, msg::neither_the_gpu_nor_an_operator}}};

constexpr std::string_view kStepKeys[] = {"name"};

}  // namespace

std::string_view text_of(StepRole role) {
  constexpr std::array<std::string_view, 8> kNames{"compute", "communication", "memcpy", "memset",
                                                   "runtime", "data_loading",  "cpu",    "idle"};
  return kNames[static_cast<std::size_t>(role)];
}

msg::Id shown_name(StepRole role) {
  constexpr std::array<msg::Id, kStepRoleCount> kNames{
      msg::word_compute, msg::word_communication, msg::word_memcpy, msg::word_memset,
      msg::word_runtime, msg::word_data_loading,  msg::word_cpu,    msg::no_operator_or_runtime_call};
  return kNames[static_cast<std::size_t>(role)];
}

bool is_recorded(StepRole role, const RecordedKinds& kinds) {
  switch (role) {
    case StepRole::compute:
    case StepRole::communication:
      return kinds.kernels;
    case StepRole::memcpy:
    case StepRole::memset:
      return kinds.gpu_work;
    case StepRole::runtime:
      return kinds.calls;
    case StepRole::data_loading:
    case StepRole::cpu:
      return kinds.operators;
    case StepRole::idle:
      return kinds.operators || kinds.calls;
  }
  return true;
}

SliceRoles::SliceRoles(const Trace& trace, const std::stop_token& stop) {
  RoleIntervals roles(trace);
  if (!roles.gather(stop)) return;
  recorded_ = recorded_kinds(trace, stop);
  std::vector<TimeRange> taken;
  for (std::size_t role = 0; role < kIdle && !stop.stop_requested(); ++role) {
    const std::vector<TimeRange> all = roles.take(role);
    if (role == static_cast<std::size_t>(StepRole::communication)) communication_ = BusyLine(all);
    own_[role] = BusyLine(without_ranges(all, taken));
    taken.insert(taken.end(), all.begin(), all.end());
    taken = united(std::move(taken));
  }
  communication_on_cpu_ = communication_.empty() && !cpu_collectives(trace, stop).empty();
}

TimeBreakdown SliceRoles::split(TimeRange window) const {
  TimeBreakdown split;
  split.window = window;
  split.recorded = recorded_;
  if (std::ranges::all_of(own_, &BusyLine::empty)) return split;
  const auto time_in = [&](const BusyLine& line) {
    return window.length_ns() <= 0 ? 0 : line.covered(window.begin_ns, window.end_ns);
  };
  std::int64_t known_ns = 0;
  for (std::size_t role = 0; role < kIdle; ++role) known_ns += split.role_ns[role] = time_in(own_[role]);
  split.role_ns[kIdle] = window.length_ns() - known_ns;
  split.hidden_communication_ns = time_in(communication_) - split[StepRole::communication];
  split.communication_on_cpu = communication_on_cpu_;
  return split;
}

std::vector<StepWindow> step_windows(const Trace& trace, const Steps& steps, const std::stop_token& stop) {
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  std::vector<StepWindow> rows;
  for (const Step& step : steps.steps) {
    StepWindow& row = rows.emplace_back();
    row.name = std::to_string(step.number);
    row.slice = step.slice;
    row.range = row.tensorboard = step.range;
  }
  const StepChoice choice = choose_steps(trace, work, step_ranges(steps));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].use = choice.uses[i];
    rows[i].unlaunched = choice.unlaunched[i];
    rows[i].earlier = choice.earlier[i];
  }
  if (rows.empty()) rows.push_back(without_steps(trace, work));
  extend_to_device(trace, work, rows);
  if (stop.stop_requested()) return {};
  return rows;
}

std::vector<Message> mark_notes(const Trace& trace, const std::vector<StepWindow>& steps) {
  constexpr std::int64_t kClearlyAhead = 4;  // the CPU is clearly ahead if the work ends more than a quarter
                                             // of a step after the mark
  // Texts by number of steps: the median is used only from three steps on.
  constexpr std::array<msg::Id, 4> kLag{msg::step_times_are_cpu_marks, msg::step_times_are_cpu_marks,
                                        msg::step_times_are_cpu_marks_mean,
                                        msg::step_times_are_cpu_marks_median};
  std::set<std::uint32_t> marking;
  std::vector<std::int64_t> lags_ns;
  std::vector<std::int64_t> lengths_ns;
  for (const StepWindow& step : steps) {
    if (step.slice == kNoSlice) continue;
    marking.insert(process_of(trace, step.slice));
    if (!is_used(step.use) || step.gpu_work == 0 || step.work_end_ns == kNoInteger) continue;
    lags_ns.push_back(std::max<std::int64_t>(0, step.work_end_ns - step.range.end_ns));
    lengths_ns.push_back(step.range.length_ns());
  }
  if (marking.empty()) return {};
  if (const std::optional<std::uint32_t> other = other_launching_process(trace, marking)) {
    return {Message(msg::steps_marked_in_other_process, unique_process_title(trace, *marking.begin()),
                    unique_process_title(trace, *other))
                .then(msg::numbers_still_refer_to_these_steps)};
  }
  const std::int64_t lag_ns = duration_stats(lags_ns).median_ns;
  if (lag_ns <= duration_stats(lengths_ns).median_ns / kClearlyAhead) return earlier_work_notes(steps);
  return {{kLag[std::min<std::size_t>(lags_ns.size(), 3)], text_from_duration(lag_ns)}};
}

std::optional<std::int64_t> StepBreakdown::known_ns(StepRole role) const {
  if (!split.known() || !is_recorded(role, split.recorded)) return std::nullopt;
  if (role == StepRole::communication && split.communication_on_cpu) return std::nullopt;
  return split[role];
}

std::optional<std::int64_t> StepBreakdown::known_hidden_communication_ns() const {
  if (!split.recorded.kernels || split.communication_on_cpu) return std::nullopt;
  return split.hidden_communication_ns;
}

std::optional<std::int64_t> StepBreakdown::known_gpu_work() const {
  if (!split.recorded.launches) return std::nullopt;
  return static_cast<std::int64_t>(gpu_work);
}

std::vector<StepBreakdown> break_down_steps(const std::vector<StepWindow>& steps, const SliceRoles& roles) {
  std::vector<StepBreakdown> rows;
  rows.reserve(steps.size());
  for (const StepWindow& step : steps) rows.push_back({step, roles.split(step.range)});
  return rows;
}

std::vector<StepBreakdown> step_rows(const Trace& trace, const Steps& steps, const std::stop_token& stop) {
  return break_down_steps(step_windows(trace, steps, stop), SliceRoles(trace, stop));
}

Table step_table(const std::vector<StepBreakdown>& all) {
  std::vector<StepBreakdown> rows;
  if (!all.empty() && all.front().listed()) rows = all;
  Table table{.name = "steps", .title = msg::steps, .definition = msg::row_per_step};
  table.texts_of(rows, "name", msg::step, msg::step_number_or_empty,
                 [](const StepBreakdown& row) { return row.marked() ? row.name : std::string(); });
  const auto time = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  time("start_ns", msg::start, msg::from_start_of_trace,
       [](const StepBreakdown& row) { return row.range.begin_ns; });
  time("total_ns", msg::total, msg::step_duration_sum_of_roles,
       [](const StepBreakdown& row) { return row.range.length_ns(); });
  time("work_end_ns", msg::launched_work_ends, msg::end_of_the_last_gpu_work, &StepBreakdown::work_end_ns);
  for (const RoleColumn& column : kRoleColumns) {
    time(column.key, column.title, column.about,
         [&](const StepBreakdown& row) { return row.known_ns(column.role).value_or(kNoInteger); });
  }
  time("hidden_communication_ns", msg::hidden_communication, msg::communication_overlapping_compute,
       [](const StepBreakdown& row) { return row.known_hidden_communication_ns().value_or(kNoInteger); });
  table.integers_of(rows, "gpu_work", msg::gpu_work, Unit::count, msg::kernels_copies_and_memsets_that_it,
                    [](const StepBreakdown& row) { return row.known_gpu_work().value_or(kNoInteger); });
  time("tensorboard_ns", msg::tensorboards_step, msg::tensorboard_step_duration,
       [](const StepBreakdown& row) { return row.marked() ? row.tensorboard.length_ns() : kNoInteger; });
  table.text_column(rows, "complete", msg::complete, msg::no_gpu_work_of_this_last,
                    [](const StepBreakdown& row) {
                      return !row.marked() ? msg::nothing : row.complete ? msg::yes : msg::no;
                    });
  table.text_column(rows, "use", msg::use, msg::numbers_cover_used_steps,
                    [](const StepBreakdown& row) { return row.marked() ? text_of(row.use) : msg::nothing; });
  for (const StepBreakdown& row : rows) table.links.emplace_back(row.slice);
  table.notes = row_notes(all);
  return table;
}

constexpr TableKind<GpuParts> kStepTable{
    {.name = "steps",
     .title = msg::steps,
     .heading = msg::whole_trace,
     .about = msg::about_steps,
     .keys = kStepKeys},
    [](const GpuParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return step_table(parts.steps_in_range(stop));
    }};

}  // namespace kino
