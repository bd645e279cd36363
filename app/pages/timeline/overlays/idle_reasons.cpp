#include "app/pages/timeline/overlays/idle_reasons.hpp"

#include <array>
#include <cstddef>

#include "core/tables/gpu/time_base.hpp"

namespace kino {

Text text_of(IdleReason reason) {
  constexpr std::array<Text, kIdleReasonCount> kTexts{
      Text::idle_loader,     Text::idle_late_launch, Text::idle_launching,    Text::idle_sync,
      Text::idle_malloc,     Text::idle_gc,          Text::idle_before_first, Text::idle_unknown_launch,
      Text::idle_unrecorded, Text::idle_tail};
  return kTexts[static_cast<std::size_t>(reason)];
}

std::string reason_text(IdleReason reason, std::string_view device) {
  return with_device_word(tr(text_of(reason)), device);
}

std::string reason_hint(IdleReason reason, std::string_view device) {
  if (reason == IdleReason::late_launch) return with_device_word(tr(Text::idle_late_launch_hint), device);
  return reason == IdleReason::launching ? with_device_word(tr(Text::idle_launching_hint), device)
                                         : std::string();
}

std::uint32_t idle_color(IdleReason reason, const Theme& theme) {
  switch (reason) {
    case IdleReason::loader:
      return idle_color(IdleShade::light, theme);
    case IdleReason::sync:
    case IdleReason::malloc:
    case IdleReason::gc:
      return idle_color(IdleShade::pale, theme);
    case IdleReason::late_launch:
      return idle_color(IdleShade::medium, theme);
    case IdleReason::launching:
    case IdleReason::before_first:
      return idle_color(IdleShade::dark, theme);
    case IdleReason::unknown_launch:
    case IdleReason::unrecorded:
    case IdleReason::tail:
      break;
  }
  return theme.text_dim;
}

}  // namespace kino
