#include "app/pages/memory_plot/run_lane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/overview_heights.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

TimeRange trace_range_in_view(const TimeView& view, const ClockFit& clock) {
  constexpr double kFar = 4e18;
  const auto ns = [&](double units) {
    const std::int64_t of_device = std::llround(std::clamp(units, -kFar, kFar));
    constexpr auto kFarNs = static_cast<std::int64_t>(kFar);
    return std::clamp(clock.second_from_first(of_device), -kFarNs, kFarNs);
  };
  return {ns(view.begin_ns), ns(view.end_ns())};
}

}  // namespace

void MatchingTraceLane::set(std::vector<MatchingTrace> runs) {
  if (runs == runs_) return;
  runs_ = std::move(runs);
  choose();
}

void MatchingTraceLane::choose() {
  MatchingTrace next = device_ < runs_.size() ? runs_[device_] : MatchingTrace();
  const bool other = next.trace != run_.trace;
  if (other || next.process != run_.process || next.clock != run_.clock) {
    busy_.reset();
    wanted_columns_ = 0;
  }
  run_ = std::move(next);
  if (!other) return;
  steps_.reset();
  if (run_.trace == nullptr) return;
  steps_.start(pool_, wake_,
               [trace = run_.trace](const std::stop_token& stop) { return find_steps(*trace, stop); });
}

void MatchingTraceLane::update(SnapshotState& state) {
  steps_.poll();
  busy_.poll();
  if (std::exchange(device_, state.device_index()) != state.device_index()) choose();
  const bool shown = run_.clock && state.axis().by_time();
  note_device(state);
  state.trace_rows = shown ? (has_steps() ? 1U : 0U) + (run_.process ? 1U : 0U) : 0;
}

void MatchingTraceLane::note_device(SnapshotState& state) const {
  state.device_bytes = 0;
  state.device_model.clear();
  const std::int32_t ordinal = state.device().ordinal;
  if (run_.trace == nullptr || state.device().host || ordinal < 0) return;
  const JobInfo& job = run_.trace->job;
  const auto device = static_cast<std::size_t>(ordinal);
  if (device >= job.device_memory_bytes.size() || job.device_memory_bytes[device] <= 0) return;
  state.device_bytes = static_cast<std::uint64_t>(job.device_memory_bytes[device]);
  if (device < job.device_names.size()) state.device_model = escaped(job.device_names[device]);
  if (state.device_model.empty()) state.device_model = device_name(*state.snapshot, state.device_index());
}

