// The settings of the allocator in the run of a snapshot, and what to set otherwise.
#pragma once

#include <optional>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/tables/oom_autopsy.hpp"

namespace kino {

/// What its variable of the environment was set to, in a line.
std::string settings_line(const Snapshot& snapshot);
/// All that the file records, under a title, into the current window; nothing of a file of another source
/// than the allocator.
void draw_settings(const Snapshot& snapshot, const Theme& theme, float ui_scale);
/// Whether to set it, and the line ready to copy. Returns the middle of the button that copies, if there is
/// one.
std::optional<ImVec2> draw_setting(const OomSetting& setting, const Theme& theme);

}  // namespace kino
