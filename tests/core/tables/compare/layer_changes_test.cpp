// Covers: layer_changes, comparison_tables
// Layers of two runs: which rows exist, their medians and changes, and notes in place of wrong rows.
#include "core/tables/compare/layer_changes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/run_record.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::RunLayers;

/// A run with one stack of layers that take the same time.
RunLayers even_run(std::uint32_t layers, std::int64_t forward_ns, bool backward = false) {
  RunLayers run;
  run.source = kino::LayerSource::names;
  kino::RunStack& stack = run.stacks.emplace_back();
  stack.stack.layers = layers;
  stack.stack.backward = backward;
  for (std::uint32_t i = 0; i < layers; ++i) {
    kino::RunLayer& row = stack.rows.emplace_back();
    row.layer = i;
    row.work_ns = {forward_ns, 2 * forward_ns, 0};
    row.communication_ns = 7;
  }
  return run;
}

bool has_note(const kino::LayerChanges& changes, std::string_view text) {
  return std::ranges::any_of(
      changes.notes, [&](const kino::Message& note) { return note.str().find(text) != std::string::npos; });
}

std::int64_t change_cell(const kino::Table& table, const char* key, std::size_t row) {
  return std::get<kino::TableColumn::Integers>(table.find(key)->values)[row];
}

}  // namespace

TEST_CASE("a layer that became slower than the others stands out") {
  const RunLayers a = even_run(8, 1000);
  RunLayers b = even_run(8, 900);
  b.stacks[0].rows[3].work_ns = {1300, 2600, 10};
  kino::RunComparison comparison;
  comparison.layers = kino::compare_layers(a, b);
  const kino::LayerChanges& changes = *comparison.layers;
  REQUIRE(changes.rows.size() == 8);
  CHECK(changes.rows[3].stands_out);
  CHECK_FALSE(changes.rows[2].stands_out);
  CHECK(changes.rows[3].change_ns() == 910);
  CHECK(has_note(changes, "Layer 3 (forward) changed by +30.3 %, the median layer by -10.0 %."));
  const kino::Table table = kino::comparison_table(comparison, kino::kLayerChangeTable);
  REQUIRE(table.row_count() == 8);
  CHECK(change_cell(table, "forward_a_ns", 3) == 1000);
  CHECK(change_cell(table, "forward_b_ns", 3) == 1300);
  CHECK(change_cell(table, "backward_b_ns", 3) == 2600);
  CHECK(change_cell(table, "recompute_b_ns", 3) == 10);
  CHECK(change_cell(table, "comm_a_ns", 3) == 7);
  CHECK(change_cell(table, "a_ns", 3) == 3000);
  CHECK(change_cell(table, "change_ns", 0) == -300);
  CHECK(table.notes.size() == changes.notes.size());
}

TEST_CASE("no layer stands out if all changed alike") {
  const kino::LayerChanges changes = kino::compare_layers(even_run(8, 1000), even_run(8, 2000));
  CHECK(has_note(changes, "No layer became much slower"));
  CHECK(has_note(changes, "+100.0 %"));
}

TEST_CASE("with fewer than four comparable layers, no statement is made on the slowest") {
  const kino::LayerChanges changes = kino::compare_layers(even_run(3, 1000), even_run(3, 2000));
  CHECK(changes.rows.size() == 3);
  CHECK_FALSE(has_note(changes, "No layer became much slower"));
  RunLayers idle = even_run(5, 1000);
  for (std::size_t i = 0; i < 2; ++i) idle.stacks[0].rows[i].work_ns = {};
  CHECK_FALSE(has_note(kino::compare_layers(idle, even_run(5, 1000)), "No layer became much slower"));
}

TEST_CASE("runs whose layers do not match have notes instead of rows") {
  const kino::LayerChanges lengths = kino::compare_layers(even_run(8, 1000), even_run(12, 1000));
  CHECK(lengths.rows.empty());
  CHECK(has_note(lengths, "only A has this stack: forward, layers 8"));
  CHECK(has_note(lengths, "only B has this stack: forward, layers 12"));
  CHECK(kino::compare_layers(even_run(8, 1000), even_run(8, 1000, true)).rows.empty());
  RunLayers modules = even_run(8, 1000);
  modules.source = kino::LayerSource::modules;
  const kino::LayerChanges sources = kino::compare_layers(modules, even_run(8, 1000));
  CHECK(sources.rows.empty());
  CHECK(has_note(sources, "found by modules in A and by kernel names in B"));
  CHECK(has_note(kino::compare_layers({}, even_run(8, 1000)), "compared steps of A"));
  CHECK(kino::compare_layers({}, {}).notes.size() == 2);
}

TEST_CASE("of several equal stacks, the first ones belong together") {
  RunLayers a = even_run(4, 1000);
  a.stacks.push_back(even_run(4, 50).stacks[0]);
  RunLayers b = even_run(4, 1100);
  b.stacks.push_back(even_run(4, 60).stacks[0]);
  b.stacks.push_back(even_run(4, 9).stacks[0]);
  const kino::LayerChanges changes = kino::compare_layers(a, b);
  REQUIRE(changes.rows.size() == 8);
  CHECK(changes.rows[4].stack == 1);
  CHECK(changes.rows[4].b.work_ns[0] == 60);
  CHECK(has_note(changes, "only B has this stack"));
}

TEST_CASE("several runs have the medians of their layers") {
  const std::vector<RunLayers> runs{even_run(4, 100), even_run(4, 300), even_run(4, 110), even_run(6, 5000)};
  const RunLayers median = kino::median_layers(runs);
  REQUIRE(median.stacks.size() == 1);
  CHECK(median.stacks[0].rows[2].work_ns[0] == 110);
  CHECK(median.stacks[0].rows[2].communication_ns == 7);
}

TEST_CASE("layers of a run are medians over the passes in its windows") {
  kino::EventFixture events;
  // Three passes of four layers, whose first kernels take 10, 30 and 1000 ns.
  std::int64_t at = 0;
  for (const std::int64_t first_ns : {10, 30, 1000}) {
    for (int layer = 0; layer < 4; ++layer) {
      for (const char* name : {"norm", "qkv", "flash", "proj", "up"})
        events.kernel(name, at += 2000, name[0] == 'n' ? first_ns : 10);
    }
    events.kernel("loss", at += 2000, 10);
    events.kernel("next", at += 2000, 10);
  }
  const auto trace = events.build();
  const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
  kino::RunRecord run;
  run.windows.emplace_back().range = {0, 22 * 2000 + 21 * 2000};  // begins of the first two passes
  const RunLayers layers = kino::run_layers(parts, run);
  CHECK(layers.source == kino::LayerSource::names);
  REQUIRE(layers.stacks.size() == 1);
  REQUIRE(layers.stacks[0].rows.size() == 4);
  CHECK(layers.stacks[0].rows[1].work_ns[0] == 60);  // of 50 and 70
  run.windows[0].range = {-20, -10};
  CHECK(kino::run_layers(parts, run).stacks.empty());
}
