// What `kinetoscope info` says of a job that hung.
#pragma once

#include <filesystem>
#include <string>

#include "core/flight/hang.hpp"

namespace kino {

/// One JSON document: kind "hang", the ranks, and `hang` with verdict, culprits, missing, stuck, groups,
/// mismatches, messages and what is outstanding.
std::string hang_info_json(const std::filesystem::path& path, const HangRecording& hang);
std::string hang_info_text(const std::filesystem::path& path, const HangRecording& hang);

}  // namespace kino
