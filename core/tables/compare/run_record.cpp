#include "core/tables/compare/run_record.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/compare/run_modules.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/gpu/input_shapes.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/runtime_calls.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

constexpr std::string_view kSelf = "(self)";

std::uint64_t text_hash(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// Finds the window that contains a time, among disjoint windows in order of time. Returns windows.size() if
/// there is none.
class WindowAt {
 public:
  explicit WindowAt(const std::vector<RunWindow>& windows) : windows_(windows) {}
  std::size_t operator()(std::int64_t time_ns) {
    if (last_ < windows_.size() && holds(last_, time_ns)) return last_;
    const auto after = std::ranges::upper_bound(
        windows_, time_ns, {}, [](const RunWindow& window) { return window.range.begin_ns; });
    if (after == windows_.begin()) return windows_.size();
    last_ = static_cast<std::size_t>(after - windows_.begin()) - 1;
    return holds(last_, time_ns) ? last_ : windows_.size();
  }

 private:
  bool holds(std::size_t i, std::int64_t time_ns) const {
    return time_ns >= windows_[i].range.begin_ns && time_ns < windows_[i].range.end_ns;
  }
  const std::vector<RunWindow>& windows_;
  std::size_t last_ = 0;
};

/// Returns the requested steps or ranges, before any are omitted.
std::vector<RunWindow> requested_windows(const TimeAttribution& ledger, const Steps& steps,
                                         const RunSelection& selection) {
  std::vector<RunWindow> windows;
  if (!selection.ranges.empty()) {
    for (const TimeRange& range : selection.ranges) windows.push_back({{}, range, {}, {}, {}, {}});
    std::ranges::sort(windows, {}, [](const RunWindow& window) { return window.range.begin_ns; });
    return windows;
  }
  if (steps.steps.empty()) {
    windows.push_back({{}, ledger.extent(), {}, {}, {}, {}});
    return windows;
  }
  const auto count = static_cast<std::int64_t>(steps.steps.size());
  const auto position = [&](std::optional<std::int64_t> at, std::int64_t unless) {
    if (!at) return unless;
    return std::clamp(*at < 0 ? *at + count : *at, std::int64_t{0}, count);
  };
  const std::int64_t first = position(selection.first_step, 0);
  std::int64_t end = position(selection.end_step, count);
  if (selection.drop_last && end > first) --end;
  const std::vector<TimeRange> ranges = step_ranges(steps);
  for (std::int64_t i = first; i < end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    windows.push_back({std::to_string(steps.steps[at].number), ranges[at], {}, {}, {}, {}});
  }
  return windows;
}

void leave_out_steps(const Trace& trace, const RunSelection& selection, RunRecord& record,
                     const std::stop_token& stop) {
  std::vector<TimeRange> ranges;
  std::vector<std::string> names;
  for (const RunWindow& window : record.windows) {
    ranges.push_back(window.range);
    names.push_back(window.name);
  }
  const bool chosen = selection.first_step || selection.end_step;
  const StepChoice choice = choose_steps(trace, gpu_work_in(trace, whole_range(trace), stop), ranges,
                                         chosen ? StepRequest::chosen : StepRequest::all);
  record.stubs_left_out = static_cast<std::uint64_t>(std::ranges::count(choice.uses, StepUse::stub));
  record.first_left_out = static_cast<std::uint64_t>(std::ranges::count(choice.uses, StepUse::cut));
  record.step_notes = step_notes(choice, names);
  std::vector<RunWindow> used;
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    if (is_used(choice.uses[i])) used.push_back(std::move(record.windows[i]));
  }
  record.windows = std::move(used);
}

class RowMaker {
 public:
  RowMaker(const Trace& trace, const TimeAttribution& ledger, bool modules, RunRecord& record)
      : trace_(trace),
        ledger_(ledger),
        record_(record),
        row_of_(trace.slice_count(), kNoRow),
        collective_(trace.names.size()) {
    if (modules) modules_.emplace(trace);
    for (std::uint32_t i = 0; i < trace.names.size(); ++i)
      collective_[i] = is_attributed_collective(trace.names[i]) ? 1 : 0;
    facts_ = decode_facts(trace);
    std::unordered_map<std::string_view, std::uint32_t> first;
    for (std::uint32_t i = 0; i < facts_.size(); ++i)
      same_dims_.push_back(first.try_emplace(facts_[i].input_dims, i).first->second);
  }

