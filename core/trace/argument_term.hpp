// A search term on the arguments of an event.
#pragma once

#include <string>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {

/// The key of all arguments with "dims" or "shape" in their names: "Input Dims", "Input dims", "Output
/// Shape".
inline constexpr std::string_view kShapeKey = "shape";

/// Whether kShapeKey matches an argument of this name. `key` is in lower case.
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
  std::string key;    ///< of the argument: lower case, letters and digits only; empty: any; or kShapeKey
  std::string value;  ///< lower case; contained in the argument's value, as a whole number if it is one
  bool operator==(const ArgumentTerm&) const = default;
};

}  // namespace kino
