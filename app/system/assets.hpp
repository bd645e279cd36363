// Finds the files that are installed with the program.
#pragma once

#include <filesystem>
#include <optional>

namespace kino {

/// The bundled sample trace: beside the installed program, in the installation's data folder, or in the
/// sources.
std::optional<std::filesystem::path> find_sample();

/// The first page of the guide, as HTML where the build could write it, else as Markdown. Searched in the build, beside
/// the installed program, in the installation's folder of documents, and in the sources.
std::optional<std::filesystem::path> find_guide();

/// The folder of fonts that came beside the program, as in what assets/package/bundle makes; nothing without one.
std::optional<std::filesystem::path> find_bundled_fonts();

}  // namespace kino
