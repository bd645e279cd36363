#include "app/pages/memory_plot/step_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kEventTicksFrom = 4;  // minimum width of a step with ticks at its events, in tick gaps

/// Returns the digits at the end of a name: "12" for "ProfilerStep#12".
std::string_view number_behind(std::string_view name) {
  const auto letter = name.find_last_not_of("0123456789");
  return letter == std::string_view::npos ? name : name.substr(letter + 1);
}

void name_step(const Snapshot& snapshot, const SnapshotSteps& steps, std::size_t index, StepTick& tick) {
  tick.brief = std::to_string(index);
  tick.text =
      filled(steps.region.empty() ? Text::snapshot_axis_part : Text::snapshot_axis_step, {tick.brief});
  if (index >= steps.names.size()) return;
  const std::string_view name = snapshot.text(steps.names[index]);
  if (name == steps.region) return;
  tick.text = name;
  tick.brief = number_behind(name);
}

/// Collects the ticks of the visible part of an axis, at least `gap` apart.
class StepTicks {
 public:
  StepTicks(const Snapshot& snapshot, const SnapshotAxis& axis, double begin, double end, double gap)
      : snapshot_(snapshot), axis_(axis), steps_(*axis.steps()), begin_(begin), end_(end), gap_(gap) {}

  std::vector<StepTick> take() {
    const auto width = static_cast<double>(axis_.units_per_step());
    const auto count = static_cast<std::int64_t>(steps_.ends.size());
    const auto stride = static_cast<std::int64_t>(decimal_step(gap_ / width, 1));
    add_rest(Text::snapshot_axis_before, axis_.begin_of(0), 0, steps_.begin > 0);
    const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(begin_ / width)));
    for (std::int64_t i = first / stride * stride; i < count; i += stride) {
      const double at = static_cast<double>(i) * width;
      if (at >= end_) break;
      StepTick tick{
          at, std::min(static_cast<double>(i + stride), static_cast<double>(count)) * width, {}, {}};
      name_step(snapshot_, steps_, static_cast<std::size_t>(i), tick);
      ticks_.push_back(std::move(tick));
      if (width >= kEventTicksFrom * gap_) add_events(static_cast<std::size_t>(i));
    }
    add_rest(Text::snapshot_axis_after, static_cast<double>(count) * width,
             static_cast<double>(axis_.content().end_ns), true);
    return std::move(ticks_);
  }

 private:
  void add_rest(Text words, double from, double to, bool any) {
    if (any && from < to && from < end_ && to > begin_) ticks_.push_back({from, to, tr(words), {}});
  }

  // Adds ticks at events within a step. Leaves room for the text of the step, which remains at the left edge
  // of the view.
  void add_events(std::size_t index) {
    const EventIndex end = steps_.ends[index];
    const EventIndex begin = index == 0 ? steps_.begin : steps_.ends[index - 1] + 1;
    const std::size_t own = ticks_.size() - 1;
    const double from = std::max(ticks_[own].begin_units, begin_) + gap_;
    const double to = std::min(ticks_[own].end_units, end_);
    const double per_event = static_cast<double>(axis_.units_per_step()) / (double{1} + end - begin);
    const auto step = static_cast<std::int64_t>(decimal_step(gap_ / per_event, 1));
    const std::int64_t near = std::max<std::int64_t>(
        begin, begin + static_cast<std::int64_t>((from - ticks_[own].begin_units) / per_event));
    for (std::int64_t event = (near + step - 1) / step * step; event <= end; event += step) {
      const double at = axis_.begin_of(static_cast<EventIndex>(event));
      if (at < from) continue;
      if (at >= to) break;
      ticks_.back().end_units = at;
      ticks_.push_back({at, to, std::to_string(event), {}, false});
    }
  }

  const Snapshot& snapshot_;
  const SnapshotAxis& axis_;
  const SnapshotSteps& steps_;
  double begin_;
  double end_;
  double gap_;
  std::vector<StepTick> ticks_;
};

}  // namespace

std::vector<StepTick> step_ticks(const Snapshot& snapshot, const SnapshotAxis& axis, double begin_units,
                                 double end_units, double units_per_px, double min_px) {
  return StepTicks(snapshot, axis, begin_units, end_units, min_px * units_per_px).take();
}

std::string steps_count_text(const SnapshotSteps& steps) {
  return steps.region.empty() && !steps.ends.empty()
             ? filled(Text::snapshot_parts, {grouped(steps.ends.size())})
             : counted(Text::steps_one, Text::steps_several, steps.ends.size());
}

std::string steps_text(const SnapshotSteps& steps) {
  const std::string count = grouped(steps.ends.size());
  if (steps.ends.empty()) return tr(Text::snapshot_steps_none);
  if (steps.inferred) return filled(Text::snapshot_steps_inferred, {count, in_language(steps.region)});
  return steps.region.empty() ? filled(Text::snapshot_steps_parts, {count})
                              : filled(Text::snapshot_steps_region, {count, in_language(steps.region)});
}

}  // namespace kino
