// The desktop's own file dialog over D-Bus (org.freedesktop.portal.FileChooser).
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>

#include "app/system/dialog_outcome.hpp"

namespace kino {

/// Shows the dialog and waits for the user; requires a thread of its own. A dialog for saving starts in
/// `folder`. Returns `unavailable` if there is no session bus or portal, or if the build has no D-Bus. On a
/// stop request, closes the dialog and returns within 100 ms. Before the dialog is shown, waits up to 10 s
/// for the portal.
DialogResult call_portal(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop);

/// Converts "file:///a%20b" to "/a b". Returns nullopt for other schemes and hosts, malformed escapes and
/// zero bytes.
std::optional<std::filesystem::path> path_from_uri(std::string_view uri);

}  // namespace kino
