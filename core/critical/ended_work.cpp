#include "core/critical/ended_work.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace kino {
namespace {

/// Places in RankWork::by_end, from which work is removed. Place 0 means that there is none.
class EndPlaces {
 public:
  explicit EndPlaces(std::size_t count) : last_(count + 1) {
    std::iota(last_.begin(), last_.end(), std::size_t{0});
  }
  void remove(std::size_t place) { last_[place] = place - 1; }
  /// Returns the last place up to `place` that was not removed. Shortens the ways of later calls.
  std::size_t last_until(std::size_t place) {
    std::size_t found = place;
    while (last_[found] != found) found = last_[found];
    while (last_[place] != found) place = std::exchange(last_[place], found);
    return found;
  }

 private:
  std::vector<std::size_t> last_;
};

}  // namespace

std::vector<std::uint32_t> last_ended(const RankWork& works, std::span<const EndedQuery> queries) {
  std::vector<std::uint32_t> found(queries.size(), RankWork::kNone);
  EndPlaces places(works.by_end.size());
  std::vector<std::size_t> place_of(works.size());
  for (std::size_t i = 0; i < works.by_end.size(); ++i) {
    place_of[works.by_end[i]] = i + 1;
    if (!works.launched(works.by_end[i])) places.remove(i + 1);
  }
  std::vector<std::size_t> order(queries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t query) { return queries[query].launched_before_ns; });
  std::size_t launched = works.by_launch.size();
  for (const std::size_t query : order) {
    while (launched > 0 &&
           works.call_begin_ns[works.by_launch[launched - 1]] >= queries[query].launched_before_ns)
      places.remove(place_of[works.by_launch[--launched]]);
    const auto after = std::ranges::upper_bound(works.by_end, queries[query].ended_by_ns, {},
                                                [&](std::uint32_t work) { return works.end_ns[work]; });
    const std::size_t place = places.last_until(static_cast<std::size_t>(after - works.by_end.begin()));
    if (place > 0) found[query] = works.by_end[place - 1];
  }
  return found;
}

}  // namespace kino
