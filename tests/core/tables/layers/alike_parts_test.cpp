// Covers: alike_parts, name_stacks, layer_table
// Alike parts of kernel sequences: differing parts, single unlike parts, too few parts, and their texts.
#include "core/tables/layers/alike_parts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/layers/layer_fold.hpp"
#include "core/tables/layers/layer_table.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

/// A kernel per letter, 10 ns each; no launches.
std::shared_ptr<const kino::Trace> sequence_of(const std::string& letters) {
  kino::EventFixture events;
  std::int64_t at = 0;
  for (const char letter : letters) events.kernel(std::string(1, letter), at += 100, 10);
  return events.build();
}

kino::FoldedTrace folded_by(const kino::Trace& trace, kino::LayerSource source) {
  const kino::RangeAnalysis parts(trace, kino::whole_range(trace));
  return kino::fold_layers(parts, source);
}

/// Parts that begin with S and differ in one kernel each.
std::string differing_parts(int count) {
  std::string letters;
  for (int i = 0; i < count; ++i) {
    std::string part = "Sabcdefg";
    part[static_cast<std::size_t>(1 + i % 7)] = static_cast<char>('A' + i % 16);
    letters += part;
  }
  return letters;
}

bool any_note_contains(const std::vector<kino::Message>& notes, std::string_view text) {
  return std::ranges::any_of(
      notes, [&](const kino::Message& note) { return note.str().find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("parts that differ in a few kernels are alike, although no sequence repeats") {
  const auto trace = sequence_of("xyz" + differing_parts(7) + "xyz");
  CHECK(folded_by(*trace, kino::LayerSource::names).fold.stacks.empty());
  CHECK(folded_by(*trace, kino::LayerSource::none).fold.stacks.empty());
  const kino::LayerFold fold = folded_by(*trace, kino::LayerSource::alike).fold;
  REQUIRE(fold.stacks.size() == 1);
  CHECK(fold.source == kino::LayerSource::alike);
  const kino::LayerStack& stack = fold.stacks[0];
  CHECK(stack.alike);
  CHECK(stack.layers == 7);
  CHECK(stack.passes.size() == 1);
  CHECK(stack.copies[0].count == 8);
  CHECK(stack.copies[0].cost.work_ns == 80);
}

TEST_CASE("a single unlike part does not end a pass") {
  const std::string half = differing_parts(7);
  const auto one = sequence_of(half + "Smnopqrs" + half);
  const kino::LayerFold whole = folded_by(*one, kino::LayerSource::alike).fold;
  REQUIRE(whole.stacks.size() == 1);
  CHECK(whole.stacks[0].passes.size() == 1);
  CHECK(whole.stacks[0].layers == 15);
}

TEST_CASE("fewer than six parts and small parts are not alike") {
  CHECK(folded_by(*sequence_of(differing_parts(5)), kino::LayerSource::alike).fold.stacks.empty());
  std::string small;
  for (int i = 0; i < 20; ++i) small += std::string("Sa") + static_cast<char>('A' + i % 16);
  CHECK(folded_by(*sequence_of(small), kino::LayerSource::alike).fold.stacks.empty());
  CHECK(kino::alike_stacks({}, std::vector<std::int64_t>{0}).empty());
}

TEST_CASE("rows and notes of alike parts do not call them layers") {
  const auto trace = sequence_of(differing_parts(8));
  const kino::FoldedTrace folded = folded_by(*trace, kino::LayerSource::alike);
  const kino::Table table = kino::layer_table(*trace, folded, kino::LayerGrouping::layer);
  REQUIRE(table.row_count() == 8);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("module")->values)[3] == "similar part 3");
  CHECK(any_note_contains(table.notes, "not necessarily layers"));
  CHECK(kino::stack_label(folded.fold.stacks[0]).str() == "similar parts, forward");
  const auto few = sequence_of("abc");
  const kino::FoldedTrace none = folded_by(*few, kino::LayerSource::alike);
  CHECK(any_note_contains(kino::layer_table(*few, none, kino::LayerGrouping::layer).notes,
                          "six or more similar parts"));
}

TEST_CASE("notes on stacks with the same label state their sizes") {
  kino::FoldedTrace folded;
  folded.fold.source = kino::LayerSource::names;
  folded.fold.stacks.resize(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    folded.fold.stacks[i].layers = 4 + i;
    folded.fold.stacks[i].passes.resize(20);
    folded.fold.stacks[i].slack = 8;
  }
  CHECK(any_note_contains(kino::fold_notes(folded), "forward (layers: 4, passes: 20): the boundaries"));
  CHECK(any_note_contains(kino::fold_notes(folded), "forward (layers: 5, passes: 20): the boundaries"));
  folded.fold.stacks.pop_back();
  CHECK(any_note_contains(kino::fold_notes(folded), "forward: the boundaries"));
}
