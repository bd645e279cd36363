// Covers: command_line
// The command line means what its help says, and mistakes are told apart from failures.
#include "app/shell/settings/command_line.hpp"

#include <filesystem>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kino::CommandLine;

kino::ParsedCommandLine parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kinetoscope");
  return kino::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE("without arguments the window opens with nothing") {
  const auto parsed = parse({});
  CHECK_FALSE(parsed.exit_code.has_value());
  CHECK(parsed.command.mode == CommandLine::Mode::window);
  CHECK(parsed.command.files.empty());
}

TEST_CASE("several files open in the window, whatever they are called") {
  const auto parsed = parse({"a.json", "screenshot", "./info", "b c.json"});
  CHECK(parsed.command.mode == CommandLine::Mode::window);
  REQUIRE(parsed.command.files.size() == 4);
  CHECK(parsed.command.files[1] == "screenshot");
  CHECK(parsed.command.files[3] == "b c.json");
}

TEST_CASE("a file called info opens as ./info") {
  const auto parsed = parse({"./info"});
  CHECK(parsed.command.mode == CommandLine::Mode::window);
  CHECK(parsed.command.files.front() == "./info");
}

TEST_CASE("info takes files and --json on either side of them") {
  CHECK(parse({"info", "a.json", "--json"}).command.json);
  CHECK(parse({"info", "--json", "a.json"}).command.json);
  CHECK_FALSE(parse({"info", "a.json"}).command.json);
  CHECK(parse({"info"}).exit_code == 2);
  CHECK(parse({"info", "a.json", "b.json"}).command.files.size() == 2);
}

TEST_CASE("tables of a job take its ranks, and the number of the job") {
  CHECK(parse({"table", "ranks", "folder"}).command.job == 1);
  CHECK(parse({"table", "ranks", "folder", "--job", "2"}).command.job == 2);
  CHECK(parse({"table", "ranks", "folder", "--job", "0"}).exit_code == 2);
  CHECK(parse({"table", "ranks", "a.json", "b.json", "c.json"}).command.files.size() == 3);
  CHECK(parse({"table", "operators", "a.json", "b.json"}).exit_code == 2);
  CHECK(parse({"table", "compare", "a.pickle", "b.pickle", "c.pickle"}).exit_code == 2);
}

TEST_CASE("screenshot takes file, picture, size, scale, range, theme and selection") {
  const auto parsed = parse({"screenshot", "a.json", "out.png", "--size", "640x480", "--scale", "2", "--from",
                             "-5", "--to", "9000000000000", "--theme", "light", "--select", "7"});
  REQUIRE_FALSE(parsed.exit_code.has_value());
  const CommandLine& command = parsed.command;
  CHECK(command.mode == CommandLine::Mode::screenshot);
  CHECK(command.files.front() == "a.json");
  CHECK(command.output == "out.png");
  CHECK(command.size == kino::PixelSize{640, 480});
  CHECK(command.scale == 2.0F);
  CHECK(command.range == kino::TimeRange{-5, 9'000'000'000'000});
  CHECK(command.dark == false);
  CHECK(command.select == kino::SliceId{7});
}

TEST_CASE("screenshot takes the moment, layout, colours, axis, query and device of a snapshot") {
  const std::vector<const char*> words{"kinetoscope", "screenshot", "a.pickle", "o.png",   "--at",
                                       "oom",         "--layout",   "lanes",    "--color", "category",
                                       "--axis",      "time",       "--find",   ">1MB",    "--only-hits",
                                       "--device",    "2"};
  const auto snapshot = kino::parse_command_line(static_cast<int>(words.size()), words.data());
  REQUIRE_FALSE(snapshot.exit_code);
  CHECK(snapshot.command.look == kino::SnapshotLook{"oom", "lanes", "category", "time", ">1MB", true, 2});
  const std::vector<const char*> wrong{"kinetoscope", "screenshot", "a", "o.png", "--layout", "heap"};
  CHECK(kino::parse_command_line(static_cast<int>(wrong.size()), wrong.data()).exit_code == 2);
  const std::vector<const char*> nothing{"kinetoscope", "screenshot", "a", "o.png", "--only-hits"};
  CHECK(kino::parse_command_line(static_cast<int>(nothing.size()), nothing.data()).exit_code == 2);
}