  bool run(const std::stop_token& stop) {
    for (std::uint32_t i = 0; i < record_.windows.size(); ++i) {
      if (stop.stop_requested()) return false;
      RunWindow& window = record_.windows[i];
      ledger_.for_each(window.range,
                       [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory cause, SliceId slice) {
                         window.causes[static_cast<std::size_t>(cause)] += end_ns - begin_ns;
                         if (is_idle(cause)) return;
                         cell(row_of(slice, cause), i).ns += end_ns - begin_ns;
                       });
    }
    WindowAt window_at(record_.windows);
    std::uint32_t turns = 0;
    for (const SliceId slice : ledger_.items()) {
      if (++turns % kCancelStride == 0 && stop.stop_requested()) return false;
      const std::size_t at = window_at(trace_.start_ns(slice));
      if (at == record_.windows.size() || is_self(slice)) continue;
      ++cell(row_of(slice, cause_of(slice)), static_cast<std::uint32_t>(at)).instances;
      if (cause_of(slice) == TimeCategory::comm) {
        const std::int64_t bytes = collective_facts(trace_, facts_, slice).bytes();
        if (bytes > 0) record_.windows[at].counts.bytes_comm += bytes;
      }
    }
    return true;
  }

  /// Returns the rows by SliceId. Moves the list out of the object, so it must be the last call.
  std::vector<std::uint32_t> take_rows() { return std::move(row_of_); }

 private:
  struct Key {
    std::uint32_t name;
    std::uint32_t op;
    std::uint32_t facts;
    std::uint32_t module;
    TimeCategory cause;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.name;
      for (const std::uint64_t part : {std::uint64_t{key.op}, std::uint64_t{key.facts},
                                       std::uint64_t{key.module}, static_cast<std::uint64_t>(key.cause)})
        hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
      return hash ^ (hash >> 29U);
    }
  };

  bool is_self(SliceId slice) const {
    return slice == kNoSlice || (!ledger_.of_gpu() && is_step_name(trace_.name_of(slice)));
  }

  TimeCategory cause_of(SliceId slice) const {
    switch (trace_.kind(slice)) {
      case SliceKind::compute:
      case SliceKind::communication:
        return collective_[index_of(trace_.name(slice))] != 0 ? TimeCategory::comm : TimeCategory::compute;
      case SliceKind::copy:
        return TimeCategory::copy;
      default:
        return TimeCategory::cpu;
    }
  }

  RunCell& cell(std::uint32_t row, std::uint32_t window) {
    std::vector<RunCell>& cells = record_.rows[row].cells;
    if (!cells.empty() && cells.back().window == window) return cells.back();
    const auto at = std::ranges::lower_bound(cells, window, {}, &RunCell::window);
    if (at != cells.end() && at->window == window) return *at;
    return *cells.insert(at, {window, 0, 0});
  }

  /// Returns the operator of the work: found by its External id, or else the innermost operator around its
  /// launch. In a trace without GPU work, returns the event itself.
  SliceId op_of(SliceId slice) const {
    if (!ledger_.of_gpu()) return slice;
    SliceId at = owner_of(trace_, slice);
    while (at != kNoSlice && trace_.kind(at) != SliceKind::cpu_op) at = trace_.parent(at);
    return at;
  }

  std::uint32_t row_of(SliceId slice, TimeCategory cause) {
    if (is_self(slice)) {
      if (self_row_ == kNoRow)
        self_row_ = add_row({cause, std::string(kSelf), std::string(kSelf), {}, {}, {}});
      return self_row_;
    }
    std::uint32_t& row = row_of_[index_of(slice)];
    if (row != kNoRow) return row;
    const SliceId op = op_of(slice);
    const std::uint32_t module = modules_ ? modules_->of(slice) : 0;
    const Key key{index_of(trace_.name(slice)), op == kNoSlice ? kNoRow : index_of(trace_.name(op)),
                  op == kNoSlice ? 0 : same_dims_[facts_index(trace_, op)], module, cause};
    const auto [found, added] = rows_.try_emplace(key, kNoRow);
    if (added) {
      found->second = add_row(
          {cause,
           std::string(trace_.name_of(slice)),
           op == kNoSlice ? std::string(english(msg::row_no_operator)) : std::string(trace_.name_of(op)),
           op == kNoSlice ? std::string() : std::string(facts_[key.facts].input_dims),
           modules_ ? modules_->path(module) : std::string(),
           {}});
    }
    return row = found->second;
  }

  std::uint32_t add_row(RunRow row) {
    record_.rows.push_back(std::move(row));
    return static_cast<std::uint32_t>(record_.rows.size() - 1);
  }

  const Trace& trace_;
  const TimeAttribution& ledger_;
  RunRecord& record_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> same_dims_;  // first facts index with equal Input Dims, by facts index
  std::optional<RunModules> modules_;
  std::vector<std::uint32_t> row_of_;     // by SliceId
  std::vector<std::uint8_t> collective_;  // by NameId
  std::unordered_map<Key, std::uint32_t, KeyHash> rows_;
  std::uint32_t self_row_ = kNoRow;
};

