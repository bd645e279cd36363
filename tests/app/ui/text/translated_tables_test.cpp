// Covers: trace_tables, snapshot_table_kinds, job_tables, snapshot_set_tables, batch_size,
//   critical_tables
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/system/assets.hpp"
#include "app/ui/text/texts.hpp"
#include "core/critical/critical_tables.hpp"
#include "core/job/rank_digest.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/range_table.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/search/hit_table.hpp"
#include "core/trace/search/name_search.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::Language;

namespace {

/// Adds verbatim texts to `unknown`, because they are English in every language.
void check_known(const kino::Message& message, std::set<std::string>& unknown) {
  if (message.empty()) return;
  if (message.is_verbatim()) unknown.insert(message.str());
  if (message.id()) return;
  for (const kino::Message& sentence : message.parts()) check_known(sentence, unknown);
}

void check_word(const kino::Table& table, std::string_view key, std::size_t row,
                std::set<std::string>& unknown) {
  const kino::TableColumn& column = *table.find(key);
  const std::string& text = std::get<kino::TableColumn::Texts>(column.values)[row];
  const bool word = row < column.words.size() && !column.words[row].empty();
  if (!word && !text.empty()) unknown.insert(column.key + " of " + table.name + ": " + text);
}

/// Keys of columns whose cells contain texts of core. (Cells of other columns contain names from the file.)
constexpr std::array<std::string_view, 12> kVocabulary{
    "cause", "phase", "complete", "tensor_cores", "tensor_cores_eligible", "place", "why", "share_of",
    "base",  "kind",  "type",     "life"};

void check_cells(const kino::Table& table, const kino::TableColumn& column, std::set<std::string>& unknown) {
  const auto* texts = std::get_if<kino::TableColumn::Texts>(&column.values);
  if (texts == nullptr || std::ranges::find(kVocabulary, column.key) == kVocabulary.end()) return;
  // Places in snapshots are source lines, and kinds in comparisons are translated.
  if (column.key == "place" && table.name != "gaps") return;
  // Rows of ledgers have identifiers, such as idle:python, which are the same in every language.
  if (column.key == "cause" && table.name == "ledger") return;
  for (std::size_t row = 0; row < texts->size(); ++row) check_word(table, column.key, row, unknown);
}

/// All texts of a table except names from the file.
void check_table(const kino::Table& table, std::set<std::string>& unknown) {
  check_known(table.title, unknown);
  check_known(table.definition, unknown);
  for (const kino::Message& note : table.notes) check_known(note, unknown);
  for (const kino::TableColumn& column : table.columns) {
    check_known(column.title, unknown);
    if (column.definition != kino::text_of(column.unit)) check_known(column.definition, unknown);
    check_cells(table, column, unknown);
  }
  if (table.name != "summary") return;
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  for (std::size_t row = 0; row < items.size(); ++row) {
    check_word(table, "item", row, unknown);
    check_word(table, "fix", row, unknown);
    check_word(table, "effort", row, unknown);
    const bool sentence =
        items[row] == "finding" || items[row] == "base" || items[row] == "verdict" || items[row] == "order";
    if (sentence) check_word(table, "text", row, unknown);
  }
}

void check_trace(const std::filesystem::path& file, std::set<std::string>& unknown) {
  const auto opened = kino_test::open(file);
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  const kino::RangeAnalyses analyses(*opened.value().trace);
  for (const kino::TableInfo* const it : kino::table_kinds()) {
    const kino::TableInfo& kind = *it;
    std::vector<std::string> groups(kind.groups.begin(), kind.groups.end());
    if (groups.empty()) groups.emplace_back();
    for (const std::string& group : groups) {
      kino::TableRequest request;
      request.name = kind.name;
      request.group = group;
      request.force = true;  // a forecast from a path of which little is explained
      const auto table = kino::compute_table(analyses, request);
      REQUIRE_MESSAGE(table.ok(), table.error().what.str());
      check_table(table.value(), unknown);
    }
  }
}

void check_snapshot(const std::filesystem::path& file, std::set<std::string>& unknown) {
  kino::LoadProgress progress;
  const auto opened = kino::open_snapshot(file, {}, progress, {});
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  const kino::Snapshot& snapshot = *opened.value().snapshot;
  for (const kino::TableInfo* const it : kino::snapshot_table_kinds()) {
    const kino::TableInfo& kind = *it;
    if (&kind == &kino::kCompareTable) continue;
    std::vector<std::string> groups(kind.groups.begin(), kind.groups.end());
    if (groups.empty()) groups.emplace_back();
    for (const std::string& group : groups) {
      kino::TableRequest request;
      request.name = kind.name;
      request.group = group;
      request.force = true;  // a forecast from a path of which little is explained
      request.since = kind.name == "live" && group == groups.front() ? "start" : "";
      const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
      if (table.ok()) check_table(table.value(), unknown);
    }
  }
  kino::TableRequest pair;
  pair.name = kino::kCompareTable.name;
  const auto compared = kino::compute_comparison(snapshot, snapshot, pair, {});
  if (compared.ok()) check_table(compared.value(), unknown);
}

/// Returns a request for each group of a table.
std::vector<kino::TableRequest> requests_for(const kino::TableInfo& kind) {
  std::vector<std::string> groups(kind.groups.begin(), kind.groups.end());
  if (groups.empty()) groups.emplace_back();
  std::vector<kino::TableRequest> requests;
  for (const std::string& group : groups) {
    kino::TableRequest& request = requests.emplace_back();
    request.name = kind.name;
    request.group = group;
    request.force = true;  // a forecast from a path of which little is explained
  }
  return requests;
}

void check_job(const kino::JobAnalysis& job, std::set<std::string>& unknown) {
  for (const kino::TableInfo* const kind : kino::job_table_kinds()) {
    for (const kino::TableRequest& request : requests_for(*kind))
      check_table(kino::job_table({job, {}}, request).value(), unknown);
  }
}

/// Checks the tables of a job of two ranks with these traces, one of which is missing from a job of three.
void check_traced_job(const kino::Trace& first, const kino::Trace& second, std::set<std::string>& unknown) {
  std::vector<kino::RankDigest> digests;
  for (const kino::Trace* const trace : {&first, &second}) {
    kino::RankDigest& digest = digests.emplace_back(kino::digest_of(*trace));
    digest.rank = static_cast<std::int64_t>(digests.size()) - 1;
    digest.world_size = 3;
  }
  const kino::JobAnalysis job = kino::analyze_job(kino_test::job_of_digests(std::move(digests)));
  const std::vector<const kino::Trace*> traces{&first, &second};
  for (const kino::TableInfo* const kind : kino::job_trace_table_kinds()) {
    for (const kino::TableRequest& request : requests_for(*kind))
      check_table(kino::job_trace_table({job, traces}, request).value(), unknown);
  }
}

std::string listed(const std::set<std::string>& unknown) {
  std::string text;
  for (const std::string& one : unknown) text += "\n  " + one;
  return text;
}

/// Returns fits over batch sizes: one with lines, and one per reason for the absence of lines.
std::vector<kino::BatchFit> batch_fits() {
  const auto member = [](std::size_t source, std::uint64_t parameters, std::uint64_t activations,
                         const char* place = "model.py:9 forward") {
    kino::SnapshotMember it{"f" + std::to_string(source), -1, true, true, {}, source};
    it.sums.peak_bytes = it.sums.reserved_peak_bytes = parameters + activations;
    it.sums.peak_place = place;
    it.sums.rows[static_cast<std::size_t>(kino::SumsBy::category)] = {
        {"Parameters", "Parameters", parameters, 1}, {"Activations", "Activations", activations, 1}};
    return it;
  };
  using Sizes = std::vector<std::uint64_t>;
  const auto fit = [](std::vector<kino::SnapshotMember> members, const Sizes& sizes,
                      std::optional<std::uint64_t> capacity = {}) {
    return kino::batch_fit(kino::snapshot_set(std::move(members)), sizes, capacity, kino::ByteUnits::decimal);
  };
  kino::SnapshotMember failed = member(2, 100, 5);
  failed.sums.out_of_memory = kino::SumOutOfMemory{1, 5, 100, 10, 1, 500};
  kino::SnapshotMember cut = member(2, 100, 5);
  cut.whole = false;
  cut.sums.notes = {"late"};
  kino::SnapshotMember late = member(1, 100, 160);
  late.sums.lacks_events = true;
  return {fit({member(0, 100, 80), late}, {8, 16}),
          fit({member(0, 100, 80), late}, {8, 16}, 1000),
          fit({member(0, 100, 80), member(1, 100, 160), failed}, {8, 16, 32}),
          fit({member(0, 100, 80), member(1, 100, 160), cut}, {8, 16, 32}),
          fit({member(0, 100, 80), member(1, 100, 160), member(2, 100, 240)}, {8, 16, 24}),
          fit({member(0, 100, 80, "adam.py:1 step"), member(1, 100, 160), member(2, 100, 320)}, {4, 16, 32}),
          fit({}, {}),
          fit({member(0, 100, 80), member(1, 100, 160)}, {8, 8}),
          fit({member(0, 100, 80), member(1, 200, 160)}, {8, 16}),
          fit({member(0, 100, 80), member(1, 100, 60)}, {8, 16}),
          fit({member(0, 100, 80), member(1, 100, 960)}, {8, 16}),
          fit({member(0, 100, 180), member(1, 100, 280), member(2, 100, 320)}, {8, 16, 24})};
}

}  // namespace

