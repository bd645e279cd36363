// Covers: snapshot_tables, snapshot_report, category_rules, library_list, snapshot_table_kinds,
//   table_text, snapshot_comparison
// Tables of a snapshot on the command line, and the file of category rules.
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/report/snapshot_report.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/shell/settings/library_list.hpp"
#include "app/ui/text/table_text.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "tests/fixtures/random_device.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"
#include "tests/fixtures/temporary_folder.hpp"

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

TEST_CASE("prints every table of a snapshot in every format and grouping") {
  const Snapshot snapshot = random_snapshot();
  for (const kino::TableInfo* const it : kino::snapshot_table_kinds()) {
    const kino::TableInfo& kind = *it;
    if (&kind == &kino::kCompareTable) continue;
    std::vector<std::string_view> groups(kind.groups.begin(), kind.groups.end());
    if (groups.empty()) groups.emplace_back("");
    for (const std::string_view group : groups) {
      TableRequest request;
      request.name = kind.name;
      request.group = group;
      if (kind.name == "live" || kind.name == "segments") request.at = "end";
      const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
      REQUIRE(table.ok());
      CHECK(table.value().name == kind.name);
      if (kind.name == "what-if") {  // requires the events of a caching allocator
        CHECK(table.value().row_count() == 0);
        CHECK_FALSE(table.value().notes.empty());
        continue;
      }
      REQUIRE(table.value().row_count() > 0);
      const auto rows = kino::chosen_rows(table.value(), request);
      REQUIRE(rows.ok());
      for (const kino::TableColumn& column : table.value().columns)
        CHECK(column.size() == table.value().row_count());
      CHECK(table.value().links.size() % table.value().row_count() == 0);
      CHECK_FALSE(kino::table_text(table.value(), rows.value()).empty());
      CHECK_FALSE(kino::table_csv(table.value(), rows.value()).empty());
      CHECK_FALSE(kino::table_json(table.value(), rows.value()).empty());
      CHECK_FALSE(kino::table_markdown(table.value(), rows.value()).empty());
    }
  }
}

TEST_CASE("reports unknown moments, devices, groups and queries") {
  const Snapshot snapshot = random_snapshot();
  const auto problem = [&](auto&& change) {
    TableRequest request;
    request.name = "live";
    change(request);
    const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
    return table.ok() ? std::string() : table.error().what.str();
  };
  CHECK(problem([](TableRequest&) {}).empty());
  CHECK(problem([](TableRequest& it) { it.at = "start"; }).empty());
  CHECK(problem([](TableRequest& it) { it.at = "399"; }).empty());
  CHECK(problem([](TableRequest& it) { it.at = "400"; }) ==
        "There is no event 400; the recording has 400 events");
  CHECK(problem([](TableRequest& it) { it.at = "later"; }).find("is not a moment") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.since = "oom"; }).find("out-of-memory") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.device = 5; }).find("only 0") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.group = "color"; }).find("cannot be grouped") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.find = ">x"; }).find("not a valid number") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.find = "action:oom"; }).find("events") != std::string::npos);
  CHECK(problem([](TableRequest& it) { it.name = "kernels"; }).find("only live, growth") !=
        std::string::npos);
}

