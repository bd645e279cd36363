// The list of supported formats, and the detection of a content's format.
//
// A new format consists of two files that declare a Format, in a module of their own, and its entry in
// formats.cpp.
#pragma once

#include <span>
#include <string_view>

#include "loaders/cache/format.hpp"

namespace kino {

std::span<const Format> all_formats();

struct FormatGuess {
  const Format* format = nullptr;  ///< null with Likeness::none
  FormatMatch likeness = FormatMatch::none;
};

/// Returns the format that matches `head` best; among equal matches, the first in the list.
FormatGuess detect_format(std::span<const Format> formats, std::string_view head);

}  // namespace kino
