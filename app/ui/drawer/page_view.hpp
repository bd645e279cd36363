// A view of a document: the page itself, one of the pages of its drawer, or another page of the document.
// Also the parts of a document that its tables can cover.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/ui/commands/command_list.hpp"

namespace kino {

struct PageView {
  std::string_view id;               ///< static storage; empty for the page itself
  std::string title;                 ///< in the language in use
  std::optional<CommandId> command;  ///< command that shows the view, for its key
  bool current = false;
  std::string missing{};  ///< reason why the view is not available; empty if it is available
};

/// A part of the document that all its tables can cover.
struct PageScope {
  std::string title;  ///< in the language in use
  bool current = false;
  std::string missing{};  ///< reason why the part is not available; empty if it is available
};

}  // namespace kino