void MatchingTraceLane::look(const SnapshotState& state) {
  if (!run_.clock || !run_.process || state.boxes.run.height() < 1 || busy_.running()) return;
  const TimeRange range = trace_range_in_view(state.navigation.view(), *run_.clock);
  const auto columns = static_cast<std::uint32_t>(
      std::clamp(std::lround(state.boxes.run.width() * state.framebuffer_scale), 1L, 16'384L));
  if (range == wanted_ && columns == wanted_columns_) return;
  wanted_ = range;
  wanted_columns_ = columns;
  const Busy* before = busy_.value();
  busy_.start(pool_, wake_,
              [trace = run_.trace, process = *run_.process, range, columns,
               indexed = before != nullptr ? before->indexed : nullptr](const std::stop_token& stop) {
                Busy busy{indexed, range, {}};
                if (busy.indexed == nullptr) {
                  Result<BusyIndex> built = BusyIndex::build(*trace, stop, process);
                  if (!built.ok()) return busy;
                  busy.indexed = std::make_shared<const Indexed>(Indexed{trace, std::move(built).value()});
                }
                busy.profile = busy.indexed->index.profile(range, columns, stop);
                return busy;
              });
}

std::optional<std::int64_t> MatchingTraceLane::time_of(const SnapshotState& state, EventIndex event) const {
  if (!run_.clock || device_ != state.device_index() || event < 0) return std::nullopt;
  const auto times = state.device().entries.time_us.span();
  if (static_cast<std::size_t>(event) >= times.size()) return std::nullopt;
  const std::int64_t of_device = (times[static_cast<std::size_t>(event)] - times.front()) * 1000;
  const std::int64_t time_ns = run_.clock->second_from_first(of_device);
  const TimeRange& content = run_.trace->content;
  if (time_ns < content.begin_ns || time_ns >= content.end_ns) return std::nullopt;
  return time_ns;
}

RunMoment MatchingTraceLane::moment_at(std::int64_t time_ns) const {
  RunMoment moment;
  if (run_.process) moment.kernels = running_kernels(*run_.trace, *run_.process, time_ns);
  moment.slice = moment.kernels.first;
  if (!has_steps()) return moment;
  const std::size_t at = steps_.value()->at(time_ns);
  if (at == Steps::kNone) return moment;
  const Step& step = steps_.value()->steps[at];
  moment.step = step.number;
  if (moment.slice == kNoSlice) moment.slice = step.slice;
  return moment;
}

std::optional<RunMoment> MatchingTraceLane::at(const SnapshotState& state, EventIndex event) const {
  const auto time_ns = time_of(state, event);
  return time_ns ? std::optional(moment_at(*time_ns)) : std::nullopt;
}

std::string MatchingTraceLane::run_hint() const {
  return filled(device_text(Text::run_hint, *run_.trace), {run_.file});
}

std::string MatchingTraceLane::text_of(const RunMoment& moment) const {
  std::string words;
  if (moment.kernels.first != kNoSlice) {
    const std::string name = short_name(run_.trace->name_of(moment.kernels.first));
    words = moment.kernels.more == 0 ? filled(device_text(Text::run_kernel, *run_.trace), {name})
                                     : filled(device_text(Text::run_kernels, *run_.trace),
                                              {name, grouped(std::uint64_t{moment.kernels.more})});
  } else if (run_.process) {
    words = tr(Text::run_idle);
  }
  if (!moment.step) return words;
  const std::string number = std::to_string(*moment.step);
  return words.empty() ? filled(Text::steps_number, {number}) : filled(Text::run_in_step, {words, number});
}

std::string MatchingTraceLane::text_at(const SnapshotState& state, EventIndex event) const {
  const auto moment = at(state, event);
  return moment ? text_of(*moment) : std::string();
}

void MatchingTraceLane::go_to(const SnapshotState& state, EventIndex event) {
  if (const auto moment = at(state, event)) go_to_ = moment->slice;
}

void MatchingTraceLane::draw_steps(ImDrawList& list, const SnapshotState& state, const Box& row,
                                   const Theme& theme) const {
  const TimeView& view = state.navigation.view();
  const float line = std::max(1.0F, std::round(state.scale));
  for (const Step& step : steps_.value()->steps) {
    constexpr double kFar = 1e6;
    const auto x_of = [&](std::int64_t time_ns) {
      const double x = view.px_from_ns(static_cast<double>(run_.clock->first_from_second(time_ns)));
      return row.left + std::floor(static_cast<float>(std::clamp(x, -kFar, kFar)));
    };
    const float left = x_of(step.range.begin_ns);
    const float right = std::max(left + 1, x_of(step.range.end_ns));
    if (right < row.left || left > row.right) continue;
    const std::uint32_t color = step.outlier ? theme.warning : theme.text_dim;
    list.AddRectFilled({left, row.top + line}, {right, row.bottom - line}, with_alpha(color, 0x24));
    list.AddRectFilled({left, row.top + line}, {left + line, row.bottom - line}, color);
    const float from = std::max(left, row.left) + state.px(5);
    const std::string number = filled(Text::steps_number, {std::to_string(step.number)});
    const float room = std::min(right, row.right) - from;
    if (text_width(number) > room) continue;
    draw_elided(list, {from, std::floor((row.top + row.bottom - ImGui::GetFontSize()) / 2)}, room, theme.text,
                number);
  }
}

void MatchingTraceLane::draw_busy(ImDrawList& list, const SnapshotState& state, const Box& row,
                                  const Theme& theme) const {
  const Busy* busy = busy_.value();
  if (busy == nullptr || busy->profile.compute.empty()) return;
  const TimeView& view = state.navigation.view();
  const std::size_t count = busy->profile.compute.size();
  const auto begin = static_cast<double>(run_.clock->first_from_second(busy->range.begin_ns));
  const double column_ns = static_cast<double>(busy->range.length_ns()) / static_cast<double>(count);
  const float bottom = row.bottom - std::max(1.0F, std::round(state.scale));
  const auto height = static_cast<int>(bottom - row.top) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const OverviewHeights heights = heights_of(
        {busy->profile.compute[i], busy->profile.communication[i], busy->profile.copy[i], 0}, height, 0);
    const double left = view.px_from_ns(begin + column_ns * static_cast<double>(i));
    const double right = view.px_from_ns(begin + column_ns * static_cast<double>(i + 1));
    if (right < 0 || left > row.width()) continue;
    float y = bottom;
    for (const auto& [kind, part] : {std::pair{SliceKind::compute, heights.compute},
                                     std::pair{SliceKind::communication, heights.communication},
                                     std::pair{SliceKind::copy, heights.copy}}) {
      if (part == 0) continue;
      list.AddRectFilled({row.left + static_cast<float>(left), y - static_cast<float>(part)},
                         {row.left + static_cast<float>(right), y}, kind_color(kind, theme));
      y -= static_cast<float>(part);
    }
  }
}

void MatchingTraceLane::draw_tooltip(std::int64_t time_ns, bool over_steps, const Theme& theme) const {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 34 * ImGui::GetFontSize());
  const RunMoment moment = moment_at(time_ns);
  if (const std::string words = text_of(moment); !words.empty()) colored_text(theme.text, words);
  if (over_steps && has_steps()) {
    const std::size_t at = steps_.value()->at(time_ns);
    if (at != Steps::kNone)
      colored_text(theme.text_dim, text_from_duration(steps_.value()->steps[at].range.length_ns()));
  } else if (const Busy* busy = busy_.value(); busy != nullptr && !busy->profile.compute.empty()) {
    const auto count = static_cast<double>(busy->profile.compute.size());
    const double column = std::floor(static_cast<double>(time_ns - busy->range.begin_ns) /
                                     std::max(1.0, static_cast<double>(busy->range.length_ns())) * count);
    if (column >= 0 && column < count) {
      const auto i = static_cast<std::size_t>(column);
      colored_text(theme.text_dim,
                   filled(Text::run_busy, {run_.trace->processes[*run_.process].title,
                                           text_from_share(double{busy->profile.compute[i]}),
                                           text_from_share(double{busy->profile.communication[i]}),
                                           text_from_share(double{busy->profile.copy[i]})}));
    }
  }
  if (moment.slice != kNoSlice) colored_text(theme.text_dim, run_hint());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void MatchingTraceLane::draw(ImDrawList& list, const SnapshotState& state, const Theme& theme) {
  const Box& box = state.boxes.run;
  if (box.height() < 1 || state.trace_rows == 0 || !run_.clock) return;
  const float left = state.boxes.all.left;
  list.AddRectFilled({left, box.top}, {box.right, box.bottom}, theme.panel);
  const float height = box.height() / static_cast<float>(state.trace_rows);
  Box row{box.left, box.top, box.right, box.top + height};
  const auto name = [&](std::string_view words) {
    draw_elided(list, {left + state.px(8), std::floor((row.top + row.bottom - ImGui::GetFontSize()) / 2)},
                box.left - left - state.px(12), theme.text_dim, words);
    list.AddLine({left, row.bottom - 0.5F}, {box.right, row.bottom - 0.5F}, theme.border);
  };
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = box.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered();
  bool over_steps = false;
  list.PushClipRect({left, box.top}, {box.right, box.bottom}, true);
  if (has_steps()) {
    name(counted(Text::steps_one, Text::steps_several, steps_.value()->steps.size()));
    list.PushClipRect({row.left, row.top}, {row.right, row.bottom}, true);
    draw_steps(list, state, row, theme);
    list.PopClipRect();
    over_steps = mouse.y < row.bottom;
    row.top = row.bottom;
    row.bottom = box.bottom;
  }
  if (run_.process) {
    name(memory_device_name(static_cast<std::uint32_t>(state.device().ordinal)));
    list.PushClipRect({row.left, row.top}, {row.right, row.bottom}, true);
    draw_busy(list, state, row, theme);
    list.PopClipRect();
  }
  list.AddLine({box.left - 0.5F, box.top}, {box.left - 0.5F, box.bottom}, theme.border);
  list.PopClipRect();
  if (!over) return;
  constexpr double kFar = 4e18;
  const double time = std::floor(state.navigation.view().ns_from_px(mouse.x - box.left));
  const std::int64_t time_ns =
      run_.clock->second_from_first(static_cast<std::int64_t>(std::clamp(time, -kFar, kFar)));
  const TimeRange& content = run_.trace->content;
  if (time_ns < content.begin_ns || time_ns >= content.end_ns) return;
  draw_tooltip(time_ns, over_steps, theme);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  const std::size_t step = over_steps ? steps_.value()->at(time_ns) : Steps::kNone;
  go_to_ = step != Steps::kNone ? steps_.value()->steps[step].slice : moment_at(time_ns).slice;
}

void MatchingTraceLane::draw_trace_line(const SnapshotState& state, const Theme& theme) {
  struct Line {
    Text label;
    EventIndex event;
  };
  std::array<Line, 3> lines{Line{Text::run_at_cursor, state.cursor},
                            Line{Text::run_at_allocation, kBeforeRecording},
                            Line{Text::run_at_peak, state.peak().event}};
  if (state.selected != kNoAllocation)
    lines[1].event = state.history().allocations.begin[static_cast<std::size_t>(state.selected)];
  bool first = true;
  for (const Line& line : lines) {
    const auto moment = at(state, line.event);
    if (!moment) continue;
    if (line.label == Text::run_at_peak && line.event == state.cursor) continue;  // already shown
    const std::string words = text_of(*moment);
    if (words.empty()) continue;
    if (!first) ImGui::SameLine(0, 20 * state.scale);
    first = false;
    colored_text(theme.text_dim, tr(line.label));
    ImGui::SameLine(0, 6 * state.scale);
    ImGui::PushID(static_cast<int>(line.label));
    const float room = std::min(ImGui::GetContentRegionAvail().x, 26 * ImGui::GetFontSize());
    if (moment->slice == kNoSlice) {
      colored_text(theme.text, words);
    } else if (link_text(words, std::max(room, 1.0F), run_hint(), theme)) {
      go_to_ = moment->slice;
    }
    ImGui::PopID();
  }
}

}  // namespace kino
