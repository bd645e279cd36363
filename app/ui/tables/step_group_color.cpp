#include "app/ui/tables/step_group_color.hpp"

#include "app/ui/widgets/oklch.hpp"

namespace kino {

std::uint32_t step_group_color(StepGroup group, const Theme& theme) {
  switch (group) {
    case StepGroup::compute:
      return kind_color(SliceKind::compute, theme);
    case StepGroup::recompute:
      return mixed(theme.panel, kind_color(SliceKind::compute, theme), 0.7);
    case StepGroup::optimizer:
      return mixed(theme.panel, kind_color(SliceKind::compute, theme), 0.5);
    case StepGroup::communication:
      return kind_color(SliceKind::communication, theme);
    case StepGroup::copy:
      return kind_color(SliceKind::copy, theme);
    case StepGroup::idle_loader:
    case StepGroup::loader:
      return idle_color(IdleShade::light, theme);
    case StepGroup::idle_late:
      return idle_color(IdleShade::medium, theme);
    case StepGroup::idle_sync:
    case StepGroup::idle_memory:
    case StepGroup::idle_gc:
      return idle_color(IdleShade::pale, theme);
    case StepGroup::idle_launch:
      return idle_color(IdleShade::dark, theme);
    case StepGroup::operators:
      return kind_color(SliceKind::cpu_op, theme);
    case StepGroup::calls:
      return kind_color(SliceKind::runtime, theme);
    case StepGroup::idle_bubble:
    case StepGroup::idle_unknown:
    case StepGroup::idle_tail:
    case StepGroup::no_events:
      break;
  }
  return theme.text_dim;
}

}  // namespace kino
