// What `kinetoscope info` says of a job that hung.
#pragma once

#include <filesystem>
#include <string>

#include "core/job/flight/hang.hpp"

namespace kino {

/// One JSON document: kind "hang", the ranks, and `hang` with verdict, culprits, missing, stuck, groups,
/// mismatches, messages, how long the job stood still, and what is outstanding.
std::string hang_info_json(const std::filesystem::path& path, const HangRecording& hang);
std::string hang_info_text(const std::filesystem::path& path, const HangRecording& hang);

/// 0, whomever the job waits for: that is the answer (`hang.culprits`), and no failure. If `strict`, 1 if a
/// file could not be read or a rank has no dump with anything in it.
int hang_exit_code(const HangRecording& hang, bool strict);

}  // namespace kino
