// Covers: hit_order
#include "core/trace/search/hit_order.hpp"

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

TEST_CASE("hits come in every order as a sort of all of them says, and no more than are wanted") {
  std::mt19937 random(5);
  EventFixture events;
  for (int i = 0; i < 3000; ++i) {
    events.op("name " + std::to_string(random() % 30), static_cast<std::int64_t>(random() % 100'000),
              static_cast<std::int64_t>(random() % 50), std::to_string(random() % 4));
  }
  const auto trace = events.build();
  SliceSet hits(trace->slice_count());
  std::vector<SliceId> all;
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
    if (random() % 3 == 0) continue;
    hits.insert(i);
    all.push_back(SliceId{i});
  }
  for (const HitColumn column : {HitColumn::name, HitColumn::track, HitColumn::start, HitColumn::duration}) {
    for (const bool ascending : {true, false}) {
      const auto key = [&](SliceId id) -> std::tuple<std::string, std::int64_t> {
        const std::uint32_t i = index_of(id);
        if (column == HitColumn::name) return {std::string(trace->name_of(id)), 0};
        if (column == HitColumn::track) return {"", index_of(trace->track_of(id))};
        return {"", column == HitColumn::start ? trace->slices.start_ns[i] : trace->slices.duration_ns[i]};
      };
      std::sort(all.begin(), all.end(), [&](SliceId a, SliceId b) {
        if (key(a) != key(b)) return ascending ? key(a) < key(b) : key(b) < key(a);
        const auto tie = [&](SliceId id) { return std::pair(trace->start_ns(id), id); };
        return tie(a) < tie(b);
      });
      for (const std::size_t limit :
           {std::size_t{0}, std::size_t{1}, std::size_t{70}, std::size_t{100'000}}) {
        std::vector<SliceId> expected(all.begin(),
                                      all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size())));
        CHECK(ordered_hits(*trace, hits, {column, ascending}, limit, {}, 2) == expected);
      }
    }
  }
  std::stop_source stop;
  stop.request_stop();
  CHECK(ordered_hits(*trace, hits, {}, 10, stop.get_token()).empty());
  CHECK(ordered_hits(*trace, SliceSet(trace->slice_count()), {}, 10).empty());
}
