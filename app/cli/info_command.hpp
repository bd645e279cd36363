// `kinetoscope info`: what is in a file, as text for people or as JSON for programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/shell/settings/command_line.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// One JSON object with a line feed. ASCII only, so it is safe to print; text that is no
/// UTF-8 gets replacement characters.
std::string info_json(const std::filesystem::path& path, const OpenedTrace& opened,
                      std::uint64_t peak_rss_bytes);

/// Some lines of aligned text, safe to print whatever the file contains.
std::string info_text(const std::filesystem::path& path, const OpenedTrace& opened,
                      std::uint64_t peak_rss_bytes);

/// What can be given to the command instead of an archive or folder: a line each, with its size.
std::string choices_text(const ContainedTraces& choices);

/// Loads and prints; the exit code. An error is printed on stderr as one sentence.
int run_info_command(const CommandLine& command);

}  // namespace kino
