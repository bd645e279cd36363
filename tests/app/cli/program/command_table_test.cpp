// Covers: command_table, parse_command_line, option_groups, table_command_options, picture_options, window_options, opening_options, choices
// The command line follows its help, and mistakes are distinguished from failures.
#include "app/cli/program/command_table.hpp"

#include <filesystem>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/cache_command.hpp"
#include "app/cli/diff/diff_command.hpp"
#include "app/cli/export_command.hpp"
#include "app/cli/index_command.hpp"
#include "app/cli/info_command.hpp"
#include "app/cli/pack_command.hpp"
#include "app/cli/program/window_command.hpp"
#include "app/cli/query_command.hpp"
#include "app/cli/report/report_command.hpp"
#include "app/cli/screenshot_command.hpp"
#include "app/cli/serve/serve_command.hpp"
#include "app/cli/table_command.hpp"
#include "app/cli/trim_command.hpp"
#include "app/cli/watch_command.hpp"
#include "core/base/platform/space.hpp"
#include "tests/fixtures/parsed_command.hpp"

namespace {

using kino::CacheCommand;
using kino::InfoCommand;
using kino::PackCommand;
using kino::ScreenshotCommand;
using kino::TableCommand;
using kino::WindowCommand;
using kino_test::command;
using kino_test::exit_code;
using kino_test::parse;
using Paths = std::vector<std::filesystem::path>;

}  // namespace

TEST_CASE("without arguments an empty window opens") {
  CHECK(command<WindowCommand>({})->window.input.files.empty());
}

TEST_CASE("several files open in the window, with any names") {
  const auto parsed = command<WindowCommand>({"a.json", "screenshot", "./info", "b c.json"});
  CHECK(parsed->window.input.files == Paths{"a.json", "screenshot", "./info", "b c.json"});
}

TEST_CASE("a file called info opens as ./info") {
  CHECK(command<WindowCommand>({"./info"})->window.input.files == Paths{"./info"});
  CHECK(command<WindowCommand>({"./cache"})->window.input.files == Paths{"./cache"});
}

TEST_CASE("a mistyped command is reported with a suggestion, and opens no window") {
  const auto parsed = parse({"tabel", "a.json", "--group", "shape"});
  CHECK(parsed.command == nullptr);
  CHECK(parsed.exit_code == 2);
  CHECK(parsed.text == "kinetoscope: \"tabel\" is neither a file nor a command. Did you mean \"table\"?\n");
  CHECK(command<WindowCommand>({"tabel.json"})->window.input.files == Paths{"tabel.json"});
  CHECK(command<WindowCommand>({"nothing"})->window.input.files == Paths{"nothing"});
}

TEST_CASE("info accepts --json before and after the files") {
  CHECK(command<InfoCommand>({"info", "a.json", "--json"})->json);
  CHECK(command<InfoCommand>({"info", "--json", "a.json"})->json);
  CHECK_FALSE(command<InfoCommand>({"info", "a.json"})->json);
  CHECK(exit_code({"info"}) == 2);
  CHECK(command<InfoCommand>({"info", "a.json", "b.json"})->input.files.size() == 2);
}

TEST_CASE("tables of a job accept its ranks and the number of the job") {
  CHECK(command<TableCommand>({"table", "ranks", "folder"})->table.job.number == 1);
  CHECK(command<TableCommand>({"table", "ranks", "folder", "--job", "2"})->table.job.number == 2);
  CHECK(exit_code({"table", "ranks", "folder", "--job", "0"}) == 2);
  CHECK(command<TableCommand>({"table", "ranks", "a.json", "b.json", "c.json"})->table.input.files.size() ==
        3);
  CHECK(exit_code({"table", "operators", "a.json", "b.json"}) == 2);
  CHECK(exit_code({"table", "compare", "a.pickle", "b.pickle", "c.pickle"}) == 2);
}

TEST_CASE("screenshot accepts file, picture, size, scale, range, theme and selection") {
  const auto parsed = command<ScreenshotCommand>({"screenshot", "a.json", "out.png", "--size", "640x480",
                                                  "--scale", "2", "--from", "-5", "--to", "9000000000000",
                                                  "--theme", "light", "--select", "7", "--language", "ja"});
  CHECK(parsed->input.file == "a.json");
  CHECK(parsed->output.file == "out.png");
  CHECK(parsed->picture.size == kino::PixelSize{640, 480});
  CHECK(parsed->picture.scale == 2.0F);
  CHECK(parsed->range == kino::TimeRange{-5, 9'000'000'000'000});
  CHECK(parsed->picture.dark == false);
  CHECK(parsed->picture.language == kino::language_from_code("ja"));
  CHECK(parsed->select == kino::SliceId{7});
  CHECK_FALSE(command<ScreenshotCommand>({"screenshot", "a.json", "out.png"})->picture.dark);
}

