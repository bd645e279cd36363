// Words that lead to a command or table although its title does not contain them: "mfu" leads to the ledger.
#pragma once

#include <string_view>

#include "app/ui/commands/command_list.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

/// Returns the words of a command, separated by ", "; empty if it has none.
std::string_view search_words(CommandId command, Language language);
/// Returns the words of the table with this name (TableInfo::name), separated by ", "; empty if it has none.
std::string_view search_words(std::string_view table, Language language);

}  // namespace kino
