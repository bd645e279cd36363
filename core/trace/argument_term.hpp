// A search term on the arguments of an event.
#pragma once

#include <string>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {

/// Key that covers all arguments with "dims" or "shape" in their names: "Input Dims", "Input dims", "Output
/// Shape".
inline constexpr std::string_view kShapeKey = "shape";

/// Whether kShapeKey matches an argument with this argument_key().
constexpr bool is_shape_key(std::string_view key) {
  return contains(key, "dims") || contains(key, kShapeKey);
}

/// Returns the key of an argument's name: its letters and digits in lower case.
inline std::string argument_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    if (is_digit(c) || is_letter(c)) key += lower(c);
  }
  return key;
}

struct ArgumentTerm {
  std::string key;    ///< argument_key() of the argument, or kShapeKey; empty: any argument
  std::string value;  ///< lower case; text contained in the argument's value; a number must match as a whole
  bool operator==(const ArgumentTerm&) const = default;
};

}  // namespace kino