TEST_CASE("mistakes exit with 2 and point to the help") {
  const std::vector<std::vector<const char*>> mistakes = {
      {"--colour"},
      {"--size", "640"},
      {"--size", "640x"},
      {"--size", "0x0"},
      {"--size", "640x480x3"},
      {"--size", "99999x480"},
      {"--scale", "0"},
      {"--theme", "blue"},
      {"screenshot", "a.json"},
      {"screenshot", "a.json", "b.png", "--from", "1"},
      {"screenshot", "a.json", "b.png", "--from", "5", "--to", "5"},
      {"screenshot", "a.json", "b.png", "--from", "99999999999999999999", "--to", "5"},
      {"screenshot", "a.json", "b.png", "--select", "-1"},
  };
  for (const auto& arguments : mistakes) {
    CAPTURE(arguments.back());
    const auto parsed = parse(arguments);
    CHECK(parsed.exit_code == 2);
    CHECK(parsed.text.find("--help") != std::string::npos);
  }
}

TEST_CASE("- is the standard input for every command, and --no-limit lifts the limit of spools") {
  using Files = std::vector<std::filesystem::path>;
  CHECK(parse({"-"}).command.files == Files{"-"});
  CHECK(parse({"info", "-"}).command.files == Files{"-"});
  CHECK(parse({"screenshot", "-", "out.png"}).command.files == Files{"-"});
  CHECK_FALSE(open_options(parse({"info", "a.zip#b.json"}).command).spool_limit.none);
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"a", "--no-limit"},
                                                    {"info", "a", "--no-limit"},
                                                    {"screenshot", "a", "b.png", "--no-limit"}}) {
    CHECK(open_options(parse(arguments).command).spool_limit.none);
  }
}

TEST_CASE("--no-cache reads the file itself, and the cache has a command") {
  CHECK(parse({"a"}).command.use_cache);
  CHECK(open_options(parse({"info", "a"}).command).cache.look);
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"a", "--no-cache"},
                                                    {"info", "a", "--no-cache"},
                                                    {"screenshot", "a", "b.png", "--no-cache"}}) {
    CHECK_FALSE(parse(arguments).command.use_cache);
    CHECK_FALSE(open_options(parse(arguments).command).cache.look);
  }
  CHECK_FALSE(parse({"info", "a"}).command.keep);
  CHECK(parse({"info", "a", "--keep"}).command.keep);
  CHECK(parse({"cache"}).command.mode == CommandLine::Mode::cache);
  CHECK_FALSE(parse({"cache"}).command.clear);
  CHECK(parse({"cache", "--clear"}).command.clear);
  CHECK(parse({"./cache"}).command.mode == CommandLine::Mode::window);
  CHECK(parse({"cache", "--help"}).exit_code == 0);
  CHECK(parse({"cache", "file"}).exit_code == 2);
}

TEST_CASE("help and version exit with 0 and text") {
  for (const char* option : {"--help", "--version", "-h"}) {
    CHECK(parse({option}).exit_code == 0);
    CHECK_FALSE(parse({option}).text.empty());
  }
  CHECK(parse({"screenshot", "--help"}).text.find("--from") != std::string::npos);
}

