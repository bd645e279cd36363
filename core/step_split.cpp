#include "core/step_split.hpp"

#include <algorithm>
#include <limits>

#include "core/gpu_work.hpp"
#include "core/parallel.hpp"
#include "core/run_merge_sort.hpp"

namespace kino {
namespace {

constexpr std::size_t kIdle = static_cast<std::size_t>(StepRole::idle);
using Intervals = std::vector<TimeRange>;

/// The role of what is not on the GPU; idle for what has none.
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

/// Sorted and merged.
void unite(Intervals& intervals) {
  run_merge_sort(intervals.data(), intervals.size(),
                 [](const TimeRange& a, const TimeRange& b) { return a.begin_ns < b.begin_ns; });
  std::size_t kept = 0;
  for (const TimeRange& it : intervals) {
    if (kept > 0 && it.begin_ns <= intervals[kept - 1].end_ns) {
      intervals[kept - 1].end_ns = std::max(intervals[kept - 1].end_ns, it.end_ns);
    } else {
      intervals[kept++] = it;
    }
  }
  intervals.resize(kept);
}

/// Collects the intervals of each role that touch the hull of the windows.
class RoleIntervals {
 public:
  RoleIntervals(const Trace& trace, TimeRange hull) : trace_(trace), hull_(hull) {
    // By name, for operators and annotations.
    name_role_.assign(trace.names.size(), static_cast<std::uint8_t>(StepRole::cpu));
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      const std::string_view name = trace.names[i];
      if (name.starts_with("ProfilerStep#")) name_role_[i] = static_cast<std::uint8_t>(StepRole::idle);
      const bool loads = (name.starts_with("enumerate(DataLoader)#") && name.ends_with("__next__")) ||
                         name.starts_with("enumerate(DataPipe)#");
      if (loads) name_role_[i] = static_cast<std::uint8_t>(StepRole::data_loading);
    }
  }

  bool gather(const std::stop_token& stop) {
    inside_.resize(trace_.slice_count());
    for (const Track& track : trace_.tracks) {
      for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
        if (!gather_row(trace_.rows[row], track.kind, stop)) return false;
      }
    }
    inside_ = {};
    for (Intervals& list : lists_) unite(list);
    return !stop.stop_requested();
  }

  const Intervals& of(StepRole role) const { return lists_[static_cast<std::size_t>(role)]; }

 private:
  bool gather_row(const Row& row, TrackKind kind, const std::stop_token& stop) {
    const SliceColumns& slices = trace_.slices;
    if (kind != TrackKind::cpu_thread && kind != TrackKind::gpu_stream) return true;
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return false;
      const bool on_gpu = kind == TrackKind::gpu_stream;
      const StepRole role =
          on_gpu ? role_on_gpu(i) : role_on_cpu(slices.kind[i], name_role_[index_of(slices.name[i])]);
      // What lies within a slice of its role adds nothing to the union.
      const std::uint8_t around =
          on_gpu || slices.parent[i] == kNoSlice ? std::uint8_t{0} : inside_[index_of(slices.parent[i])];
      const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(role));
      inside_[i] = around | bit;
      if (role == StepRole::idle || (around & bit) != 0) continue;
      const TimeRange part = clipped(hull_, slices.start_ns[i], trace_.end_ns(SliceId{i}));
      if (part.length_ns() > 0) lists_[static_cast<std::size_t>(role)].push_back(part);
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
        return trace_.name_of(SliceId{slice}).find("emset") != std::string_view::npos ? StepRole::memset
                                                                                      : StepRole::memcpy;
      default:
        return StepRole::idle;
    }
  }

  const Trace& trace_;
  TimeRange hull_;
  std::vector<std::uint8_t> name_role_;
  std::vector<std::uint8_t> inside_;  // by SliceId: roles of the slice and of what it lies in
  std::array<Intervals, kStepRoleCount> lists_;
};

/// A part of a window that no role has taken yet.
struct Slot {
  TimeRange range;
  std::size_t window;
};

