#include "app/cli/command_line/command_help.hpp"

#include <algorithm>

#include "app/ui/text/columns_of_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kAboutColumn = 30;

/// Returns the indent for the continuation of a wrapped line: the second column in a list, and the indent of
/// the line in other text.
std::size_t hanging_indent(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (first == 0) return 0;
  const std::size_t gap = line.find("  ", first);
  const std::size_t second = line.find_first_not_of(' ', gap);
  return gap == std::string_view::npos || second == std::string_view::npos ? first : second;
}

void add_wrapped(std::string& out, std::string_view line) {
  const std::string indent(hanging_indent(line), ' ');
  std::size_t room = kHelpColumns;
  std::size_t least = indent.size();  // minimum for the first line: indent and first column
  while (columns_of(line) > room) {
    std::size_t space = line.rfind(' ', room);
    if (space == std::string_view::npos || space <= least) space = line.find(' ', room);
    if (space == std::string_view::npos) break;
    out.append(line.substr(0, space)).append("\n").append(indent);
    line.remove_prefix(space + 1);
    room = kHelpColumns - indent.size();
    least = 0;
  }
  out.append(line).append("\n");
}

std::string names_of(const OptionWords& option) {
  std::string names;
  for (const std::string& name : option.names) names.append(names.empty() ? "" : ", ").append(name);
  return option.value.empty() ? names : names + " " + option.value;
}

void add_option(std::string& out, const OptionWords& option) {
  std::string line = "  " + names_of(option);
  if (line.size() + 2 > kAboutColumn) {
    out.append(line).append("\n");
    line.clear();
  }
  add_wrapped(out, padded_right(line, kAboutColumn) + option.about);
}

void add_options(std::string& out, const CommandWords& command, bool by_place, std::string_view heading) {
  bool first = true;
  for (const OptionWords& option : command.options) {
    if (option.by_place != by_place) continue;
    if (first) out.append("\n").append(heading).append("\n");
    first = false;
    add_option(out, option);
  }
}

}  // namespace

std::string wrapped_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_wrapped(out, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::string help_text(const CommandWords& command) {
  std::string out = wrapped_lines(command.description) + "\n\nUsage: kinetoscope ";
  for (const std::string* const part : {&command.name, &command.synopsis})
    out.append(*part).append(part->empty() ? "" : " ");
  out.append("[OPTION...]\n");
  add_options(out, command, true, "Arguments:");
  add_options(out, command, false, "Options:");
  if (!command.more.empty()) out.append("\n").append(command.more).append("\n");
  return out;
}

std::string help_of_commands(std::span<const CommandWords> commands) {
  constexpr std::size_t kAboutCommands = 42;
  std::string text = "Commands:\n";
  std::string names;
  for (const CommandWords& command : commands) {
    text.append(padded_right("  kinetoscope " + command.name + " " + command.synopsis, kAboutCommands));
    text.append(command.about).append("\n");
    names.append(names.empty() ? "" : &command == &commands.back() ? " or " : ", ").append(command.name);
  }
  text.append(
      "\n`kinetoscope COMMAND --help` describes a command.\n"
      "FILE is a trace or snapshot, an archive or folder of them, a file in an archive (FILE#NAME), or - for "
      "standard input.\n"
      "To open a file named ");
  return text.append(names)
      .append(
          ", enter ./info and so on.\n"
          "Without a display, a summary of the files is printed.\n\n"
          "Exit codes:\n")
      .append(kExitCodes);
}

}  // namespace kino
