// Covers: command_documents
// The manual page and the completions contain every command and option of --help.
#include "app/cli/command_line/command_documents.hpp"

#include <regex>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/parsed_command.hpp"

namespace {

std::string printed(std::vector<const char*> arguments) {
  const auto parsed = kino_test::parse(std::move(arguments));
  CHECK(parsed.command == nullptr);
  CHECK(parsed.exit_code == 0);
  return parsed.text;
}

/// The first group of each match.
std::set<std::string> all_of(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex expression(pattern, std::regex::multiline);
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

std::string in_roff(const std::string& option) { return std::regex_replace(option, std::regex("-"), "\\-"); }

}  // namespace

TEST_CASE("manual page and completions have every command and option of the help") {
  const std::string help = printed({"--help"});
  const std::set<std::string> commands = all_of(help, "^  kinetoscope ([a-z]+) ");
  CHECK(commands.contains("trim"));
  CHECK(commands.size() >= 6);
  std::set<std::string> options = all_of(help, "^ {2,}(?:-h, *)?(--[a-z-]+)");
  for (const std::string& command : commands)
    options.merge(all_of(printed({command.c_str(), "--help"}), "^ {2,}(?:-h, *)?(--[a-z-]+)"));
  CHECK(options.size() > 30);
  const std::string manual = printed({"--manual"});
  const std::string bash = printed({"--completion", "bash"});
  const std::string zsh = printed({"--completion", "zsh"});
  const std::string fish = printed({"--completion", "fish"});
  for (const std::string& command : commands) {
    CAPTURE(command);
    CHECK(manual.find(".SS kinetoscope " + command + " ") != std::string::npos);
    CHECK(bash.find("    " + command + ") ;;\n") != std::string::npos);
    CHECK(zsh.find("'" + command + ":") != std::string::npos);
    CHECK(fish.find(" -a " + command + " ") != std::string::npos);
  }
  for (const std::string& option : options) {
    CAPTURE(option);
    CHECK(manual.find(in_roff(option)) != std::string::npos);
    CHECK(bash.find(option) != std::string::npos);
    CHECK(zsh.find("'" + option + "[") != std::string::npos);
    CHECK(fish.find(" -l " + option.substr(2) + " ") != std::string::npos);
  }
  for (const auto code : {"0  ", "1  ", "2  "}) {
    CHECK(manual.find(std::string("\n") + code) != std::string::npos);
    CHECK(help.find(std::string("\n") + code) != std::string::npos);
  }
}

TEST_CASE("completes only the choices of the current command") {
  const std::string bash = printed({"--completion", "bash"});
  CHECK(bash.find("    --theme) choices='dark light' ;;\n") != std::string::npos);
  CHECK(bash.find("    table--format) choices='text csv json md folded' ;;\n") != std::string::npos);
  CHECK(bash.find("    tabletable) choices='summary ") != std::string::npos);
  CHECK(bash.find("    info--format)") == std::string::npos);
}

TEST_CASE("escapes special characters of roff and shells") {
  const kino::CommandWords command{.name = "",
                                   .synopsis = "",
                                   .about = "",
                                   .description = ".TH \\*x it's",
                                   .options = {{{"--x"}, "[N]", {}, "it's [this]: 1", false}},
                                   .more = ""};
  const std::string manual = kino::manual_page({&command, 1}, "1-2");
  CHECK(manual.find("\n\\&.TH \\(rs*x it's\n") != std::string::npos);
  CHECK(manual.find("\"1\\-2\"") != std::string::npos);
  const std::string zsh = kino::completion_script({&command, 1}, "zsh").value_or("");
  CHECK(zsh.find("'--x[it'\\''s \\[this\\]\\: 1]:\\[N\\]: '") != std::string::npos);
  CHECK_FALSE(kino::completion_script({&command, 1}, "tcsh").has_value());
}