/// Gives `role` its share of the slots and returns what is left. Both lists are sorted and disjoint.
std::vector<Slot> take(const std::vector<Slot>& slots, const Intervals& intervals, std::size_t role,
                       std::vector<TimeSplit>& splits) {
  std::vector<Slot> rest;
  std::size_t at = 0;
  for (const Slot& slot : slots) {
    while (at < intervals.size() && intervals[at].end_ns <= slot.range.begin_ns) ++at;
    std::int64_t from = slot.range.begin_ns;
    for (std::size_t i = at; i < intervals.size() && intervals[i].begin_ns < slot.range.end_ns; ++i) {
      const TimeRange part = clipped(slot.range, intervals[i].begin_ns, intervals[i].end_ns);
      if (part.begin_ns > from) rest.push_back({{from, part.begin_ns}, slot.window});
      splits[slot.window].role_ns[role] += part.length_ns();
      from = part.end_ns;
    }
    if (from < slot.range.end_ns) rest.push_back({{from, slot.range.end_ns}, slot.window});
  }
  return rest;
}

/// Where a step's GPU work lies.
struct DeviceWork {
  std::uint64_t count = 0;
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
};

TimeRange without_steps(const Trace& trace, const GpuWork& work) {
  TimeRange hull{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const auto extend = [&](SliceId slice) {
    hull.begin_ns = std::min(hull.begin_ns, trace.slices.start_ns[index_of(slice)]);
    hull.end_ns = std::max(hull.end_ns, trace.end_ns(slice));
  };
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.slices.kind[i] == SliceKind::cpu_op) extend(SliceId{i});
  }
  if (hull.begin_ns > hull.end_ns) {
    for (const StreamWork& stream : work.streams) {
      for (const SliceId slice : stream.slices) extend(slice);
    }
  }
  return hull.begin_ns > hull.end_ns ? TimeRange{} : hull;
}

/// Extends the windows of `rows` to the GPU work their calls launched.
void extend_to_device(const Trace& trace, const GpuWork& work, std::vector<SplitStep>& rows) {
  std::vector<DeviceWork> device(rows.size());
  std::vector<std::int64_t> other_ends;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      const SliceId launch = trace.slices.link[index_of(slice)];
      const SplitStep* owner = nullptr;
      if (launch != kNoSlice) {
        const std::int64_t start = trace.slices.start_ns[index_of(launch)];
        const auto after = std::upper_bound(
            rows.begin(), rows.end(), start,
            [](std::int64_t time_ns, const SplitStep& row) { return time_ns < row.split.window.begin_ns; });
        if (after != rows.begin() && trace.end_ns(launch) <= std::prev(after)->split.window.end_ns)
          owner = &*std::prev(after);
      }
      if (owner == nullptr) {
        other_ends.push_back(trace.end_ns(slice));
        continue;
      }
      DeviceWork& own = device[static_cast<std::size_t>(owner - rows.data())];
      ++own.count;
      own.first_ns = std::min(own.first_ns, trace.slices.start_ns[index_of(slice)]);
      own.last_ns = std::max(own.last_ns, trace.end_ns(slice));
    }
  }
  std::int64_t previous_end = rows.front().split.window.begin_ns;
  if (device.front().count > 0) {
    for (const std::int64_t end : other_ends) {
      if (end < device.front().first_ns) previous_end = std::max(previous_end, end);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TimeRange& window = rows[i].split.window;
    window.begin_ns = std::max(window.begin_ns, previous_end);
    window.end_ns = std::max(window.end_ns, device[i].last_ns);
    window.end_ns = std::max(window.end_ns, window.begin_ns);
    previous_end = window.end_ns;
    rows[i].gpu_work = device[i].count;
  }
  if (work.size() == 0) return;
  std::size_t whole = rows.size();
  while (whole > 1 && device[whole - 1].count == 0) --whole;
  constexpr double kWhole = 0.8;  // the plugin's
  if (whole > 1 &&
      static_cast<double>(device[whole - 1].count) < kWhole * static_cast<double>(device[whole - 2].count)) {
    --whole;
  }
  for (std::size_t i = whole; i < rows.size(); ++i) rows[i].complete = false;
}

}  // namespace

std::string_view text_of(StepRole role) {
  switch (role) {
    case StepRole::compute:
      return "compute";
    case StepRole::communication:
      return "communication";
    case StepRole::memcpy:
      return "memcpy";
    case StepRole::memset:
      return "memset";
    case StepRole::runtime:
      return "runtime";
    case StepRole::data_loading:
      return "data_loading";
    case StepRole::cpu:
      return "cpu";
    case StepRole::idle:
      break;
  }
  return "idle";
}

