// Locations of the files that come with the program.
#pragma once

#include <filesystem>
#include <optional>

namespace kino {

/// Returns the path of the bundled sample trace; nullopt if there is none. Searches the data folder beside
/// the program, the installation's data folder, and the sources.
std::optional<std::filesystem::path> find_sample();

/// Returns the first page of the guide: HTML if the build could write it, otherwise Markdown. Searches the
/// build's documents, the folders beside the program, the installation's documents, and the sources.
std::optional<std::filesystem::path> find_guide();

/// Returns the folder of fonts beside the program, as made by assets/package/bundle; nullopt if there is
/// none.
std::optional<std::filesystem::path> find_bundled_fonts();

}  // namespace kino
