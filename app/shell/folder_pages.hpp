// Watches a folder for files that a run writes.
#pragma once

#include <filesystem>

#include "app/shell/documents/session.hpp"

namespace kino {

/// Whether one of the first 10,000 names in the folder could be that of a recording.
bool holds_files(const std::filesystem::path& folder);
/// Whether toggle_watching() has an effect: a folder is watched, or the active document is from a file or
/// folder and is not a comparison.
bool can_watch(const Session& session);
/// Starts watching the folder of the active document, or stops watching.
void toggle_watching(Session& session);
/// Shows a toast if watching a folder has started or failed, or if new files have appeared. Call once per
/// frame.
void show_folder_news(Session& session);

}  // namespace kino
