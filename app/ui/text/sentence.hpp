// A sentence for the window that any thread may put together; its language is that of when it is shown.
#pragma once

#include <optional>
#include <string>

#include "app/ui/text/texts.hpp"

namespace kino {

struct Sentence {
  std::optional<Text> text;  ///< nothing to say without one
  std::string first;         ///< fills {0}
  std::string second;        ///< fills {1}

  bool empty() const { return !text; }
  /// UI thread only.
  std::string str() const { return text ? filled(*text, {first, second}) : std::string(); }
};

}  // namespace kino
