// Covers: box_entries, search_words
#include "app/ui/box/box_entries.hpp"

#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "app/ui/commands/search_words.hpp"
#include "core/base/time_text.hpp"

using namespace kino;

namespace {

using EntryKind = BoxEntry::Kind;

constexpr std::array kBoxTables{BoxTable{"summary", msg::summary}, BoxTable{"kernels", msg::kernels},
                                BoxTable{"idle", msg::idle_time}, BoxTable{"breakdown", msg::gpu_time}};

BoxContext trace_context() {
  BoxContext context;
  context.searches = true;
  context.content = TimeRange{0, 1'000'000'000};
  context.tables = kBoxTables;
  return context;
}

std::vector<EntryKind> kinds_of(const std::vector<BoxEntry>& entries) {
  std::vector<EntryKind> kinds;
  for (const BoxEntry& entry : entries) kinds.push_back(entry.kind);
  return kinds;
}

/// Returns the first command that the box lists for commands.
CommandId first_command(const std::string& text) {
  const auto entries = box_entries(">" + text, {});
  REQUIRE(entries.front().kind == EntryKind::command);
  return entries.front().command;
}

/// Returns the table that Enter opens for a text that no slice matches.
std::string_view first_table(const std::string& text) {
  FoundNames none;
  none.query = text;
  BoxContext context = trace_context();
  context.names = &none;
  const auto entries = box_entries(text, context);
  return entries.front().kind == EntryKind::table ? entries.front().table : std::string_view();
}

}  // namespace

TEST_CASE("titles have the word for the devices of the page, and are found by both words") {
  BoxContext context = trace_context();
  context.device = "NPU";
  for (const char* const typed : {">npu only", ">gpu only"}) {
    const auto entries = box_entries(typed, context);
    CHECK(entries.front().command == CommandId::gpu_tracks);
    CHECK(entries.front().title == "Tracks: NPU only");
  }
  CHECK(box_entries(">gpu only", trace_context()).front().title == "Tracks: GPU only");
}

TEST_CASE("'>' lists all commands and tables in their order, then the best match") {
  const auto all = box_entries(">", trace_context());
  CHECK(all.size() == kCommandCount + kBoxTables.size());
  CHECK(all.front().command == CommandId::zoom_in);
  CHECK(box_entries(">qqqq", trace_context()).front().kind == EntryKind::nothing);
  CHECK(first_command("open") == CommandId::open_files);
  CHECK(first_command("fit sel") == CommandId::fit_selection);
  CHECK(first_command("next t") == CommandId::next_tab);
  CHECK(first_command("palette") == CommandId::command_palette);
  CHECK(first_command("QUIT") == CommandId::quit);
  CHECK(first_command(" mfu") == CommandId::show_ledger);
  CHECK(first_command("csv") == CommandId::save_table);
  CHECK(box_entries(">bokmark", {}).front().title.find("bookmark") != std::string::npos);
}

TEST_CASE("in another language commands are found by their title there, in English and by search words") {
  set_language(Language::japanese);
  CHECK(first_command("言語：日本語") == CommandId::language_japanese);
  CHECK(first_command("詳細") == CommandId::toggle_drawer);
  CHECK(first_command("fit sel") == CommandId::fit_selection);
  CHECK(first_command("drawer") == CommandId::toggle_drawer);
  CHECK(first_command("スクリーンショット") == CommandId::save_png);
  set_language(Language::chinese);
  CHECK(first_command("截图") == CommandId::save_png);
  set_language(Language::english);
}

TEST_CASE("tables are found by their title in every language") {
  for (const Language shown : {Language::english, Language::japanese, Language::chinese}) {
    set_language(shown);
    for (const char* typed : {">table: kernels", ">表：カーネル", ">表格：内核"}) {
      CAPTURE(typed);
      const auto entries = box_entries(typed, trace_context());
      CHECK(entries.front().kind == EntryKind::table);
      CHECK(entries.front().table == "kernels");
    }
  }
  set_language(Language::english);
}

TEST_CASE("words for a purpose lead to the page that serves it") {
  CHECK(first_table("slow") == "kernels");
  CHECK(first_table("longest") == "kernels");
  CHECK(first_table("overview") == "summary");
  CHECK(first_table("advice") == "summary");
  CHECK(first_command("report") == CommandId::save_report);
  CHECK(first_table("概要") == "summary");
  CHECK(first_table("瓶颈") == "summary");
}

TEST_CASE("every search word is in each language, and no word is in a list twice") {
  for (const CommandInfo& command : all_commands()) {
    CAPTURE(command.name);
    const bool any = !search_words(command.id, Language::english).empty();
    CHECK(any == !search_words(command.id, Language::japanese).empty());
    CHECK(any == !search_words(command.id, Language::chinese).empty());
    if (any) {
      const std::string_view words = search_words(command.id, Language::english);
      CHECK(words.find(",,") == std::string_view::npos);
      CHECK(words.back() != ',');
    }
  }
  CHECK(search_words("no such table", Language::english).empty());
}

TEST_CASE(
    "text lists the search, names with count and total time, then up to three commands, tables and files") {
  FoundNames names;
  names.query = "table";
  names.total = 29;
  names.total_ns = 48'000'000;
  names.names = {{"table_kernel", SliceKind::compute, 28, 47'900'000},
                 {"aten::table", SliceKind::cpu_op, 1, 100'000}};
  const std::array files{BoxFile{"table_1.json", "/a", false}, BoxFile{"other.json", "/a", false},
                         BoxFile{"TABLE_2.json", "/b", true}};
  BoxContext context = trace_context();
  context.names = &names;
  context.files = files;
  const auto entries = box_entries("table", context);
  const std::vector expected{EntryKind::search,  EntryKind::name,    EntryKind::name,  EntryKind::command,
                             EntryKind::command, EntryKind::command, EntryKind::table, EntryKind::table,
                             EntryKind::table,   EntryKind::file,    EntryKind::file};
  CHECK(kinds_of(entries) == expected);
  CHECK(entries[0].text == "table");
  CHECK(entries[0].detail == "29 slices, " + text_from_duration(48'000'000));
  CHECK(entries[1].detail == "28 kernels, " + text_from_duration(47'900'000));
  CHECK(entries[1].text == "/^table_kernel$/");
  CHECK(entries[2].detail == "1 operator, " + text_from_duration(100'000));
  CHECK(entries[10].file == 2);
  CHECK_FALSE(entries[10].available);
  // Names of another text are not listed.
  names.query = "tab";
  CHECK(box_entries("table", context)[1].kind == EntryKind::command);
}

TEST_CASE("a text that no slice contains is searched for last, and an error is shown at the search") {
  FoundNames names;
  names.query = "slow";
  BoxContext context = trace_context();
  context.names = &names;
  CHECK(box_entries("slow", context).back().kind == EntryKind::search);
  CHECK(box_entries("slow", context).front().kind == EntryKind::table);
  names.query = "/(/";
  names.error = msg::quotation_not_closed;
  const BoxEntry search = box_entries("/(/", context).front();
  CHECK(search.kind == EntryKind::search);
  CHECK(search.failed);
}

TEST_CASE("completions of the last word replace it") {
  SearchCompletions completions{.begin = 5, .end = 9, .list = {{"correlation:", "argument"}}};
  BoxContext context = trace_context();
  context.completions = &completions;
  const auto entries = box_entries("gemm corr", context);
  REQUIRE(entries[1].kind == EntryKind::completion);
  CHECK(entries[1].text == "gemm correlation:");
}

TEST_CASE("times, steps and numbers lead to their place, if the trace has it") {
  Steps steps;
  for (const std::int64_t number : {5, 6, 7}) {
    Step step;
    step.number = number;
    step.range = {0, 1000};
    steps.steps.push_back(step);
  }
  BoxContext context = trace_context();
  context.steps = &steps;
  const auto first = [&](const char* text) { return box_entries(text, context).front(); };
  CHECK(first("12.5ms").kind == EntryKind::time);
  CHECK(first("12.5ms").number == 12'500'000);
  CHECK(first("12.5ms").available);
  CHECK_FALSE(first("12s").available);
  CHECK(first("step 7").kind == EntryKind::step);
  CHECK(first("step 7").number == 2);
  CHECK_FALSE(first("step 8").available);
  CHECK(first("step 8").detail == "the trace has steps 5 to 7");
  CHECK(first("#4711").kind == EntryKind::event);
  CHECK(first("#4711").text == "correlation:4711");
  context.steps = nullptr;
  CHECK_FALSE(first("step 7").available);
}

TEST_CASE("':' runs SQL on a trace, and offers examples before anything is typed") {
  const auto entries = box_entries(": select 1 ", trace_context());
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].kind == EntryKind::sql);
  CHECK(entries[0].text == "select 1");
  CHECK(box_entries(":", trace_context()).front().text.starts_with(":SELECT"));
  CHECK_FALSE(box_entries(":select 1", {}).front().available);
}

TEST_CASE("without a document there are recent files and commands, and no search") {
  const std::array files{BoxFile{"a.json", "/a", false}};
  BoxContext context;
  context.files = files;
  context.available = [](CommandId command) { return command != CommandId::open_sample; };
  const auto entries = box_entries("", context);
  CHECK(entries[0].kind == EntryKind::file);
  CHECK(entries[1].command == CommandId::open_files);
  CHECK(std::ranges::none_of(entries, [](const BoxEntry& entry) {
    return entry.kind == EntryKind::command && entry.command == CommandId::open_sample;
  }));
  CHECK(std::ranges::none_of(box_entries("open", context),
                             [](const BoxEntry& entry) { return entry.kind == EntryKind::search; }));
}

TEST_CASE("commands that are not available now come last") {
  BoxContext context;
  context.available = [](CommandId command) { return command == CommandId::close_tab; };
  CHECK(box_entries(">close", context).front().command == CommandId::close_tab);
}
