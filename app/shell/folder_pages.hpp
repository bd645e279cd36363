// Watches a folder for files that a run writes.
#pragma once

#include <filesystem>

#include "app/shell/documents/session.hpp"

namespace kino {

/// Whether the name of any file in the folder could be that of a recording.
bool holds_files(const std::filesystem::path& folder);
/// Whether the active document has a folder to watch, or a folder is watched.
bool can_watch(const Session& session);
/// Starts watching the folder of the active document, or stops watching.
void toggle_watching(Session& session);
/// Shows new files in the watched folder as a toast. Call once per frame.
void show_folder_news(Session& session);

}  // namespace kino
