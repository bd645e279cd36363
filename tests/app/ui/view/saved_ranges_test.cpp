// Covers: saved_ranges
#include "app/ui/view/saved_ranges.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace kino;

namespace {

TracePart range(std::int64_t begin) { return {{begin, begin + 10}, std::nullopt, kNoSlice}; }

std::string letters(const SavedRanges& parts) {
  std::string text;
  for (const SavedRange& part : parts.all()) text += part.letter;
  return text;
}

}  // namespace

TEST_CASE("a range replaces the saved range with its letter; other ranges get the first free letter") {
  SavedRanges parts;
  parts.set('B', range(100), "second");
  CHECK(parts.add(range(0), "first") == 'A');
  CHECK(parts.add(range(200), "third") == 'C');
  CHECK(letters(parts) == "ABC");
  const std::uint64_t before = parts.generation();
  parts.set('B', range(500), "other");
  CHECK(letters(parts) == "ABC");
  CHECK(parts.find('B')->part.range.begin_ns == 500);
  CHECK(parts.find('B')->name == "other");
  CHECK(parts.generation() > before);
  parts.remove('A');
  CHECK(parts.add(range(0), "again") == 'A');
  CHECK(parts.find('Z') == nullptr);
}

TEST_CASE("renaming does not change the comparison, ticking does; the number of letters is limited") {
  SavedRanges parts;
  for (std::size_t i = 0; i < SavedRanges::kMost; ++i) CHECK(parts.add(range(0), "").has_value());
  CHECK_FALSE(parts.add(range(0), "").has_value());
  std::uint64_t before = parts.generation();
  parts.rename('C', "warm-up");
  CHECK(parts.find('C')->name == "warm-up");
  CHECK(parts.generation() == before);
  parts.compare('C', false);
  CHECK(parts.generation() == before + 1);
  CHECK_FALSE(parts.find('C')->compared);
  before = parts.generation();
  parts.compare('C', false);
  CHECK(parts.generation() == before);
  parts.clear();
  CHECK(parts.all().empty());
}
