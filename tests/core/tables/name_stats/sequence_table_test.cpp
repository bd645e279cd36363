// Covers: sequence_table
// Repeated sequences of GPU work: by hand, against brute force on random names, and without repeats.
#include "core/tables/name_stats/sequence_table.hpp"

#include <map>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::NameId;
using kino::SequenceRow;

std::shared_ptr<const kino::Trace> stream_of(const std::string& letters, const std::string& stream = "7") {
  kino::EventFixture events;
  std::int64_t at = 0;
  for (const char letter : letters) {
    events.kernel(std::string(1, letter), at, 10 + letter % 7, 0, stream);
    at += 100;
  }
  return events.build();
}

std::string letters_of(const kino::Trace& trace, const SequenceRow& row) {
  std::string text;
  for (const NameId name : row.names) text += trace.names[kino::index_of(name)];
  return text;
}

/// Number of non-overlapping occurrences of `part` in `all`, from the left.
std::uint64_t count_of(const std::string& all, const std::string& part) {
  std::uint64_t count = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + part.size()))
    ++count;
  return count;
}

std::vector<SequenceRow> rows_of(const kino::Trace& trace) {
  const kino::TimeRange all = kino::whole_range(trace);
  return kino::sequence_rows(trace, kino::gpu_work_in(trace, all), all);
}

}  // namespace

TEST_CASE("finds a repeated sequence at full length, and its parts only if more frequent") {
  const auto trace = stream_of("xabcyabczab");
  std::map<std::string, std::uint64_t> counts;
  for (const SequenceRow& row : rows_of(*trace)) counts[letters_of(*trace, row)] = row.count;
  CHECK(counts == std::map<std::string, std::uint64_t>{{"abc", 2}, {"ab", 3}});
}

TEST_CASE("counts occurrences without overlap, within one stream") {
  const auto same = stream_of("aaaaa");
  const auto rows = rows_of(*same);
  REQUIRE_FALSE(rows.empty());
  for (const SequenceRow& row : rows) CHECK(row.count == 5 / row.names.size());
  kino::EventFixture events;
  for (std::int64_t i = 0; i < 4; ++i)
    events.kernel("a", 100 * i, 10, 0, "7").kernel("b", 100 * i, 10, 0, "20");
  const auto two = events.build();
  for (const SequenceRow& row : rows_of(*two)) {
    const std::string letters = letters_of(*two, row);
    CHECK((letters.find('a') == std::string::npos || letters.find('b') == std::string::npos));
  }
}

TEST_CASE("lists a loop once per length, wherever it may begin") {
  std::string letters;
  for (int i = 0; i < 12; ++i) letters += "abcdefg";
  const auto trace = stream_of(letters);
  std::map<std::size_t, int> of_length;
  for (const SequenceRow& row : rows_of(*trace)) ++of_length[row.names.size()];
  for (const auto& [length, rows] : of_length) {
    CAPTURE(length);
    CHECK(rows <= (length < 7 ? static_cast<int>(7 / length) + 1 : 1));
  }
  CHECK(of_length.contains(24));
}

TEST_CASE("agrees with brute force on random streams") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string letters;
    for (int i = 0; i < 120; ++i) letters += static_cast<char>('a' + random() % 3);
    const auto trace = stream_of(letters);
    for (const SequenceRow& row : rows_of(*trace)) {
      const std::string part = letters_of(*trace, row);
      CAPTURE(part);
      CHECK(row.count == count_of(letters, part));
      std::int64_t each = 0;
      for (const char letter : part) each += 10 + letter % 7;
      CHECK(row.total_ns == each * static_cast<std::int64_t>(row.count));
    }
  }
}

TEST_CASE("links a row to the work of all its occurrences") {
  const auto trace = stream_of("xabcyabczab");
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace));
  const kino::Table table = kino::table_of(kino::kSequenceTable, whole);
  const auto& lengths = std::get<kino::TableColumn::Integers>(table.find("length")->values);
  const auto& counts = std::get<kino::TableColumn::Integers>(table.find("count")->values);
  REQUIRE(table.row_count() == 2);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    const auto found = kino::kSequenceTable.instances(whole, {table, row, table.slice_of(row), 0}, {});
    CHECK(static_cast<std::int64_t>(found.size()) == lengths[row] * counts[row]);
  }
  CHECK(rows_of(*stream_of("a")).empty());
  CHECK(rows_of(*kino::EventFixture().build()).empty());
}
