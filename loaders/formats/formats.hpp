// The list of supported formats, and the detection of a content's format.
//
// To add a format, declare a Format in two files of a new module, and add it to the list in formats.cpp.
#pragma once

#include <span>
#include <string_view>

#include "loaders/cache/format.hpp"

namespace kino {

std::span<const Format> all_formats();

struct FormatGuess {
  const Format* format = nullptr;  ///< null with FormatMatch::none
  FormatMatch likeness = FormatMatch::none;
};

/// Returns the format that matches `head` best; among equal matches, the first in the list.
FormatGuess detect_format(std::span<const Format> formats, std::string_view head);

}  // namespace kino
