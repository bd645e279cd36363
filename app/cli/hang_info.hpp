// Output of `kinetoscope info` for a hung job.
#pragma once

#include <filesystem>
#include <string>

#include "core/job/flight/hang.hpp"

namespace kino {

/// Returns one JSON document: kind "hang", the ranks, and `hang`. The object `hang` contains the verdict,
/// culprits, missing, stuck, groups, mismatches, messages, the time without progress, and outstanding
/// operations.
std::string hang_info_json(const std::filesystem::path& path, const HangRecording& hang);
std::string hang_info_text(const std::filesystem::path& path, const HangRecording& hang);

/// Returns the exit code: 0 even if stragglers are found, because finding them (`hang.culprits`) is not a
/// failure. If `strict`, returns 1 if a file could not be read or a rank has no dump with entries.
int hang_exit_code(const HangRecording& hang, bool strict);

}  // namespace kino
