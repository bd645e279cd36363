// What a search asks of the arguments of an event.
#pragma once

#include <string>
#include <string_view>

namespace kino {

/// The key that stands for every argument with "dims" or "shape" in its name: "Input Dims", "Input dims",
/// "Output Shape".
inline constexpr std::string_view kShapeKey = "shape";

/// The shape of one tensor for short: whether an argument of this name is meant by kShapeKey. `key` is in
/// lower case.
constexpr bool is_shape_key(std::string_view key) {
  return key.find("dims") != std::string_view::npos || key.find(kShapeKey) != std::string_view::npos;
}

struct ArgumentTerm {
  std::string key;    ///< of the argument: lower case, letters and digits only; empty: any; or kShapeKey
  std::string value;  ///< lower case; what its value contains, as a whole number if it is one
  bool operator==(const ArgumentTerm&) const = default;
};

}  // namespace kino
