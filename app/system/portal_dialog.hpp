// The desktop's own file dialog, asked for over D-Bus (org.freedesktop.portal.FileChooser).
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>

#include "app/system/dialog_outcome.hpp"

namespace kino {

/// Shows the dialog and waits for the person; for a thread of its own. `folder` is where one for saving
/// begins. `unavailable` when there is no session bus or no portal on it, or the build has no D-Bus. Returns
/// within 100 ms of a stop request, with the dialog closed.
DialogOutcome ask_portal(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop);

/// "file:///a%20b" -> "/a b". nullopt for other schemes and hosts, broken escapes and zero bytes.
std::optional<std::filesystem::path> path_from_uri(std::string_view uri);

}  // namespace kino