TEST_CASE("kinds of slices, and tables of marked ranges and hits, are translated") {
  const auto trace =
      kino::EventFixture().op("aten::mm", 0, 100).launch(20, 10, 1).kernel("gemm", 50, 200, 1).build();
  std::set<std::string> unknown;
  for (int kind = 0; kind < kino::kSliceKindCount; ++kind)
    check_known(kino::shown_name(static_cast<kino::SliceKind>(kind)), unknown);
  check_table(kino::range_table(*trace, kino::summarize_range(*trace, trace->range).value()), unknown);
  kino::SliceSet hits(trace->slice_count());
  for (std::uint32_t slice = 0; slice < trace->slice_count(); ++slice) hits.insert(slice);
  check_table(kino::hit_table(*trace, hits, {}, 1), unknown);
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
}

TEST_CASE("the times that shares refer to are translated, with their lengths") {
  std::set<std::string> unknown;
  for (const auto kind :
       {kino::TimeBase::Kind::steps, kino::TimeBase::Kind::step, kino::TimeBase::Kind::gpu_window,
        kino::TimeBase::Kind::range, kino::TimeBase::Kind::trace}) {
    for (const std::uint32_t steps : {1U, 5U}) {
      for (const bool launched : {false, true}) {
        kino::TimeBase base;
        base.kind = kind;
        base.steps = steps;
        base.step = "12";
        base.with_launched_work = launched;
        for (const kino::Message& text : {kino::Message(base.brief()), kino::Message(base.text())}) {
          check_known(text, unknown);
          const std::string chinese = text.str(Language::chinese);
          CHECK_MESSAGE(chinese.find(" step") == std::string::npos, chinese);
          CHECK_MESSAGE(chinese.find(" and ") == std::string::npos, chinese);
        }
      }
    }
  }
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
}

