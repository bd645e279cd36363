#include "app/cli/command_line/parse_command_line.hpp"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/choices.hpp"
#include "app/cli/command_line/command_help.hpp"
#include "app/cli/command_line/mistyped_command.hpp"
#include "app/shell/settings/version.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

std::string version_line() { return "kinetoscope " + std::string(program_version()); }

/// Options of the program itself that print a text instead of opening the window.
struct ProgramOptions {
  bool manual = false;
  std::string shell;

  void add_to(CLI::App& app) {
    app.set_version_flag("--version", version_line(), "Print the version");
    app.add_flag("--manual", manual, "Print the manual page: kinetoscope --manual | man -l -");
    one_of(app.add_option("--completion", shell,
                          "Print a completion script: source <(kinetoscope --completion bash)"),
           {"bash", "zsh", "fish"});
  }
};

/// A command and the objects that its options refer to.
struct Declared {
  const CommandRow& row;
  std::unique_ptr<Command> command = row.make();
  ProgramOptions program;
  CLI::App app{std::string(row.text.description)};

  explicit Declared(const CommandRow& command_row) : row(command_row) {
    app.set_help_flag("-h,--help", "Print this help");
    command->declare(app);
    if (row.text.name.empty()) program.add_to(app);
  }
};

OptionWords words_of_option(const CLI::Option& option) {
  OptionWords words;
  words.about = option.get_description();
  if (const std::string preset = option.get_default_str(); !preset.empty())
    words.about.append(" (default ").append(preset).append(")");
  words.by_place = option.get_positional();
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  if (words.by_place) {
    words.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
    words.value = type;
  }
  std::string_view rest = type.find('|') != std::string::npos ? std::string_view(type) : "";
  while (!rest.empty()) {
    words.choices.emplace_back(rest.substr(0, rest.find('|')));
    rest.remove_prefix(std::min(words.choices.back().size() + 1, rest.size()));
  }
  return words;
}

CommandWords words_of_command(const CommandRow& row) {
  const Declared declared(row);
  CommandWords words{.name = std::string(row.text.name),
                     .synopsis = std::string(row.text.synopsis),
                     .about = std::string(row.text.about),
                     .description = std::string(row.text.description),
                     .options = {},
                     .more = wrapped_lines(declared.app.get_footer())};
  for (const CLI::Option* const option : declared.app.get_options())
    words.options.push_back(words_of_option(*option));
  return words;
}

ParsedCommandLine answered(std::string text, int exit_code = 0) {
  ParsedCommandLine parsed;
  parsed.text = std::move(text);
  parsed.exit_code = exit_code;
  return parsed;
}

ParsedCommandLine usage_error(const std::string& what, const CommandText& command) {
  const std::string program = "kinetoscope" + (command.name.empty() ? "" : " " + std::string(command.name));
  return answered("kinetoscope: " + escaped(what) + "; see " + program + " --help\n", command.usage_error);
}

std::string help_of(std::span<const CommandRow> commands, const Declared& declared) {
  if (declared.row.text.name.empty()) return help_text(words_of_commands(commands).front());
  return help_text(words_of_command(declared.row)) + declared.command->more_help();
}

std::string mistyped_first(std::span<const CommandRow> commands, std::string_view first) {
  std::vector<std::string_view> names;
  names.reserve(commands.size());
  for (const CommandRow& row : commands.subspan(1)) names.push_back(row.text.name);
  return mistyped_command(first, names);
}

}  // namespace

std::vector<CommandWords> words_of_commands(std::span<const CommandRow> commands) {
  std::vector<CommandWords> words;
  words.reserve(commands.size());
  for (const CommandRow& row : commands) words.push_back(words_of_command(row));
  words.front().more = wrapped_lines(help_of_commands(std::span(words).subspan(1)));
  return words;
}

ParsedCommandLine parse_command_line(std::span<const CommandRow> commands, int argc,
                                     const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto named = std::ranges::find(commands, first, [](const CommandRow& row) { return row.text.name; });
  const bool has_command = !first.empty() && named != commands.end();
  const CommandRow& row = has_command ? *named : commands.front();
  if (const std::string mistyped = has_command ? "" : mistyped_first(commands, first); !mistyped.empty())
    return answered("kinetoscope: " + mistyped + "\n", row.text.usage_error);

  Declared declared(row);
  const int skipped = has_command ? 1 : 0;
  try {
    declared.app.parse(argc - skipped, argv + skipped);
  } catch (const CLI::CallForHelp&) {
    return answered(help_of(commands, declared));
  } catch (const CLI::CallForVersion&) {
    return answered(version_line() + "\n");
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), row.text);
  }
  if (declared.program.manual) return answered(manual_page(words_of_commands(commands), version_line()));
  if (const std::string& shell = declared.program.shell; !shell.empty())
    return answered(completion_script(words_of_commands(commands), shell).value_or(""));
  if (const std::string problem = declared.command->finish(); !problem.empty())
    return usage_error(problem, row.text);
  return {.words = &row.text, .command = std::move(declared.command), .exit_code = 0, .text = {}};
}

}  // namespace kino
