// Where the files that come with the program lie.
#pragma once

#include <filesystem>
#include <optional>

namespace kino {

/// The bundled sample trace: beside the installed program, in the installation's data folder, or in the
/// sources.
std::optional<std::filesystem::path> find_sample();

/// The folder of fonts that came beside the program, as in what assets/package/bundle makes; nothing without one.
std::optional<std::filesystem::path> find_bundled_fonts();

}  // namespace kino