/// Counts launches and waits by window. `held` receives the result of find_blocking_calls(), which avoids a
/// second pass over the trace.
bool count_calls(const Trace& trace, std::vector<RunWindow>& windows, std::vector<SliceId>& held,
                 const std::stop_token& stop) {
  enum : std::uint8_t { waits = 1, holds = 2 };
  const LaunchCalls calls(trace);
  std::vector<std::uint8_t> does(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    does[i] =
        static_cast<std::uint8_t>((waits_for_gpu(name) ? waits : 0) | (is_blocking_call(name) ? holds : 0));
  }
  WindowAt window_at(windows);
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return false;
    if (trace.slices.kind[i] != SliceKind::runtime) continue;
    const std::uint8_t what = does[index_of(trace.slices.name[i])];
    const LaunchKind launch = calls.kind_of(SliceId{i});
    if (what == 0 && launch == LaunchKind::none) continue;
    if ((what & holds) != 0) held.push_back(SliceId{i});
    const std::size_t at = window_at(trace.slices.start_ns[i]);
    if (at == windows.size()) continue;
    RunCounts& counts = windows[at].counts;
    counts.launches += launch != LaunchKind::none ? 1 : 0;
    counts.syncs += (what & waits) != 0 ? 1 : 0;
    counts.graph_launches += launch == LaunchKind::graph ? 1 : 0;
  }
  return true;
}

void find_memory_peaks(const Trace& trace, std::vector<RunWindow>& windows) {
  const ArgumentColumns& columns = trace.arguments;
  WindowAt window_at(windows);
  for (std::size_t i = 0; i < columns.memory_time_ns.size(); ++i) {
    if (columns.memory_device[i] == ArgumentColumns::kMemoryHost) continue;
    const std::size_t at = window_at(columns.memory_time_ns[i]);
    if (at == windows.size()) continue;
    windows[at].counts.memory_peak = std::max(windows[at].counts.memory_peak, columns.memory_total_bytes[i]);
  }
}

bool multiplies_matrices(std::string_view op) {
  constexpr std::array<std::string_view, 10> kProducts{"aten::mm",
                                                       "aten::addmm",
                                                       "aten::bmm",
                                                       "aten::baddbmm",
                                                       "aten::_scaled_mm",
                                                       "aten::_grouped_mm",
                                                       "aten::_scaled_grouped_mm",
                                                       "aten::_int_mm",
                                                       "aten::linear",
                                                       "aten::matmul"};
  return std::ranges::find(kProducts, op) != kProducts.end();
}

