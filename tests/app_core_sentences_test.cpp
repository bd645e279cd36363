// What core says in tables is said in every language: no half English window.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "loader_files.hpp"
#include <doctest/doctest.h>

#include "app/assets.hpp"
#include "app/core_sentences.hpp"
#include "app/snapshot_table_command.hpp"
#include "app/table_command.hpp"

using kino::Language;

namespace {

constexpr Language kOthers[] = {Language::japanese, Language::chinese};

std::set<char> sentence_slots(std::string_view text) {
  std::set<char> slots;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] == '{' && text[i + 2] == '}') slots.insert(text[i + 1]);
  }
  return slots;
}

void check_known(const std::string& text, std::set<std::string>& unknown) {
  for (const Language language : kOthers) {
    if (!text.empty() && !kino::core_sentence(text, language)) unknown.insert(text);
  }
}

/// Everything of a table but names of the file.
void check_table(const kino::Table& table, std::set<std::string>& unknown) {
  check_known(table.title, unknown);
  check_known(table.definition, unknown);
  for (const std::string& note : table.notes) check_known(note, unknown);
  for (const kino::TableColumn& column : table.columns) {
    check_known(column.title, unknown);
    if (column.definition != kino::text_of(column.unit)) check_known(column.definition, unknown);
  }
  if (table.name != "summary") return;
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  const auto& texts = std::get<kino::TableColumn::Texts>(table.find("text")->values);
  for (std::size_t row = 0; row < items.size(); ++row) {
    check_known(items[row], unknown);
    if (items[row] == "finding") check_known(texts[row], unknown);
  }
}

void check_trace(const std::filesystem::path& file, std::set<std::string>& unknown) {
  const auto opened = kino_test::open(file);
  REQUIRE_MESSAGE(opened.ok(), opened.error().what);
  const kino::RangeAnalyses analyses(*opened.value().trace);
  for (const kino::TableKind& kind : kino::table_kinds()) {
    std::vector<std::string> groups(kind.groups.begin(), kind.groups.end());
    if (groups.empty()) groups.emplace_back();
    for (const std::string& group : groups) {
      kino::TableRequest request;
      request.name = kind.name;
      request.group = group;
      const auto table = kino::compute_table(analyses, request);
      REQUIRE_MESSAGE(table.ok(), table.error().what);
      check_table(table.value(), unknown);
    }
  }
}

void check_snapshot(const std::filesystem::path& file, std::set<std::string>& unknown) {
  kino::LoadProgress progress;
  const auto opened = kino::open_snapshot(file, {}, progress, {});
  REQUIRE_MESSAGE(opened.ok(), opened.error().what);
  const kino::Snapshot& snapshot = *opened.value().snapshot;
  for (const kino::TableKind& kind : kino::snapshot_table_kinds()) {
    std::vector<std::string> groups(kind.groups.begin(), kind.groups.end());
    if (groups.empty()) groups.emplace_back();
    for (const std::string& group : groups) {
      kino::TableRequest request;
      request.name = kind.name;
      request.group = group;
      request.since = kind.name == "live" && group == groups.front() ? "start" : "";
      const auto table = kino::compute_snapshot_table(snapshot, request, kino::default_category_rules());
      if (table.ok()) check_table(table.value(), unknown);
    }
  }
  const auto compared = kino::compute_comparison(snapshot, snapshot, {}, {});
  if (compared.ok()) check_table(compared.value(), unknown);
}

std::string listed(const std::set<std::string>& unknown) {
  std::string text;
  for (const std::string& one : unknown) text += "\n  " + one;
  return text;
}

}  // namespace

TEST_CASE("every sentence of core stands in the list once, with the same slots in every language") {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < kino::core_sentence_count(); ++i) {
    const std::string_view english = kino::core_sentence_text(i, Language::english);
    CAPTURE(english);
    CHECK(seen.insert(english).second);
    for (const Language language : kOthers) {
      CHECK_FALSE(kino::core_sentence_text(i, language).empty());
      CHECK(sentence_slots(kino::core_sentence_text(i, language)) == sentence_slots(english));
    }
  }
}

TEST_CASE("figures and names go into their slots, sentences in slots and in a row are translated, too") {
  CHECK(kino::core_sentence("12.5 % of GPU time has a launching operator.", Language::chinese) ==
        "12.5 % 的 GPU 时间有发起它的算子。");
  CHECK(kino::core_sentence("Memory after event 5 (1.2 s from its begin).", Language::japanese) ==
        "メモリの時点：イベント 5 の後（開始から 1.2 s）。");
  CHECK(kino::core_sentence("Before the recording. 7 events have no stack.", Language::chinese) ==
        "记录之前。7 个事件没有调用栈。");
  CHECK(kino::core_sentence("Total", Language::english) == "Total");
  CHECK(!kino::core_sentence("a kernel's name", Language::japanese));
  CHECK(kino::core_sentence("", Language::japanese) == "");
}

TEST_CASE("no title, column, definition, note or finding of a table stays English in another language") {
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
  tried = 0;
  for (const auto& file : kino_test::real_files({"snapshot"})) {
    if (file.extension() == ".pickle" && std::filesystem::file_size(file) < (std::uintmax_t{2} << 20) &&
        ++tried <= 4) {
      check_snapshot(file, unknown);
    }
  }
  CHECK_MESSAGE(unknown.empty(), listed(unknown));
}
