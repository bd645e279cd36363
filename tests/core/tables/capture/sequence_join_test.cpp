// Covers: sequence_join
// Levels of the join of a capture with the work of a replay, computed by hand and by brute force.
#include "core/tables/capture/sequence_join.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kino::JoinLevel;
using kino::NodeKind;
using kino::SequenceItem;
using kino::SequenceJoin;

/// One kernel per letter. '>' is a copy, '0' a memset.
std::vector<SequenceItem> kernels(std::string_view letters) {
  std::vector<SequenceItem> items;
  items.reserve(letters.size());
  for (const char letter : letters) {
    SequenceItem item;
    if (letter == '>') item.kind = NodeKind::copy;
    if (letter == '0') item.kind = NodeKind::memset;
    if (item.kind == NodeKind::kernel) item.name = static_cast<std::uint32_t>(letter);
    items.push_back(item);
  }
  return items;
}

/// Captured launches without names. The letter is the call that launched the kernel.
std::vector<SequenceItem> calls(std::string_view letters) {
  std::vector<SequenceItem> items = kernels(letters);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].call = static_cast<std::uint32_t>(letters[i]);
    items[i].name = SequenceItem::kUnnamed;
  }
  return items;
}

std::vector<std::uint32_t> counting(std::uint32_t count) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

