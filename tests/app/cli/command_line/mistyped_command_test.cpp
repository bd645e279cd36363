// Covers: mistyped_command
// A first argument close to a command's name suggests that command, unless it is or looks like a file.
#include "app/cli/command_line/mistyped_command.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

constexpr std::string_view kNames[] = {"info", "table", "screenshot", "mcp"};

std::string hint(std::string_view word) { return kino::mistyped_command(word, kNames); }

}  // namespace

TEST_CASE("words close to a command name it") {
  CHECK(hint("tabel") == "\"tabel\" is neither a file nor a command. Did you mean \"table\"?");
  for (const std::string_view word : {"inof", "inf", "Info", "tables", "screenshoot", "scrennshto", "mpc"})
    CHECK_FALSE(hint(word).empty());
}

TEST_CASE("other words, options and file names are not mistyped commands") {
  for (const std::string_view word :
       {"", "-", "--tabel", "run", "trace", "a", "tabel.json", "./tabel", "x/tabel", "tabe#l", "tab*l"}) {
    CAPTURE(word);
    CHECK(hint(word).empty());
  }
  CHECK(hint(std::string(100'000, 't')).empty());
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  folder.write("tabel", "");
  std::filesystem::current_path(folder.path());
  const std::string of_file = hint("tabel");
  std::filesystem::current_path(before);
  CHECK(of_file.empty());
}
