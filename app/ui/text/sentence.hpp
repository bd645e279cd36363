// A sentence that any thread can build. It is translated when the UI shows it.
#pragma once

#include <optional>
#include <string>

#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"

namespace kino {

struct Sentence {
  std::optional<Text> text;  ///< nullopt: the sentence is empty
  Message first;             ///< for slot {0}
  Message second;            ///< for slot {1}

  bool empty() const { return !text; }
  /// UI thread only.
  std::string str() const {
    return text ? filled(*text, {in_language(first), in_language(second)}) : std::string();
  }
};

}  // namespace kino