TEST_CASE("reports options that a table does not support") {
  const Snapshot snapshot = random_snapshot();
  const auto problem = [&](const char* name, auto&& change) {
    TableRequest request;
    request.name = name;
    change(request);
    const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
    return table.ok() ? std::string() : table.error().what.str();
  };
  CHECK(problem("growth", [](TableRequest& it) { it.at = "peak"; }) ==
        "--at has no effect on the table growth");
  CHECK(problem("events", [](TableRequest& it) { it.since = "start"; }) ==
        "--since has no effect on the table events");
  CHECK(problem("segments", [](TableRequest& it) { it.find = "x"; }) ==
        "--find has no effect on the table segments");
  CHECK(problem("events", [](TableRequest& it) { it.group = "line"; }).find("cannot be grouped") !=
        std::string::npos);
  CHECK(problem("live", [](TableRequest& it) { it.step = 3; }).find("for traces") != std::string::npos);
  for (const char* name : {"live", "growth", "segments", "allocations", "events"})
    CHECK(problem(name, [](TableRequest& it) { it.stream = "7"; }).starts_with("--stream is for traces"));
  TableRequest of_stream;
  of_stream.name = "compare";
  of_stream.stream = "7";
  CHECK_FALSE(kino::compute_comparison(snapshot, snapshot, of_stream, {}).ok());
  CHECK(problem("live", [](TableRequest& it) { it.since = "start"; }).empty());
  TableRequest folded;
  folded.name = "live";
  folded.format = kino::TableFormat::folded;
  CHECK(kino::compute_folded(snapshot, folded).ok());
  folded.sort = {"bytes"};
  CHECK_FALSE(kino::compute_folded(snapshot, folded).ok());
}

TEST_CASE("groups a comparison as requested") {
  const Snapshot snapshot = random_snapshot();
  for (const std::string_view group : kino::kCompareTable.groups) {
    TableRequest request;
    request.name = "compare";
    request.group = group;
    const auto table = kino::compute_comparison(snapshot, snapshot, request, kino::default_category_rules());
    REQUIRE(table.ok());
    REQUIRE(table.value().row_count() > 0);
    for (const std::int64_t difference :
         std::get<kino::TableColumn::Integers>(table.value().find("difference_bytes")->values))
      CHECK(difference == 0);
  }
  TableRequest wrong;
  wrong.name = "compare";
  wrong.group = "stream";
  CHECK_FALSE(kino::compute_comparison(snapshot, snapshot, wrong, kino::default_category_rules()).ok());
  wrong.group.clear();
  wrong.since = "end";
  CHECK_FALSE(kino::compute_comparison(snapshot, snapshot, wrong, kino::default_category_rules()).ok());
}

TEST_CASE("prints stacks of the requested rows in JSON and CSV only") {
  const Snapshot snapshot = random_snapshot();
  TableRequest request;
  request.name = "events";
  CHECK(kino::compute_snapshot_table(snapshot, request, {}).value().find("stack") == nullptr);
  request.format = kino::TableFormat::json;
  request.limit = 5;
  const auto table = kino::compute_snapshot_table(snapshot, request, {});
  REQUIRE(table.ok());
  REQUIRE(table.value().find("stack") != nullptr);
  CHECK(table.value().row_count() == 5);
}

TEST_CASE("the report of a snapshot contains its plot and live memory, but no script") {
  const Snapshot snapshot = random_snapshot();
  const std::string page = kino::snapshot_report(snapshot, "<b>run.pickle", kino::default_category_rules());
  CHECK(page.find("<h1>&lt;b&gt;run.pickle</h1>") != std::string::npos);
  CHECK(page.find("data:image/svg+xml;base64,PHN2Zy") != std::string::npos);  // "<svg "
  for (const char* const part : {"peak of requested memory", "Live at the peak, by line",
                                 "Live at the peak, by category", "Growth", "Device 0"}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("https://") == std::string::npos);
  CHECK(kino::snapshot_report(Snapshot{}, "empty", {}).find("contains no device") != std::string::npos);
}

TEST_CASE("the report of a snapshot with too many devices shows some and states their number") {
  Snapshot snapshot = random_snapshot();
  while (snapshot.devices.size() < 40)
    snapshot.devices.push_back(
        kino_test::device_of({{kino::SnapshotAction::alloc, 0x7000000, 1000}}, {}, {}));
  const std::string page = kino::snapshot_report(snapshot, "many.pickle", {});
  std::size_t plots = 0;
  for (std::size_t at = page.find("<svg"); at != page.npos; at = page.find("<svg", at + 1)) ++plots;
  CHECK(plots > 0);
  CHECK(plots < 40);
  CHECK(page.find("the first 16 of 40 devices") != std::string::npos);
}

