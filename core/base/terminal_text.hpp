// Makes untrusted text safe to print: file names and file content must not control a terminal.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// Escapes control characters, line separators, bidirectional controls, byte order marks and invalid UTF-8 as
/// "\n", "\t", "\r", "\xNN" or "\u{NNNN}". The result is one line.
std::string escaped(std::string_view text);

/// Replaces each line break, with the spaces around it, by one space: for excerpts of indented files.
std::string without_line_breaks(std::string_view text);

/// Returns one printable sentence: the error's text, its offset if it has one, and the file's name, as in
/// "... (byte 512): a.json".
std::string error_sentence(const Error& error, std::string_view file);

}  // namespace kino
