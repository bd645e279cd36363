// Writes what people export: a new file beside the trace, or else in their home folder.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.hpp"

namespace kino {

/// Writes "<trace's name><middle><extension>" beside the trace; a name that is taken gets a number before the
/// extension. Returns its path. Any thread.
Result<std::filesystem::path> write_file_beside(const std::filesystem::path& trace_path,
                                                std::string_view middle, std::string_view extension,
                                                std::string_view text);

}  // namespace kino
