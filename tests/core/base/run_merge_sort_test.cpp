// Covers: run_merge_sort
#include "core/base/run_merge_sort.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using Pair = std::pair<int, int>;
bool by_first(const Pair& a, const Pair& b) { return a.first < b.first; }

}  // namespace

TEST_CASE("run merge sort equals std::stable_sort on random runs") {
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    std::vector<Pair> data(random() % 300);
    const int runs = 1 + static_cast<int>(random() % 12);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const int base =
          static_cast<int>(i * static_cast<std::size_t>(runs) / std::max<std::size_t>(1, data.size()));
      data[i] = {round % 3 == 0 ? static_cast<int>(random() % 20) : static_cast<int>(i) - 40 * base,
                 static_cast<int>(i)};
    }
    std::vector<Pair> expected = data;
    std::stable_sort(expected.begin(), expected.end(), by_first);
    kino::run_merge_sort(data.data(), data.size(), by_first);
    CHECK(data == expected);
  }
}

TEST_CASE("run merge sort handles no element and one element") {
  std::vector<Pair> data;
  kino::run_merge_sort(data.data(), 0, by_first);
  data.push_back({1, 1});
  kino::run_merge_sort(data.data(), 1, by_first);
  CHECK(data[0] == Pair{1, 1});
}