TEST_CASE("lists of tables, their headings and groups are translated") {
  std::set<std::string> unknown;
  for (const auto kinds : {kino::table_kinds(), kino::snapshot_table_kinds(), kino::job_table_kinds()}) {
    for (const kino::TableInfo* const kind : kinds) {
      check_known(kind->title, unknown);
      check_known(kind->heading, unknown);
      for (const kino::TableGroup& group : kind->groups) check_known(group.title, unknown);
    }
  }
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
}

TEST_CASE("sentences about many snapshots are translated") {
  std::set<std::string> unknown;
  std::vector<kino::SnapshotMember> members;
  for (int i = 0; i < 5; ++i) {
    kino::SnapshotMember it{"rank" + std::to_string(i) + ".pickle", i, true, true, {}, 0};
    it.sums.peak_bytes = i == 3 ? 1'900 : 1'000;
    it.sums.first_us = 10 * i;
    it.sums.last_us = 10 * i + 5;
    it.sums.notes = {"late"};
    it.sums.lacks_events = true;
    it.sums.rows[0] = {{"/home/a b/t.py:1 f", "t.py:1 f", it.sums.peak_bytes, 1}};
    members.push_back(std::move(it));
  }
  std::vector<kino::SnapshotSet> sets{kino::snapshot_set(members), kino::snapshot_set({}),
                                      kino::snapshot_set({members[0]}),
                                      kino::snapshot_set({members[0], members[1]})};
  members[4].sums.peak_bytes = 999;
  sets.push_back(kino::snapshot_set(members));
  members[1].rank = 0;
  members[3].sums.out_of_memory = members[4].sums.out_of_memory = kino::SumOutOfMemory{1, 5, 100, 10, 1};
  sets.push_back(kino::snapshot_set(members));
  members[4].sums.out_of_memory.reset();
  sets.push_back(kino::snapshot_set(members));
  for (int i = 0; i < 5; ++i) {
    members[static_cast<std::size_t>(i)].sums.out_of_memory.reset();
    members[static_cast<std::size_t>(i)].sums.rows[0][0].bytes =
        members[static_cast<std::size_t>(i)].sums.peak_bytes = static_cast<std::uint64_t>(100 * i + 7);
  }
  sets.push_back(kino::snapshot_set(members));
  CHECK(sets.back().rises);
  members[2].sums.first_us = kino::SnapshotEntries::kNoTime;
  members[2].sums.events = 1;
  sets.push_back(kino::snapshot_set(members));
  for (const kino::SnapshotSet& set : sets) {
    check_known(kino::set_verdict(set, 0, kino::ByteUnits::decimal), unknown);
    check_known(kino::set_verdict(set, 1, kino::ByteUnits::decimal), unknown);
    for (const kino::Message& note : kino::set_notes(set)) check_known(note, unknown);
  }
  for (const kino::TableInfo* const kind : kino::snapshot_set_table_kinds()) {
    check_known(kind->title, unknown);
    check_known(kind->heading, unknown);
    for (const kino::TableGroup& group : kind->groups) check_known(group.title, unknown);
    const std::size_t groups = std::max<std::size_t>(1, kind->groups.size());
    for (std::size_t group = 0; group < groups; ++group) {
      kino::Table table = kino::snapshot_set_table(sets[0], *kind, {.group = group});
      // Snapshot tables have the same titles.
      std::erase_if(table.columns, [](const kino::TableColumn& it) { return it.key.starts_with("bytes_"); });
      check_table(table, unknown);
    }
  }
  for (const kino::BatchFit& fit : batch_fits()) {
    for (const kino::Message& note : kino::batch_notes(fit, kino::ByteUnits::decimal))
      check_known(note, unknown);
    kino::Table table = kino::batch_table({}, fit, kino::ByteUnits::decimal);
    std::erase_if(table.columns, [](const kino::TableColumn& it) { return it.key == "category"; });
    check_table(table, unknown);
  }
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
  CHECK(
      kino::set_verdict(sets[6], 0, kino::ByteUnits::decimal).str(Language::chinese) ==
      "内存不足：rank3.pickle。失败的分配请求 100 B，当时空闲 10 B。其峰值比中位数高 900 B，主要在 t.py:1 f (+900 "
      "B)。");
}

