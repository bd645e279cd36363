// The text that --help prints.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "app/cli/command_line/command_documents.hpp"

namespace kino {

/// Maximum columns of a line of the help, unless a word is longer.
inline constexpr std::size_t kHelpColumns = 100;

/// Breaks each line of `text` between words. Continuation lines of a list item ("  name   text") are indented
/// to its text. The last line has no line feed.
std::string wrapped_lines(std::string_view text);

/// Returns the usage, arguments and options, and the text below them.
std::string help_text(const CommandWords& command);

/// Returns the program's help: one line per command, and the text that applies to all commands.
std::string help_of_commands(std::span<const CommandWords> commands);

}  // namespace kino