TEST_CASE("the report of a snapshot contains its OOMs and segments") {
  Snapshot snapshot = random_snapshot();
  kino::SnapshotSegment segment;
  segment.addr = 0x7000000;
  segment.size = 1 << 20;
  snapshot.devices[0] = kino_test::device_of({{kino::SnapshotAction::segment_alloc, 0x7000000, 1 << 20},
                                              {kino::SnapshotAction::alloc, 0x7000000, 1000},
                                              {kino::SnapshotAction::oom, 77, 5'000'000}},
                                             {segment}, {});
  const std::string page = kino::snapshot_report(snapshot, "oom.pickle", {});
  CHECK(page.find("Out of memory at entry 2") != std::string::npos);
  CHECK(page.find("5.00 MB requested") != std::string::npos);
  CHECK(page.find("Segments at the end") != std::string::npos);
}

TEST_CASE("the report of a snapshot without history contains no peak") {
  Snapshot snapshot = random_snapshot();
  kino::SnapshotSegment segment;
  segment.addr = 0x7000000;
  segment.size = 1 << 20;
  segment.block_count = 2;
  snapshot.devices[0] =
      kino_test::device_of({}, {segment},
                           {{0x7000000, 1024, 1000, kino::kNoStack, kino::BlockState::allocated},
                            {0x7000400, (1 << 20) - 1024, 0, kino::kNoStack, kino::BlockState::inactive}});
  const std::string page = kino::snapshot_report(snapshot, "state.pickle", kino::default_category_rules());
  for (const char* const claim :
       {"peak of requested", "peak of reserved", "at the peak,", ">before the recording",
        "memory before the recording", ">older than the recording<"}) {
    CAPTURE(claim);
    CHECK(page.find(claim) == std::string::npos);
  }
  CHECK(page.find("when the snapshot was taken; the peak is unknown") != std::string::npos);
  CHECK(page.find(">Live, by line</h2>") != std::string::npos);
  CHECK(page.find(">Segments</h2>") != std::string::npos);
  CHECK(page.find("no history was recorded") != std::string::npos);
}

TEST_CASE("the report warns if segments and events disagree about the end") {
  Snapshot snapshot = random_snapshot();
  const auto page_of = [&](kino::BlockState state) {
    kino::SnapshotSegment segment;
    segment.addr = 0x7000000;
    segment.size = 1 << 20;
    segment.block_count = 1;
    snapshot.devices[0] =
        kino_test::device_of({{kino::SnapshotAction::segment_alloc, 0x7000000, 1 << 20},
                              {kino::SnapshotAction::alloc, 0x7000000, 1 << 20}},
                             {segment}, {{0x7000000, 1 << 20, 1 << 20, kino::kNoStack, state}});
    return kino::snapshot_report(snapshot, "end.pickle", {});
  };
  CHECK(page_of(kino::BlockState::allocated).find("contradicts itself") == std::string::npos);
  CHECK(page_of(kino::BlockState::inactive)
            .find("According to its segments (values above): 1.05 MB of 1.05 MB free, at most 1.05 MB in "
                  "one block. According to its events (tables below): 0 B of 1.05 MB free, at most 0 B in "
                  "one block.") != std::string::npos);
}

