// Names, colors and legend keys of the reasons for idle time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/ledger/gpu_idle.hpp"

namespace kino {

Text text_of(IdleReason reason);
/// Returns the name of a reason in the language in use. `device`: see device_word().
std::string reason_text(IdleReason reason, std::string_view device);
/// Explains how the reason differs from the finding with nearly the same meaning; empty for other reasons.
std::string reason_hint(IdleReason reason, std::string_view device);
/// Returns a shade of rose, or a gray for idle time without a recorded launch or activity, and for idle time
/// after the last work.
std::uint32_t idle_color(IdleReason reason, const Theme& theme);

/// Key of a reason in the legend. Color keys of slices are smaller, since they are indices of names, kinds,
/// tracks or groups.
constexpr std::uint32_t idle_key(IdleReason reason) {
  return 0xffff'ff00U + static_cast<std::uint32_t>(reason);
}

}  // namespace kino