bool find_shapes(const Trace& trace, RunFacts& facts, const std::stop_token& stop) {
  if (trace.arguments.facts.empty()) return true;
  const std::vector<EventFacts> decoded = decode_facts(trace);
  std::vector<std::uint64_t> hashes(decoded.size());
  std::vector<bool> has_shape(decoded.size());
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    hashes[i] = text_hash(decoded[i].input_dims);
    has_shape[i] = decoded[i].input_dims.find_first_of("0123456789[", 1) != std::string_view::npos;
  }
  std::unordered_set<std::uint64_t> met;  // (name, facts)
  // Last name with which the facts occurred, by facts index. Usually it is the only name, so most lookups in
  // `met` are avoided.
  std::vector<std::uint32_t> last_name(decoded.size(), 0xffffffffU);
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return false;
    const std::uint32_t index = trace.arguments.facts[i];
    if (index == 0 || trace.slices.kind[i] != SliceKind::cpu_op || !has_shape[index]) continue;
    const std::uint32_t name = index_of(trace.slices.name[i]);
    if (std::exchange(last_name[index], name) != name) met.insert((std::uint64_t{name} << 32U) | index);
  }
  std::vector<std::uint64_t> seen(met.begin(), met.end());
  std::ranges::sort(seen);
  for (const std::uint64_t pair : seen) {
    const std::string_view op = trace.names[static_cast<std::uint32_t>(pair >> 32U)];
    facts.shapes[std::string(op)].push_back(hashes[static_cast<std::uint32_t>(pair)]);
    const std::string_view type = first_type(decoded[static_cast<std::uint32_t>(pair)].input_types);
    if (multiplies_matrices(op) && !type.empty()) facts.matmul_types.emplace_back(type);
  }
  for (auto& [op, shapes] : facts.shapes) {
    std::ranges::sort(shapes);
    shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  }
  std::ranges::sort(facts.matmul_types);
  facts.matmul_types.erase(std::unique(facts.matmul_types.begin(), facts.matmul_types.end()),
                           facts.matmul_types.end());
  return true;
}

void find_facts(const Trace& trace, const TimeAttribution& ledger, const std::vector<RunWindow>& windows,
                RunFacts& facts) {
  for (const std::string& name : trace.job.device_names) {
    if (!name.empty()) facts.gpus.push_back(name);
  }
  std::ranges::sort(facts.gpus);
  facts.gpus.erase(std::unique(facts.gpus.begin(), facts.gpus.end()), facts.gpus.end());
  facts.world_size = trace.job.world_size;
  facts.rank = trace.job.rank;
  facts.gpu_work = ledger.of_gpu() ? ledger.items().size() : 0;
  facts.events = trace.counts.total();
  facts.damaged_events = trace.counts[EventType::dropped];
  if (!ledger.of_gpu() || windows.empty() || windows.back().length_ns() <= 0) return;
  const std::int64_t after_ns =
      windows.back().range.end_ns - std::max(windows.back().range.begin_ns, ledger.extent().end_ns);
  facts.last_step_idle_end =
      std::max(0.0, static_cast<double>(after_ns) / static_cast<double>(windows.back().length_ns()));
}

/// Indices of existing rows, by cause, name, operator, Input Dims and module.
using RowIndices =
    std::map<std::tuple<TimeCategory, std::string, std::string, std::string, std::string>, std::size_t>;

/// Appends a window of `from`, with the cells of its rows, to `to`.
void take_window(const RunRecord& from, std::uint32_t window, RunRecord& to, RowIndices& indices) {
  const auto new_window = static_cast<std::uint32_t>(to.windows.size());
  to.windows.push_back(from.windows[window]);
  for (const RunRow& row : from.rows) {
    const auto at = std::ranges::lower_bound(row.cells, window, {}, &RunCell::window);
    if (at == row.cells.end() || at->window != window) continue;
    const auto [found, added] =
        indices.try_emplace({row.cause, row.name, row.op, row.input_dims, row.module}, to.rows.size());
    if (added) to.rows.push_back({row.cause, row.name, row.op, row.input_dims, row.module, {}});
    RunCell cell = *at;
    cell.window = new_window;
    std::vector<RunCell>& cells = to.rows[found->second].cells;
    if (!cells.empty() && cells.back().window == new_window) {
      cells.back().ns += cell.ns;
      cells.back().instances += cell.instances;
    } else {
      cells.push_back(cell);
    }
  }
}

RunRecord without_windows(const std::vector<RunRecord>& runs) {
  RunRecord out;
  if (runs.empty()) return out;
  out.name = runs.front().name;
  out.facts = runs.front().facts;
  out.has_steps = runs.front().has_steps;
  for (const RunRecord& run : runs) {
    out.stubs_left_out += run.stubs_left_out;
    if (!run.first_left_out) out.first_left_out.reset();
    if (out.first_left_out) *out.first_left_out += *run.first_left_out;
  }
  std::vector<RunLayers> layers;
  for (const RunRecord& run : runs) {
    if (run.layers) layers.push_back(*run.layers);
  }
  if (layers.size() == runs.size()) out.layers = median_layers(layers);
  return out;
}

}  // namespace

