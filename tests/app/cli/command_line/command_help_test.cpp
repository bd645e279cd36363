// Covers: command_help, command_table
// The help of the program and of each command is a golden file, and fits a terminal.
#include "app/cli/command_line/command_help.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/parsed_command.hpp"

namespace {

std::string help_of_command(std::string_view name) {
  const std::string word(name);
  return name.empty() ? kino_test::parse({"--help"}).text : kino_test::parse({word.c_str(), "--help"}).text;
}

std::string golden_help(std::string_view name) {
  std::ifstream file(std::filesystem::path(KINETOSCOPE_SOURCE) / "tests/fixtures/help" /
                     ((name.empty() ? "kinetoscope" : std::string(name)) + ".txt"));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t columns_in(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1;
  return columns;
}

}  // namespace

TEST_CASE("the help of each command is the golden one") {
  for (const kino::CommandRow& row : kino::command_table()) {
    CAPTURE(row.text.name);
    CHECK(help_of_command(row.text.name) == golden_help(row.text.name));
  }
}

TEST_CASE("no line of the help is wider than 100 columns or ends with a space") {
  for (const kino::CommandRow& row : kino::command_table()) {
    std::istringstream lines(help_of_command(row.text.name));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(columns_in(line) <= kino::kHelpColumns);
      CHECK_FALSE(line.ends_with(' '));
    }
  }
}

TEST_CASE("long lines are broken between words, and lists below their second column") {
  const std::string words = "ten chars ";
  std::string text;
  for (int i = 0; i < 12; ++i) text.append(words);
  text.pop_back();
  CHECK(kino::wrapped_lines(text) == text.substr(0, 99) + "\n" + text.substr(100));
  CHECK(kino::wrapped_lines("  name  " + text) ==
        "  name  " + text.substr(0, 89) + "\n        " + text.substr(90));
  CHECK(kino::wrapped_lines("a\n\nb") == "a\n\nb");
  const std::string one_word(150, 'x');
  CHECK(kino::wrapped_lines(one_word) == one_word);
}
