// An event's JSON as a tree a person can look at, in the order of the file.
#pragma once

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

  /// The first child with this key, or null.
  const ArgNode* find(std::string_view wanted) const {
    for (const ArgNode& child : children) {
      if (child.key == wanted) return &child;
    }
    return nullptr;
  }
};

}  // namespace kino
