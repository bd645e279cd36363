// Covers: address_map
// Equal to std::unordered_map through any sequence of changes.
#include "core/base/address_map.hpp"

#include <map>
#include <random>

#include <doctest/doctest.h>

TEST_CASE("an address map contains keys that were set and not erased, also with colliding addresses") {
  for (const std::uint64_t step : {std::uint64_t{512}, std::uint64_t{1} << 32U, std::uint64_t{1} << 54U}) {
    kino::AddressMap map;
    std::map<std::uint64_t, std::uint32_t> expected;
    std::mt19937 random(3);
    for (std::uint32_t i = 0; i < 20000; ++i) {
      const std::uint64_t addr = random() % 3000 * step;
      if (random() % 2 == 0) {
        map.set(addr, i);
        expected[addr] = i;
      } else {
        map.erase(addr);
        expected.erase(addr);
      }
      REQUIRE(map.size() == expected.size());
      const std::uint64_t asked = random() % 3000 * step;
      const std::uint32_t* const found = map.find(asked);
      REQUIRE((found != nullptr) == expected.contains(asked));
      if (found != nullptr) REQUIRE(*found == expected[asked]);
    }
  }
}
