// An event as a tree of JSON values for display, in the order of its source.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

struct ArgNode {
  enum class Kind { object, array, string, number, literal };

  Kind kind = Kind::literal;
  std::string key;   ///< empty in arrays and at the root
  std::string text;  ///< strings unescaped; numbers and literals exactly as written
  std::vector<ArgNode> children;

  /// Returns the first child with this key, or null.
  const ArgNode* find(std::string_view wanted) const {
    const auto child = std::ranges::find(children, wanted, &ArgNode::key);
    return child == children.end() ? nullptr : &*child;
  }
};

}  // namespace kino
