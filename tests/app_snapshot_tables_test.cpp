// Tables of a snapshot as the command line asks for them, and the file of category rules.
#include <fstream>
#include <string>
#include <vector>

#include "random_device.hpp"
#include "temporary_folder.hpp"
#include <doctest/doctest.h>

#include "app/category_rules.hpp"
#include "app/command_line.hpp"
#include "app/snapshot_table_command.hpp"

namespace {

using kino::Snapshot;
using kino::TableRequest;

Snapshot random_snapshot() {
  Snapshot snapshot;
  snapshot.devices.push_back(kino_test::random_device(3, 400));
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  for (std::uint32_t i = 0; i < 500; ++i) {
    const kino::FrameId frame = snapshot.stacks.intern(kino::SnapshotFrame{
        snapshot.strings.intern("f" + std::to_string(i)), snapshot.strings.intern("a|b.py"), i + 1});
    snapshot.stacks.intern(std::vector<kino::FrameId>{frame});
  }
  return snapshot;
}

kino::ParsedCommandLine parsed(std::vector<const char*> words) {
  words.insert(words.begin(), {"kinetoscope", "table"});
  return kino::parse_command_line(static_cast<int>(words.size()), words.data());
}

TEST_CASE("every table of a snapshot can be had in every format and grouping") {
  const Snapshot snapshot = random_snapshot();
  for (const kino::TableKind& kind : kino::snapshot_table_kinds()) {
    std::vector<std::string_view> groups(kind.groups.begin(), kind.groups.end());
    if (groups.empty()) groups.emplace_back("");
    for (const std::string_view group : groups) {
      TableRequest request;
      request.name = kind.name;
      request.group = group;
      request.at = "end";
      const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
      REQUIRE(table.ok());
      CHECK(table.value().name == kind.name);
      CHECK(table.value().row_count() > 0);
      const auto rows = kino::chosen_rows(table.value(), request);
      REQUIRE(rows.ok());
      for (const kino::TableColumn& column : table.value().columns)
        CHECK(column.size() == table.value().row_count());
      const std::size_t allocations = table.value().allocations.size();
      CHECK((allocations == 0 || allocations == table.value().row_count()));
      CHECK_FALSE(kino::table_text(table.value(), rows.value()).empty());
      CHECK_FALSE(kino::table_csv(table.value(), rows.value()).empty());
      CHECK_FALSE(kino::table_json(table.value(), rows.value()).empty());
      CHECK_FALSE(kino::table_markdown(table.value(), rows.value()).empty());
    }
  }
}

TEST_CASE("moments, devices, groups and searches that are not there are said") {
  const Snapshot snapshot = random_snapshot();
  const auto problem = [&](auto&& change) {
    TableRequest request;
    request.name = "live";
    change(request);
    const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
    return table.ok() ? std::string() : table.error().what;
  };
  CHECK(problem([](TableRequest&) {}).empty());
  CHECK(problem([](TableRequest& it) { it.at = "start"; }).empty());
  CHECK(problem([](TableRequest& it) { it.at = "399"; }).empty());
  CHECK(problem([](TableRequest& it) { it.at = "400"; }) == "There is no event 400; the recording has 400");
  CHECK(problem([](TableRequest& it) { it.at = "later"; }).find("is no moment") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.since = "oom"; }).find("out-of-memory") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.device = 5; }).find("only 0") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.group = "colour"; }).find("cannot be grouped") !=
        std::string::npos);
  CHECK(problem([](TableRequest& it) { it.find = ">x"; }).find("no number") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.find = "action:oom"; }).find("events") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.name = "kernels"; }).find("only live, growth") !=
        std::string::npos);
}

TEST_CASE("compare takes two files, the other tables one") {
  CHECK_FALSE(parsed({"compare", "a", "b", "--at", "end"}).exit_code);
  CHECK(parsed({"compare", "a"}).exit_code == 2);
  CHECK(parsed({"live", "a", "b"}).exit_code == 2);
  const auto live = parsed(
      {"live", "a", "--at", "oom", "--since", "12", "--find", ">1MB", "--device", "3", "--format", "folded"});
  REQUIRE_FALSE(live.exit_code);
  CHECK(live.command.table.at == "oom");
  CHECK(live.command.table.since == "12");
  CHECK(live.command.table.find == ">1MB");
  CHECK(live.command.table.device == 3);
  CHECK(live.command.table.format == kino::TableFormat::folded);
}

TEST_CASE("rules of categories are written as they are read, and a file that makes no sense is told of") {
  const auto rules = kino::category_rules_from_json(kino::json_of(kino::default_category_rules()));
  REQUIRE(rules.ok());
  CHECK(rules.value() == kino::default_category_rules());
  CHECK_FALSE(kino::category_rules_from_json("{}").ok());
  CHECK_FALSE(kino::category_rules_from_json("[1]").ok());
  CHECK_FALSE(kino::category_rules_from_json(R"([{"category": "A", "find": 3}])").ok());
  const kino_test::TemporaryFolder folder;
  const auto path = folder.path() / "deep" / "categories.json";
  CHECK(kino::read_category_rules(path).built_in);
  CHECK_FALSE(kino::make_category_file(path, {{"Mine", ">1MB"}}));
  CHECK_FALSE(kino::make_category_file(path, {{"Not written over", ">1MB"}}));
  const kino::CategoryRules read = kino::read_category_rules(path);
  CHECK_FALSE(read.built_in);
  REQUIRE(read.rules.size() == 1);
  CHECK(read.rules[0].category == "Mine");
  std::ofstream(path) << "nonsense";
  CHECK(read.problem.empty());
  CHECK_FALSE(kino::read_category_rules(path).problem.empty());
}

}  // namespace
