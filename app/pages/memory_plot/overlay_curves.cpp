#include "app/pages/memory_plot/overlay_curves.hpp"

#include "core/memory/categories/inferred_steps.hpp"

namespace kino {

OverlayCurves overlay_curves(OverlayParams question, const std::stop_token& stop) {
  OverlayCurves curves;
  const std::shared_ptr<const Snapshot> other = question.other.lock();
  if (other == nullptr) return curves;
  const SnapshotDevice& device = other->devices[question.device];
  curves.device = &device;
  const PlotGeometry& plot = question.plot;
  if (plot.axis == SnapshotAxisKind::steps && question.steps == nullptr)
    question.steps = std::make_shared<const SnapshotSteps>(steps_of(*other, question.device, stop));
  curves.question = question;
  if (!SnapshotAxis::can_show(device, plot.axis, question.steps.get())) return curves;
  curves.axis.emplace(device, plot.axis, question.steps);
  if (plot.axis == SnapshotAxisKind::steps) {
    // Training steps cannot be compared with the equal parts of a recording without steps.
    if (plot.steps->region.empty() != question.steps->region.empty()) {
      curves.axis.reset();
      return curves;
    }
    curves.scale =
        static_cast<double>(curves.axis->units_per_step()) / static_cast<double>(question.units_per_step);
  }
  curves.moments.assign(plot.columns, kNoMoment);
  curves.active.resize(plot.columns);
  curves.reserved.resize(plot.columns);
  for (std::uint32_t c = 0; c < plot.columns; ++c) {
    if (c % 64 == 0 && stop.stop_requested()) return curves;
    const double begin = plot.begin_units + c * plot.units_per_column;
    const EventsBetween events =
        events_between(*curves.axis, begin * curves.scale, (begin + plot.units_per_column) * curves.scale);
    if (events.first == kNoMoment) continue;
    curves.moments[c] = events.last;
    curves.active[c] = curve_over(device, MemoryCurve::requested, events.first, events.last);
    curves.reserved[c] = curve_over(device, MemoryCurve::reserved, events.first, events.last);
  }
  return curves;
}

}  // namespace kino