std::vector<TimeSplit> split_time(const Trace& trace, std::span<const TimeRange> windows,
                                  const std::stop_token& stop) {
  std::vector<TimeSplit> splits(windows.size());
  if (windows.empty()) return splits;
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    splits[i].window = windows[i];
    if (windows[i].length_ns() > 0) slots.push_back({windows[i], i});
  }
  RoleIntervals roles(trace, {windows.front().begin_ns, windows.back().end_ns});
  if (!roles.gather(stop)) return {};
  const std::vector<Slot> whole = slots;
  for (std::size_t role = 0; role < kIdle; ++role) {
    slots = take(slots, roles.of(static_cast<StepRole>(role)), role, splits);
  }
  for (const Slot& slot : slots) splits[slot.window].role_ns[kIdle] += slot.range.length_ns();
  std::vector<TimeSplit> all(windows.size());
  constexpr auto kCommunication = static_cast<std::size_t>(StepRole::communication);
  take(whole, roles.of(StepRole::communication), kCommunication, all);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    splits[i].hidden_communication_ns = all[i].role_ns[kCommunication] - splits[i].role_ns[kCommunication];
  }
  return splits;
}

std::vector<SplitStep> step_rows(const Trace& trace, const Steps& steps, const std::stop_token& stop) {
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  std::vector<SplitStep> rows;
  for (const Step& step : steps.steps) {
    SplitStep row;
    row.name = std::to_string(step.number);
    row.slice = step.slice;
    row.split.window = step.range;
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    SplitStep row;
    row.name = "0";
    row.split.window = without_steps(trace, work);
    rows.push_back(std::move(row));
  }
  extend_to_device(trace, work, rows);
  std::vector<TimeRange> windows;
  windows.reserve(rows.size());
  for (const SplitStep& row : rows) windows.push_back(row.split.window);
  std::vector<TimeSplit> splits = split_time(trace, windows, stop);
  if (splits.size() != rows.size()) return {};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].split = splits[i];
  return rows;
}

Table step_table(const std::vector<SplitStep>& rows) {
  struct RoleColumn {
    StepRole role;
    const char* key;
    const char* title;
    const char* about;
  };
  constexpr std::array<RoleColumn, kStepRoleCount> kColumns{
      {{StepRole::compute, "compute_ns", "Compute", "A kernel computes"},
       {StepRole::communication, "communication_ns", "Exposed communication",
        "A collective runs and nothing computes"},
       {StepRole::memcpy, "memcpy_ns", "Memcpy", "A copy runs, and none of the above"},
       {StepRole::memset, "memset_ns", "Memset", "A memset runs, and none of the above"},
       {StepRole::runtime, "runtime_ns", "Runtime", "The CPU is in a runtime call, and the GPU does nothing"},
       {StepRole::data_loading, "data_loading_ns", "Data loading",
        "The data loader runs, and none of the above"},
       {StepRole::cpu, "cpu_ns", "CPU",
        "Another operator or annotation runs, and none of the above; Python alone is idle"},
       {StepRole::idle, "idle_ns", "Idle", "Nothing that the trace knows"}}};
  Table table;
  table.name = "steps";
  table.title = "Steps";
  table.definition =
      "A row a step, from its begin on the CPU (or the end of the step before on the GPU) to the end of its "
      "last GPU work. Each moment belongs to the first of the roles that is active; the roles add up to "
      "the total (TensorBoard plugin, overall view).";
  table.texts_of(rows, "name", "Step", "Its number; 0 in a trace without steps",
                 [](const SplitStep& row) { return row.name; });
  const auto time = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  time("start_ns", "Start", "Since the trace's begin",
       [](const SplitStep& row) { return row.split.window.begin_ns; });
  time("total_ns", "Total", "The sum of the roles",
       [](const SplitStep& row) { return row.split.window.length_ns(); });
  for (const RoleColumn& column : kColumns) {
    time(column.key, column.title, column.about,
         [&](const SplitStep& row) { return row.split[column.role]; });
  }
  time("hidden_communication_ns", "Hidden communication", "Communication under compute: a part of compute",
       [](const SplitStep& row) { return row.split.hidden_communication_ns; });
  table.integers_of(rows, "gpu_work", "GPU work", Unit::count, "Kernels, copies and memsets that it launched",
                    [](const SplitStep& row) { return row.gpu_work; });
  table.texts_of(rows, "complete", "Complete", "no: GPU work of this last step was not, or not all, recorded",
                 [](const SplitStep& row) { return row.complete ? "yes" : "no"; });
  for (const SplitStep& row : rows) table.examples.push_back(row.slice);
  return table;
}

}  // namespace kino
