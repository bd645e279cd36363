// Recognizes a first argument that is a mistyped command.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kino {

/// Returns a sentence that suggests the command of `names` closest to `word`. Empty if `word` is an option or
/// a file, looks like a file name, or is not close to any command.
std::string mistyped_command(std::string_view word, std::span<const std::string_view> names);

}  // namespace kino