RunRecord run_record(const Trace& trace, const TimeAttribution& ledger, const RunSelection& selection,
                     const std::stop_token& stop, std::vector<std::uint32_t>* row_of_slice) {
  RunRecord record;
  const Steps steps = find_steps(trace, stop);
  record.windows = requested_windows(ledger, steps, selection);
  record.has_steps = !steps.steps.empty() && selection.ranges.empty();
  if (record.has_steps && ledger.of_gpu()) leave_out_steps(trace, selection, record, stop);
  RowMaker rows(trace, ledger, selection.modules, record);
  if (!rows.run(stop)) return {};
  std::vector<SliceId> held;
  if (!count_calls(trace, record.windows, held, stop)) return {};
  const HostCauses host(trace, ledger, held, stop);
  for (RunWindow& window : record.windows) {
    if (ledger.of_gpu()) {
      window.host =
          host.times(window.range, window.causes[static_cast<std::size_t>(TimeCategory::idle_host)]);
    }
  }
  if (row_of_slice != nullptr) *row_of_slice = rows.take_rows();
  find_memory_peaks(trace, record.windows);
  find_facts(trace, ledger, record.windows, record.facts);
  if (!find_shapes(trace, record.facts, stop) || stop.stop_requested()) return {};
  return record;
}

std::optional<TrackId> attributed_thread(const Trace& trace, const std::stop_token& stop) {
  const bool gpu = std::ranges::any_of(trace.rows, [&](const Row& row) {
    return trace.track(row.track).kind == TrackKind::gpu_stream &&
           std::ranges::any_of(trace.slices.kind.sub(row.first_slice, row.slice_count), is_gpu_work);
  });
  if (gpu) return std::nullopt;
  const Steps steps = find_steps(trace, stop);
  if (steps.steps.empty()) return std::nullopt;
  return trace.track_of(steps.steps.front().slice);
}

RunRecord record_of_runs(const std::vector<RunRecord>& runs) {
  RunRecord out = without_windows(runs);
  out.of_runs = true;
  RowIndices indices;
  for (const RunRecord& run : runs) {
    if (run.windows.empty()) continue;
    std::vector<std::uint32_t> order(run.windows.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
    std::ranges::nth_element(order, middle, {},
                             [&](std::uint32_t i) { return std::pair(run.windows[i].length_ns(), i); });
    take_window(run, *middle, out, indices);
    out.windows.back().name = run.name;
  }
  return out;
}

std::uint32_t typical_window(const RunRecord& run) {
  __extension__ using Wide = __int128;  // sums of 2^52 ns over 2^20 windows are below 2^72
  const std::size_t count = run.windows.size();
  std::vector<Wide> distances(count);
  std::vector<std::uint32_t> order(count);
  for (std::size_t cause = 0; cause < kTimeCategoryCount; ++cause) {
    const auto ns = [&](std::uint32_t i) { return run.windows[i].causes[cause]; };
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    std::ranges::sort(order, {}, ns);
    Wide all = 0;
    for (const std::uint32_t i : order) all += ns(i);
    Wide before = 0;
    for (std::size_t k = 0; k < count; ++k) {
      // Sum of distances to the k windows with less time of the cause, and to the other windows.
      const auto own = static_cast<Wide>(ns(order[k]));
      const auto less = static_cast<Wide>(k);
      distances[order[k]] += own * less - before + (all - before) - own * (static_cast<Wide>(count) - less);
      before += own;
    }
  }
  return static_cast<std::uint32_t>(std::ranges::min_element(distances) - distances.begin());
}

RunRecord record_of_steps(const std::vector<RunRecord>& runs) {
  RunRecord out = without_windows(runs);
  RowIndices indices;
  for (const RunRecord& run : runs) {
    for (std::uint32_t i = 0; i < run.windows.size(); ++i) take_window(run, i, out, indices);
  }
  return out;
}

}  // namespace kino
