// The desktop's own file dialog over D-Bus (org.freedesktop.portal.FileChooser).
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>

#include "app/system/dialog_outcome.hpp"

namespace kino {

/// Shows the dialog and waits for the user; requires a thread of its own. A dialog for saving begins in
/// `folder`. Returns `unavailable` without a session bus, a portal on it, or D-Bus in the build. On a stop
/// request, closes the dialog and returns within 100 ms.
DialogResult call_portal(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop);

/// "file:///a%20b" -> "/a b". nullopt for other schemes and hosts, malformed escapes and zero bytes.
std::optional<std::filesystem::path> path_from_uri(std::string_view uri);

}  // namespace kino