TEST_CASE("errors of a search are translated") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  const auto trace = events.build();
  const kino::SearchIndex index(*trace);
  const auto fields = [](const std::string& key) {
    return key == "foo" ? kino::SearchQuery::Field{false, ""} : kino::SearchQuery::Field{false, "stream"};
  };
  std::set<std::string> unknown;
  for (const char* query :
       {"foo:1", "strem:7", "kind:bogus", "\"mm and", "/mm", "/[a/", "/(a/", "/a)/", "/a**/", "/*a/", "/a{2/",
        "/\\k/", "/(?=a)/", "/[b-a]/", "/a{99}/", "dur>abc", "size>5", "correlation:/x/",
        "/((((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))))))))/"}) {
    const auto compiled = kino::SearchQuery::compile(query, index, 1, fields);
    CAPTURE(query);
    REQUIRE_FALSE(compiled.ok());
    check_known(compiled.error().what, unknown);
  }
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
  const auto lacks = kino::SearchQuery::compile("/[a/", index, 1, fields);
  CHECK(lacks.error().what.str(Language::chinese) == "正则表达式有误：缺少 ]");
}

TEST_CASE("no title, column, definition, note or finding of a table remains in English") {
  std::set<std::string> unknown;
  const auto sample = kino::find_sample();
  REQUIRE(sample.has_value());
  check_trace(*sample, unknown);
  std::size_t tried = 0;
  for (const auto& file : kino_test::real_files({"kineto/hta"})) {
    if (std::filesystem::file_size(file) < (std::uintmax_t{1} << 20) && ++tried <= 6 &&
        kino_test::open(file).ok()) {
      check_trace(file, unknown);
    }
  }
  check_job(kino_test::late_job(), unknown);
  const auto made =
      kino::EventFixture().op("aten::mm", 0, 100).launch(20, 10, 1).kernel("gemm", 50, 200, 1).build();
  check_traced_job(*made, *made, unknown);
  std::vector<kino_test::MadeRank> partial = kino_test::ranks_of({0, 1}, 3);
  for (int i = 0; i < 5; ++i) kino_test::add(partial[0], 100'000 * i, 100'000 * i + 50'000, i);
  for (int i = 1; i < 5; ++i) kino_test::add(partial[1], 100'000 * i, 100'000 * i + 50'000, i);
  for (kino_test::MadeRank& rank : partial)  // far apart: no common operation
    kino_test::add(rank, 1'000'000 + 90'000'000 * rank.rank, 1'050'000 + 90'000'000 * rank.rank, 5);
  const kino::JobAnalysis doubtful = kino_test::analysis_of(std::move(partial));
  CHECK_FALSE(doubtful.matched.alone.empty());
  check_job(doubtful, unknown);
  tried = 0;
  for (const auto& file : kino_test::real_files({"snapshot"})) {
    if (file.extension() == ".pickle" && std::filesystem::file_size(file) < (std::uintmax_t{2} << 20) &&
        ++tried <= 4) {
      check_snapshot(file, unknown);
    }
  }
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
}
