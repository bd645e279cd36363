// A sentence for the window that any thread may put together; its language is that of when it is shown.
#pragma once

#include <optional>
#include <string>

#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

struct Sentence {
  std::optional<Text> text;  ///< nothing to say without one
  Message first;             ///< fills {0}
  Message second;            ///< fills {1}

  bool empty() const { return !text; }
  /// UI thread only.
  std::string str() const {
    return text ? filled(*text, {in_language(first), in_language(second)}) : std::string();
  }
};

}  // namespace kino
