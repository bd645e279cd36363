#include "app/cli/command_line/mistyped_command.hpp"

#include <filesystem>
#include <system_error>

#include "app/ui/text/nearest_name.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

bool may_be_command(std::string_view word) {
  if (word.empty() || word.front() == '-' || word.find_first_of("./\\#*?") != std::string_view::npos)
    return false;
  std::error_code ignored;
  return !std::filesystem::exists(word, ignored);
}

}  // namespace

std::string mistyped_command(std::string_view word, std::span<const std::string_view> names) {
  if (!may_be_command(word)) return {};
  const std::string_view nearest = nearest_name(word, names);
  if (nearest.empty()) return {};
  return "\"" + escaped(word) + "\" is neither a file nor a command. Did you mean \"" + std::string(nearest) +
         "\"?";
}

}  // namespace kino