/// Returns the length of a longest common subsequence. O(n m).
std::size_t common_length(const std::vector<SequenceItem>& a, const std::vector<SequenceItem>& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const SequenceItem& item : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = item == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

TEST_CASE("equal sequences of names are joined one to one") {
  const SequenceJoin join = kino::join_sequences(kernels("ab>0c"), kernels("ab>0c"));
  CHECK(join.level == JoinLevel::exact);
  CHECK(join.nodes == counting(5));
  CHECK(join.joined == 5);
}

TEST_CASE("empty sequences are never joined") {
  CHECK(kino::join_sequences({}, {}).level == JoinLevel::none);
  CHECK(kino::join_sequences(kernels("a"), {}).level == JoinLevel::none);
  CHECK(kino::join_sequences({}, kernels("a")).level == JoinLevel::none);
}

TEST_CASE("grids are compared only if both are recorded") {
  auto captured = kernels("ab");
  auto work = kernels("ab");
  captured[0].grid = {4, 1, 1};
  CHECK(kino::join_sequences(captured, work).level == JoinLevel::exact);
  work[0].grid = {8, 1, 1};
  const SequenceJoin join = kino::join_sequences(captured, work);
  CHECK(join.level == JoinLevel::aligned);
  CHECK(join.nodes == counting(2));
}

TEST_CASE("one missing and one additional kernel of 100 are skipped") {
  std::string letters;
  for (int i = 0; i < 100; ++i) letters += static_cast<char>('a' + i % 7);
  std::string other = letters;
  other.erase(30, 1);
  other.insert(60, "z");
  const SequenceJoin join = kino::join_sequences(kernels(letters), kernels(other));
  REQUIRE(join.level == JoinLevel::aligned);
  CHECK(join.joined == 99);
  CHECK(join.nodes[0] == 0);
  CHECK(join.nodes[60] == SequenceJoin::kNone);
  CHECK(join.nodes[99] == 99);
}

TEST_CASE("sequences with more than 2 % differences are not aligned") {
  std::string letters(100, 'a');
  std::string other = letters;
  for (const std::size_t at : {10U, 50U, 90U}) other[at] = 'z';
  CHECK(kino::join_sequences(kernels(letters), kernels(other)).level == JoinLevel::none);
  other[90] = 'a';
  CHECK(kino::join_sequences(kernels(letters), kernels(other)).level == JoinLevel::aligned);
}

TEST_CASE("permuted kernels are joined by occurrence") {
  const SequenceJoin join = kino::join_sequences(kernels("abcab"), kernels("babac"));
  CHECK(join.level == JoinLevel::occurrence);
  CHECK(join.nodes == std::vector<std::uint32_t>{1, 0, 4, 3, 2});
  CHECK(join.joined == 5);
  CHECK(kino::join_sequences(kernels("abcab"), kernels("babab")).level == JoinLevel::none);
}

TEST_CASE("captures without names are joined by order if equal calls start equal kernels") {
  const SequenceJoin join = kino::join_sequences(calls("pq>pq"), kernels("ab>ab"));
  CHECK(join.level == JoinLevel::order);
  CHECK(join.nodes == counting(5));
  CHECK(kino::join_sequences(calls("pq>pq"), kernels("ab>ba")).level == JoinLevel::none);
  CHECK(kino::join_sequences(calls("pq>pq"), kernels("ab>a")).level == JoinLevel::none);
  CHECK(kino::join_sequences(calls("pq>pq"), kernels("ab0ab")).level == JoinLevel::none);
}

TEST_CASE("nine of ten repeats are enough for the level by order") {
  std::string work(11, 'a');
  work[5] = 'b';
  CHECK(kino::join_sequences(calls(std::string(11, 'p')), kernels(work)).level == JoinLevel::order);
  work[7] = 'b';
  CHECK(kino::join_sequences(calls(std::string(11, 'p')), kernels(work)).level == JoinLevel::none);
}

TEST_CASE("a capture without repeated calls is not joined by order") {
  CHECK(kino::join_sequences(calls("pqrs"), kernels("abcd")).level == JoinLevel::none);
}

TEST_CASE("a capture with only some names, or without kernels, has no names") {
  auto captured = kernels("ab");
  CHECK(kino::has_names(captured));
  captured[1].name = SequenceItem::kUnnamed;
  CHECK_FALSE(kino::has_names(captured));
  CHECK_FALSE(kino::has_names(kernels(">>0")));
  CHECK_FALSE(kino::has_names({}));
}

TEST_CASE("an alignment is a longest common subsequence") {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): reproducible
  std::size_t aligned = 0;
  for (int round = 0; round < 200; ++round) {
    std::string letters;
    for (int i = 0; i < 150; ++i) letters += static_cast<char>('a' + random() % 4);
    std::string other = letters;
    for (std::uint32_t edits = random() % 6; edits > 0; --edits) {
      const std::size_t at = random() % other.size();
      switch (random() % 3) {
        case 0:
          other.erase(at, 1);
          break;
        case 1:
          other.insert(at, 1, static_cast<char>('a' + random() % 4));
          break;
        default:
          other[at] = static_cast<char>('a' + random() % 4);
      }
    }
    const auto captured = kernels(letters);
    const auto work = kernels(other);
    const std::size_t common = common_length(captured, work);
    const bool enough = common * 100 >= 98 * std::max(captured.size(), work.size());
    const SequenceJoin join = kino::join_sequences(captured, work);
    CHECK((join.level == JoinLevel::exact || join.level == JoinLevel::aligned) == enough);
    if (join.level != JoinLevel::aligned) continue;
    ++aligned;
    CHECK(join.joined == common);
    std::int64_t last = -1;
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (join.nodes[i] == SequenceJoin::kNone) continue;
      CHECK(static_cast<std::int64_t>(join.nodes[i]) > last);
      last = join.nodes[i];
      CHECK(captured[join.nodes[i]].name == work[i].name);
    }
  }
  CHECK(aligned > 20);
}

TEST_CASE("long sequences with more than 2,000 differences are not aligned") {
  std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp): reproducible
  std::vector<SequenceItem> captured(120'000);
  for (SequenceItem& item : captured) item.name = static_cast<std::uint32_t>(random() % 50);
  // Every replaced kernel makes two differences. All variants have 98 % in common.
  const auto replaced_every = [&](std::size_t stride) {
    std::vector<SequenceItem> work = captured;
    for (std::size_t i = 0; i < work.size(); i += stride) work[i].name = 99;
    return work;
  };
  CHECK(kino::join_sequences(captured, replaced_every(200)).level == JoinLevel::aligned);
  CHECK(kino::join_sequences(captured, replaced_every(100)).level == JoinLevel::none);
}

TEST_CASE("an alignment ends when it is stopped") {
  std::stop_source stop;
  stop.request_stop();
  std::string letters(100, 'a');
  std::string other = letters;
  other[50] = 'b';
  CHECK(kino::join_sequences(kernels(letters), kernels(other), stop.get_token()).level == JoinLevel::none);
}
