// Where decompressed text goes: an unnamed file in the cache folder, or memory when there is no such folder.
#pragma once

#include <filesystem>

#include "core/result.hpp"

namespace kino {

/// $XDG_CACHE_HOME/kinetoscope, or ~/.cache/kinetoscope; empty when neither variable is set.
std::filesystem::path default_cache_directory();

/// A new read-write descriptor without a name, so that nothing is left behind however the program ends. Falls
/// back to memory (memfd) when the folder cannot be written to.
Result<int> open_spool(const std::filesystem::path& directory);

}  // namespace kino