TEST_CASE("screenshot accepts the moment, layout, colors, axis, query and device of a snapshot") {
  const auto snapshot = command<ScreenshotCommand>(
      {"screenshot", "a.pickle", "o.png", "--at", "oom", "--layout", "lanes", "--color", "category", "--axis",
       "time", "--find", ">1MB", "--only-hits", "--device", "2"});
  CHECK(snapshot->look == kino::PlotOptions{"oom", "lanes", "category", "time", ">1MB", true, 2});
  CHECK(exit_code({"screenshot", "a", "o.png", "--layout", "heap"}) == 2);
  CHECK(exit_code({"screenshot", "a", "o.png", "--only-hits"}) == 2);
}

TEST_CASE("invalid command lines exit with 2 and refer to the help") {
  const std::vector<std::vector<const char*>> mistakes = {
      {"--color"},
      {"--size", "640"},
      {"--size", "640x"},
      {"--size", "0x0"},
      {"--size", "640x480x3"},
      {"--size", "99999x480"},
      {"--scale", "0"},
      {"--theme", "blue"},
      {"--units", "MB"},
      {"a.json", "--diff"},
      {"screenshot", "a.json"},
      {"screenshot", "a.json", "b.png", "--from", "1"},
      {"screenshot", "a.json", "b.png", "--from", "5", "--to", "5"},
      {"screenshot", "a.json", "b.png", "--from", "99999999999999999999", "--to", "5"},
      {"screenshot", "a.json", "b.png", "--select", "-1"},
      {"query", "a.json"},
      {"query", "a.json", "select 1", "--limit", "-1"},
      {"query", "a.json", "select 1", "--timeout", "0"},
  };
  for (const auto& arguments : mistakes) {
    CAPTURE(arguments.back());
    const auto parsed = parse(arguments);
    CHECK(parsed.command == nullptr);
    CHECK(parsed.exit_code == 2);
    CHECK(parsed.text.find("--help") != std::string::npos);
  }
}

TEST_CASE("- is the standard input for every command, and --no-limit lifts the limit of spools") {
  CHECK(command<WindowCommand>({"-"})->window.input.files == Paths{"-"});
  CHECK(command<InfoCommand>({"info", "-"})->input.files == Paths{"-"});
  CHECK(command<ScreenshotCommand>({"screenshot", "-", "out.png"})->input.file == "-");
  CHECK_FALSE(parse({"info", "a.zip#b.json"}).command->opening.open_options().spool_limit.none);
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"a", "--no-limit"},
                                                    {"info", "a", "--no-limit"},
                                                    {"screenshot", "a", "b.png", "--no-limit"}}) {
    CHECK(parse(arguments).command->opening.open_options().spool_limit.none);
  }
}

TEST_CASE("--no-cache reads the file itself, and the cache has a command") {
  CHECK(parse({"info", "a"}).command->opening.open_options().cache.look);
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"a", "--no-cache"},
                                                    {"info", "a", "--no-cache"},
                                                    {"screenshot", "a", "b.png", "--no-cache"}}) {
    const auto parsed = parse(arguments);
    CHECK(parsed.command->opening.no_cache);
    CHECK_FALSE(parsed.command->opening.open_options().cache.look);
  }
  CHECK_FALSE(command<InfoCommand>({"info", "a"})->keep);
  CHECK(command<InfoCommand>({"info", "a", "--keep"})->keep);
  CHECK_FALSE(command<CacheCommand>({"cache"})->clear);
  CHECK(command<CacheCommand>({"cache", "--clear"})->clear);
  CHECK(exit_code({"cache", "--help"}) == 0);
  CHECK(exit_code({"cache", "file"}) == 2);
}

TEST_CASE("help and version exit with 0 and text") {
  for (const char* option : {"--help", "--version", "-h"}) {
    CHECK(exit_code({option}) == 0);
    CHECK_FALSE(parse({option}).text.empty());
  }
  CHECK(parse({"screenshot", "--help"}).text.find("--from") != std::string::npos);
}

