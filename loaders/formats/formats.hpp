// The one list of the formats that open, and which of them a content is most like.
//
// A new format is two files in a module of its kind, which declare a Format, and its line in formats.cpp.
#pragma once

#include <span>
#include <string_view>

#include "loaders/cache/format.hpp"

namespace kino {

std::span<const Format> all_formats();

struct FormatGuess {
  const Format* format = nullptr;  ///< null with Likeness::none
  Likeness likeness = Likeness::none;
};

/// The format that a content with this begin is most like; of equal ones the first in the list.
FormatGuess most_alike(std::span<const Format> formats, std::string_view head);

}  // namespace kino
