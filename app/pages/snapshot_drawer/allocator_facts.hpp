// The allocator settings of a snapshot's run, and advice on changing them.
#pragma once

#include <optional>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/oom_analysis.hpp"

namespace kino {

/// Returns the value of the allocator's environment variable, in one line.
std::string settings_line(const Snapshot& snapshot);
/// Draws all recorded settings with a title. Draws nothing for files that were not recorded by the allocator.
void draw_settings(const Snapshot& snapshot, const Theme& theme, float ui_scale);
/// Draws the advice with a line that can be copied. Returns the center of the copy button, if there is one.
std::optional<ImVec2> draw_setting(const OomSetting& setting, const Theme& theme);

}  // namespace kino