TEST_CASE("table accepts a name, a file and the part to show") {
  const auto parsed =
      command<TableCommand>({"table", "kernels", "a.json", "--range", "1.5ms..2s", "--group", "shape",
                             "--sort", "calls,total_ns:asc", "--limit", "7", "--format", "md"});
  const kino::TableRequest& request = parsed->table.request;
  CHECK(parsed->table.input.files == Paths{"a.json"});
  CHECK(request.name == "kernels");
  CHECK(request.range == kino::TimeRange{1'500'000, 2'000'000'000});
  CHECK(request.group == "shape");
  CHECK(request.sort == std::vector<std::string>{"calls", "total_ns:asc"});
  CHECK(request.limit == 7);
  CHECK(request.format == kino::TableFormat::markdown);
  CHECK(command<TableCommand>({"table", "steps", "a.json", "--step", "3"})->table.request.step == 3);
  CHECK(exit_code({"table", "nothing", "a.json"}) == 2);
  CHECK(exit_code({"table", "kernels"}) == 2);
  CHECK(exit_code({"table", "kernels", "a.json", "--range", "5..3"}) == 2);
  CHECK(exit_code({"table", "kernels", "a.json", "--range", "1..2", "--step", "1"}) == 2);
  CHECK(exit_code({"table", "kernels", "a.json", "--format", "xml"}) == 2);
  CHECK(exit_code({"table", "kernels", "a.json", "--limit", "-1"}) == 2);
  CHECK(exit_code({"table", "kernels", "a.json", "--limit=-1"}) == 2);
  CHECK(command<TableCommand>({"table", "gaps", "a.json", "--stream", "7"})->table.request.stream == "7");
}

TEST_CASE("table accepts allocator settings and batch sizes in addition to files") {
  const auto set = command<TableCommand>(
      {"table", "what-if", "--set", "max_split_size_mb=64", "--set", "capacity_mb=9", "a.pickle"});
  CHECK(set->table.request.settings == std::vector<std::string>{"max_split_size_mb=64", "capacity_mb=9"});
  CHECK(set->table.input.files == Paths{"a.pickle"});
  const auto sizes =
      command<TableCommand>({"table", "batch-size", "a.pickle", "b.pickle", "--batch", "8,16"});
  CHECK(sizes->table.request.sizes == std::vector<std::uint64_t>{8, 16});
  CHECK(exit_code({"table", "batch-size", "a.pickle", "b.pickle", "--batch", "8,x"}) == 2);
}

TEST_CASE("tables of iterations accept a source, a phase, batch sizes, and which iterations count") {
  const auto used = command<TableCommand>({"table", "iterations", "a.json", "--source", "hand-over",
                                           "--phase", "decode", "--batch", "16", "--steady"});
  const kino::IterationQuery& query = used->table.request.iterations;
  CHECK(query.source == kino::IterationSourceChoice::hand_over);
  CHECK(query.phase == "decode");
  CHECK(used->table.request.sizes == std::vector<std::uint64_t>{16});
  CHECK(query.used_only);
  CHECK_FALSE(query.keep_all);
  CHECK(command<TableCommand>({"table", "serving", "a.json", "--all"})->table.request.iterations.keep_all);
  CHECK(exit_code({"table", "serving", "a.json", "--all", "--steady"}) == 2);
  CHECK(exit_code({"table", "serving", "a.json", "--phase", "training"}) == 2);
  CHECK(exit_code({"table", "serving", "a.json", "--source", "none"}) == 2);
}

TEST_CASE("tables refuse options on iterations that they do not support") {
  for (const std::vector<const char*>& option : std::vector<std::vector<const char*>>{
           {"--source", "replays"}, {"--phase", "decode"}, {"--batch", "16"}, {"--all"}, {"--steady"}}) {
    CAPTURE(option.front());
    std::vector<const char*> arguments{"table", "kernels", "a.json"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    CHECK(command<TableCommand>(arguments)->run() == 1);
  }
}

TEST_CASE("compare requires two files, the other tables of snapshots one") {
  CHECK(command<TableCommand>({"table", "compare", "a", "b", "--at", "end"})->table.input.files.size() == 2);
  CHECK(exit_code({"table", "compare", "a"}) == 2);
  CHECK(exit_code({"table", "live", "a", "b"}) == 2);
  const auto live = command<TableCommand>({"table", "live", "a", "--at", "oom", "--since", "12", "--find",
                                           ">1MB", "--device", "3", "--format", "folded"});
  CHECK(live->table.request.at == "oom");
  CHECK(live->table.request.since == "12");
  CHECK(live->table.request.find == ">1MB");
  CHECK(live->table.request.device == 3);
  CHECK(live->table.request.format == kino::TableFormat::folded);
}

TEST_CASE("packages of library code are named on the command line") {
  CHECK(parse({"table", "live", "a", "--libraries", "python,torch,einops"}).command->opening.libraries ==
        std::vector<std::string>{"python", "torch", "einops"});
  CHECK_FALSE(parse({"table", "live", "a"}).command->opening.libraries);
}

TEST_CASE("query accepts files and then the SQL, unless a file contains it") {
  const auto given = command<kino::QueryCommand>({"query", "a.json", "b.json", "select 1"});
  CHECK(given->input.files == Paths{"a.json", "b.json"});
  CHECK(given->sql == "select 1");
  CHECK(given->format == "table");
  CHECK(given->seconds == 60);
  CHECK(given->memory_mb == 1024);
  CHECK_FALSE(given->limit.rows);
  const auto file = command<kino::QueryCommand>(
      {"query", "a.json", "-f", "q.sql", "--limit", "0", "--format", "csv", "--memory", "9"});
  CHECK(file->input.files == Paths{"a.json"});
  CHECK(file->sql_file == "q.sql");
  CHECK(file->limit.rows == 0);
  CHECK(file->format == "csv");
  CHECK(file->memory_mb == 9);
}

TEST_CASE("diff accepts runs, steps and conditions, and has its own exit codes") {
  const auto parsed = command<kino::DiffCommand>({"diff", "a", "b", "--by", "module", "--steps-a", "2:-1",
                                                  "--fail-if", "step>2%", "--fail-if", "peak>1%", "--noise",
                                                  "3", "--format", "junit", "--rank", "0"});
  const kino::DiffOptions& options = parsed->options;
  CHECK(options.sides == std::vector<std::string>{"a", "b"});
  CHECK(options.by == "module");
  CHECK(options.steps_a.first == 2);
  CHECK(options.steps_a.end == -1);
  CHECK_FALSE(options.steps_b.first);
  CHECK(options.fail_if == std::vector<std::string>{"step>2%", "peak>1%"});
  CHECK(options.noise_percent == 3);
  CHECK(options.format == kino::DiffFormat::junit);
  CHECK(options.rank == 0);
  CHECK(command<kino::DiffCommand>({"diff", "a", "b"})->options.noise_percent == 1);
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{"diff"},
                                                {"diff", "a"},
                                                {"diff", "a", "--fail-if", "step>1%"},
                                                {"diff", "a", "b", "--baseline", "r.json"},
                                                {"diff", "a", "b", "--steps-a", "x:y"}}) {
    CHECK(exit_code(wrong) == 1);
  }
}

TEST_CASE("--watch opens a new window that adds files") {
  const auto watched = command<WindowCommand>({"run", "--watch"});
  CHECK(watched->window.watches);
  CHECK(watched->window.new_window);
  CHECK(watched->window.input.files == Paths{"run"});
  CHECK_FALSE(command<WindowCommand>({"--watch"})->window.watches);
}

TEST_CASE("serve shares the working folder unless paths are given, and has one address") {
  CHECK(command<kino::ServeCommand>({"serve"})->paths == Paths{"."});
  const auto parsed =
      command<kino::ServeCommand>({"serve", "a", "b", "--port", "9000", "--host", "::1", "--open"});
  CHECK(parsed->paths == Paths{"a", "b"});
  CHECK(parsed->port == 9000);
  CHECK(parsed->host == "::1");
  CHECK(parsed->opens_browser);
  CHECK_FALSE(parsed->no_token);
  CHECK(command<kino::ServeCommand>({"serve", "--socket", "s", "--no-token"})->socket == "s");
  CHECK(exit_code({"serve", "--port", "9000", "--socket", "s"}) == 2);
  CHECK(exit_code({"serve", "--port", "0"}) == 2);
  CHECK(exit_code({"serve", "--port", "65536"}) == 2);
  CHECK(exit_code({"serve", "--open", "--socket", "s"}) == 2);
}

TEST_CASE("serve limits the memory of its sessions") {
  CHECK(command<kino::ServeCommand>({"serve"})->session_memory == kino::usable_memory_bytes() / 2);
  CHECK(command<kino::ServeCommand>({"serve", "--session-memory", "2GiB"})->session_memory == std::uint64_t{2}
                                                                                                  << 30);
  CHECK(command<kino::ServeCommand>({"serve", "--session-memory", "0"})->session_memory == 0);
  for (const char* wrong : {"1MB", "many", "-1", "8 parsecs"}) {
    CAPTURE(wrong);
    CHECK(exit_code({"serve", "--session-memory", wrong}) == 2);
  }
}

TEST_CASE("serve has a base path and hosts of proxies") {
  CHECK(command<kino::ServeCommand>({"serve"})->base_path == "/");
  const auto parsed = command<kino::ServeCommand>({"serve", "--base-path", "user/anna", "--allow-host",
                                                   "hub.example", "--allow-host", "[::1]:80", "runs"});
  CHECK(parsed->base_path == "/user/anna/");
  CHECK(parsed->host_names == std::vector<std::string>{"hub.example", "[::1]:80"});
  CHECK(parsed->paths == Paths{"runs"});
  CHECK(exit_code({"serve", "--base-path", "//evil"}) == 2);
  CHECK(exit_code({"serve", "--allow-host", "https://hub.example"}) == 2);
}

TEST_CASE("watch accepts a folder and a number of files") {
  const auto parsed = command<kino::WatchCommand>({"watch", "runs", "--all", "--files", "3", "--json"});
  CHECK(parsed->folder.file == "runs");
  CHECK(parsed->all_files);
  CHECK(parsed->most_files == 3);
  CHECK(parsed->json);
  CHECK(exit_code({"watch"}) == 2);
  CHECK(exit_code({"watch", "runs", "--files", "0"}) == 2);
}

TEST_CASE("a table's help has the meaning of its columns, without a file") {
  const auto columns = command<TableCommand>({"table", "kernels", "--columns"});
  CHECK(columns->table.request.columns);
  CHECK(columns->table.input.files.empty());
  CHECK(exit_code({"table", "kernels", "--help"}) == 0);
  const std::string help = parse({"table", "kernels", "--help"}).text;
  CHECK(help.find("total_ns") != std::string::npos);
  CHECK(help.find("Summed duration") != std::string::npos);
  CHECK(parse({"table", "--help"}).text.find("--columns") != std::string::npos);
}

TEST_CASE("every command that reads a file can be strict about truncated ones") {
  CHECK(command<InfoCommand>({"info", "a.json", "--strict"})->strict.on);
  CHECK(command<TableCommand>({"table", "kernels", "a.json", "--strict"})->strict.on);
  CHECK(command<kino::ReportCommand>({"report", "a.json", "a.html", "--strict"})->strict.on);
  CHECK(command<ScreenshotCommand>({"screenshot", "a.json", "a.png", "--strict"})->strict.on);
  CHECK(command<kino::ExportCommand>({"export", "a.json", "a.sqlite", "--strict"})->strict.on);
  CHECK_FALSE(command<InfoCommand>({"info", "a.json"})->strict.on);
}

TEST_CASE("pack accepts traces and then the file to write") {
  const auto one = command<PackCommand>({"pack", "a.json", "a.kino"});
  CHECK(one->input.files == Paths{"a.json"});
  CHECK(one->output == "a.kino");
  CHECK(one->arguments == kino::PackedArguments::all);
  CHECK(!one->redact);
  CHECK(!one->range.range);
  const auto two = command<PackCommand>({"pack", "a.json", "b.json", "job.kino", "--redact", "--arguments",
                                         "work", "--note", "n.json", "--range", "1ms..2ms"});
  CHECK(two->input.files.size() == 2);
  CHECK(two->output == "job.kino");
  CHECK(two->arguments == kino::PackedArguments::work);
  CHECK(two->redact);
  CHECK(two->note == "n.json");
  CHECK(two->range.range == kino::TimeRange{1'000'000, 2'000'000});
  CHECK(exit_code({"pack", "a.json"}) == 2);
  CHECK(exit_code({"pack", "a.json", "a.kino", "--arguments", "some"}) == 2);
}

TEST_CASE("trim accepts a trace, a file to write and a range") {
  const auto parsed = command<kino::TrimCommand>({"trim", "a.json", "b.json.gz", "--range", "10ms..1.5s"});
  CHECK(parsed->input.file == "a.json");
  CHECK(parsed->output.file == "b.json.gz");
  CHECK(parsed->range.range == kino::TimeRange{10'000'000, 1'500'000'000});
  CHECK(exit_code({"trim", "a.json", "b.json"}) == 2);
  CHECK(exit_code({"trim", "a.json", "b.json", "--range", "5ms..1ms"}) == 2);
}

TEST_CASE("index accepts traces and a folder to write to") {
  const auto parsed = command<kino::IndexCommand>({"index", "a.json", "b.json", "--out", "d", "--slurm"});
  CHECK(parsed->input.files.size() == 2);
  CHECK(parsed->folder == "d");
  CHECK(parsed->slurm);
  CHECK_FALSE(parsed->digest_only);
}
