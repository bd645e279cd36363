// The allocator settings of a snapshot's run, and advice on changing them.
#pragma once

#include <optional>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/oom_analysis.hpp"

namespace kino {

/// Returns one line with the allocator's environment variable and its value. If the variable is not set or
/// not recorded, the line states this.
std::string settings_line(const Snapshot& snapshot);
/// Draws all recorded settings with a title. Draws nothing for files that were not recorded by the allocator.
void draw_settings(const Snapshot& snapshot, const Theme& theme, float ui_scale);
/// Draws the advice on expandable segments. Unless they are on, also draws a setting that can be copied, and
/// returns the center of its copy button.
std::optional<ImVec2> draw_setting(const OomSetting& setting, const Theme& theme);

}  // namespace kino
