// Watches a folder for files that a run writes.
#pragma once

#include <filesystem>

#include "app/shell/documents/session.hpp"

namespace kino {

/// Whether something in it may be a recording, by its name: a run may not have begun to write.
bool holds_files(const std::filesystem::path& folder);
/// Whether there is a folder to watch, or one is watched.
bool can_watch(const Session& session);
/// Of the active document its folder; or no more.
void toggle_watching(Session& session);
/// Says at the bottom of the window what has come to the folder. Once a frame.
void tell_folder_news(Session& session);

}  // namespace kino