TEST_CASE("table takes a name, a file and what to show of it") {
  const auto parsed = parse({"table", "kernels", "a.json", "--range", "1.5ms..2s", "--group", "shape",
                             "--sort", "calls,total_ns:asc", "--limit", "7", "--format", "md"});
  REQUIRE_FALSE(parsed.exit_code.has_value());
  const kino::TableRequest& request = parsed.command.table;
  CHECK(parsed.command.mode == CommandLine::Mode::table);
  CHECK(parsed.command.files.front() == "a.json");
  CHECK(request.name == "kernels");
  CHECK(request.range == kino::TimeRange{1'500'000, 2'000'000'000});
  CHECK(request.group == "shape");
  CHECK(request.sort == std::vector<std::string>{"calls", "total_ns:asc"});
  CHECK(request.limit == 7);
  CHECK(request.format == kino::TableFormat::markdown);
  CHECK(parse({"table", "steps", "a.json", "--step", "3"}).command.table.step == 3);
  CHECK(parse({"table", "nothing", "a.json"}).exit_code == 2);
  CHECK(parse({"table", "kernels"}).exit_code == 2);
  CHECK(parse({"table", "kernels", "a.json", "--range", "5..3"}).exit_code == 2);
  CHECK(parse({"table", "kernels", "a.json", "--range", "1..2", "--step", "1"}).exit_code == 2);
  CHECK(parse({"table", "kernels", "a.json", "--format", "xml"}).exit_code == 2);
  CHECK(parse({"table", "kernels", "a.json", "--limit", "-1"}).exit_code == 2);
  CHECK(parse({"table", "kernels", "a.json", "--limit=-1"}).exit_code == 2);
  CHECK(parse({"table", "gaps", "a.json", "--stream", "7"}).command.table.stream == "7");
  const auto set =
      parse({"table", "what-if", "--set", "max_split_size_mb=64", "--set", "capacity_mb=9", "a.pickle"});
  REQUIRE_FALSE(set.exit_code.has_value());
  CHECK(set.command.table.settings == std::vector<std::string>{"max_split_size_mb=64", "capacity_mb=9"});
  CHECK(set.command.files.front() == "a.pickle");
  const auto sizes = parse({"table", "batch-size", "a.pickle", "b.pickle", "--batch", "8,16"});
  REQUIRE_FALSE(sizes.exit_code.has_value());
  CHECK(sizes.command.table.sizes == std::vector<std::uint64_t>{8, 16});
  CHECK(parse({"table", "batch-size", "a.pickle", "b.pickle", "--batch", "8,x"}).exit_code == 2);
}

TEST_CASE("a window of its own can watch what is opened") {
  const auto watched = parse({"run", "--watch"});
  REQUIRE_FALSE(watched.exit_code.has_value());
  CHECK(watched.command.mode == kino::CommandLine::Mode::window);
  CHECK(watched.command.watches);
  CHECK(watched.command.new_window);
  CHECK(watched.command.files.front() == "run");
  CHECK_FALSE(parse({"watch", "run"}).command.watches);
}

TEST_CASE("watch takes a folder, and how many files it ends behind") {
  const auto parsed = parse({"watch", "runs", "--all", "--files", "3", "--json"});
  REQUIRE_FALSE(parsed.exit_code.has_value());
  CHECK(parsed.command.mode == CommandLine::Mode::watch);
  CHECK(parsed.command.files == std::vector<std::filesystem::path>{"runs"});
  CHECK(parsed.command.all_files);
  CHECK(parsed.command.most_files == 3);
  CHECK(parsed.command.json);
  CHECK(parse({"watch"}).exit_code == 2);
  CHECK(parse({"watch", "runs", "--files", "0"}).exit_code == 2);
}

TEST_CASE("what the columns of a table mean stands in its help, and needs no file") {
  const auto columns = parse({"table", "kernels", "--columns"});
  REQUIRE_FALSE(columns.exit_code.has_value());
  CHECK(columns.command.table.columns);
  CHECK(columns.command.files.empty());
  const auto help = parse({"table", "kernels", "--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.text.find("total_ns") != std::string::npos);
  CHECK(help.text.find("Summed durations") != std::string::npos);
  CHECK(parse({"table", "--help"}).text.find("--columns") != std::string::npos);
}

TEST_CASE("every command that reads a file can be strict about cut ones") {
  CHECK(parse({"info", "a.json", "--strict"}).command.strict);
  CHECK(parse({"table", "kernels", "a.json", "--strict"}).command.strict);
  CHECK(parse({"report", "a.json", "a.html", "--strict"}).command.strict);
  CHECK(parse({"screenshot", "a.json", "a.png", "--strict"}).command.strict);
  CHECK_FALSE(parse({"info", "a.json"}).command.strict);
}

TEST_CASE("pack takes traces and, last, the file to write") {
  const auto one = parse({"pack", "a.json", "a.kino"});
  CHECK(!one.exit_code);
  CHECK(one.command.mode == kino::CommandLine::Mode::pack);
  CHECK(one.command.files == std::vector<std::filesystem::path>{"a.json"});
  CHECK(one.command.output == "a.kino");
  CHECK(one.command.arguments == "all");
  CHECK(!one.command.redact);
  CHECK(!one.command.range);
  const auto two = parse({"pack", "a.json", "b.json", "job.kino", "--redact", "--arguments", "work", "--note",
                          "n.json", "--range", "1ms..2ms"});
  CHECK(!two.exit_code);
  CHECK(two.command.files.size() == 2);
  CHECK(two.command.output == "job.kino");
  CHECK(two.command.arguments == "work");
  CHECK(two.command.redact);
  CHECK(two.command.note == "n.json");
  CHECK(two.command.range == kino::TimeRange{1'000'000, 2'000'000});
  CHECK(parse({"pack", "a.json"}).exit_code == 2);
  CHECK(parse({"pack", "a.json", "a.kino", "--arguments", "some"}).exit_code == 2);
}

TEST_CASE("trim takes a trace, a file to write and a range") {
  const auto parsed = parse({"trim", "a.json", "b.json.gz", "--range", "10ms..1.5s"});
  CHECK(!parsed.exit_code);
  CHECK(parsed.command.mode == kino::CommandLine::Mode::trim);
  CHECK(parsed.command.files.front() == "a.json");
  CHECK(parsed.command.output == "b.json.gz");
  CHECK(parsed.command.range == kino::TimeRange{10'000'000, 1'500'000'000});
  CHECK(parse({"trim", "a.json", "b.json"}).exit_code == 2);
  CHECK(parse({"trim", "a.json", "b.json", "--range", "5ms..1ms"}).exit_code == 2);
}