TEST_CASE("the report lists only stacks that grow") {
  Snapshot snapshot = random_snapshot();
  using kino::SnapshotAction;
  const kino::StackId kept{1};
  const kino::StackId freed{2};
  std::vector<kino_test::EntryRow> rows;
  for (std::uint64_t i = 0; i < 20; ++i) {
    rows.push_back({SnapshotAction::alloc, 0x1000 * (i + 1), 512, kino::SnapshotEntries::kNoTime, freed});
    rows.push_back(
        {SnapshotAction::free_completed, 0x1000 * (i + 1), 512, kino::SnapshotEntries::kNoTime, freed});
  }
  snapshot.devices[0] = kino_test::device_of(rows);
  const auto growth_of = [&] {
    const std::string page = kino::snapshot_report(snapshot, "growth.pickle", {});
    const std::size_t begin = page.find("<h2 id=\"growth\">");
    return begin == page.npos ? std::string() : page.substr(begin, page.find("<h2 id=\"steps\">") - begin);
  };
  rows.insert(rows.begin(), {SnapshotAction::alloc, 0x900000, 4096, kino::SnapshotEntries::kNoTime, freed});
  snapshot.devices[0] = kino_test::device_of(rows);
  CHECK(growth_of().find("No rows.") != std::string::npos);
  CHECK(growth_of().find("No stack has more live memory") != std::string::npos);
  rows.push_back({SnapshotAction::alloc, 0x800000, 2048, kino::SnapshotEntries::kNoTime, kept});
  snapshot.devices[0] = kino_test::device_of(rows);
  CHECK(growth_of().find("1 stack that does not grow is omitted.") != std::string::npos);
  CHECK(growth_of().find("No stack has more live memory") == std::string::npos);
}

TEST_CASE("reads the list of libraries from the command line or a file, else uses the built-in one") {
  const kino_test::TemporaryFolder folder;
  CHECK(kino::use_libraries({{"einops"}}, {}).empty());
  CHECK(*kino::libraries() == kino::LibraryList{"einops"});
  CHECK(kino::use_libraries({}, folder.write("libraries.json", "[\"python\", \"torch\", \"ray\"]")).empty());
  CHECK(*kino::libraries() == kino::LibraryList{"python", "torch", "ray"});
  CHECK(kino::use_libraries({}, folder.write("wrong.json", "{}")).find("was ignored") != std::string::npos);
  CHECK(*kino::libraries() == kino::default_libraries());
  CHECK(kino::use_libraries({}, folder.path() / "missing.json").empty());
  CHECK(kino::libraries_from_words("python,,torch") == kino::LibraryList{"python", "torch"});
}

TEST_CASE("writes category rules as read, and reports invalid files") {
  const auto rules = kino::category_rules_from_json(kino::json_of(kino::default_category_rules()));
  REQUIRE(rules.ok());
  CHECK(rules.value() == kino::default_category_rules());
  CHECK_FALSE(kino::category_rules_from_json("{}").ok());
  CHECK_FALSE(kino::category_rules_from_json("[1]").ok());
  CHECK_FALSE(kino::category_rules_from_json(R"({"extends": "other", "rules": []})").ok());
  CHECK_FALSE(kino::category_rules_from_json(
                  R"({"extends": "default", "rules": [{"category": "A", "find": "a", "before": "x"}]})")
                  .ok());
  const kino::CategoryRuleSet extended{{{"A", "a", kino::RulePlace::phases}, {"B", "b"}}, true};
  CHECK(kino::category_rules_from_json(kino::json_of(extended)).value() == extended);
  const kino::CategoryRuleSet instead{{{"A", "a"}}, false};
  CHECK(kino::category_rules_from_json(kino::json_of(instead)).value() == instead);
  CHECK_FALSE(kino::category_rules_from_json(R"([{"category": "A", "find": 3}])").ok());
  const kino_test::TemporaryFolder folder;
  const auto path = folder.path() / "deep" / "categories.json";
  CHECK(kino::read_category_rules(path).built_in);
  CHECK_FALSE(kino::make_category_file(path, {{{"Mine", ">1MB"}}, true}));
  CHECK_FALSE(kino::make_category_file(path, {{{"Not written over", ">1MB"}}, true}));
  const kino::CategoryRules read = kino::read_category_rules(path);
  CHECK_FALSE(read.built_in);
  REQUIRE(read.rules.rules.size() == 1);
  CHECK(read.rules.rules[0].category == "Mine");
  std::ofstream(path) << "nonsense";
  CHECK(read.problem.empty());
  CHECK_FALSE(kino::read_category_rules(path).problem.empty());
}

}  // namespace
