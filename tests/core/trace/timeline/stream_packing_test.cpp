// Covers: stream_packing
#include "core/trace/timeline/stream_packing.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/fixtures/event_fixture.hpp"

using kino::EventFixture;
using kino::index_of;
using kino::pack_streams;
using kino::PackedStreams;
using kino::Row;
using kino::RowId;
using kino::ShownRows;
using kino::SliceId;
using kino::SliceRow;
using kino::Trace;

namespace {

std::vector<std::string> names_of(const PackedStreams& packed) {
  std::vector<std::string> names;
  for (const kino::Track& track : packed.tracks) names.push_back(track.name.str());
  return names;
}

/// Every packed slice once, with the values of its original, in disjoint rows in order of start.
void check_exact(const Trace& trace, const PackedStreams& packed) {
  const ShownRows rows(trace, &packed);
  std::set<std::uint32_t> seen;
  for (std::uint32_t r = 0; r < packed.rows.size(); ++r) {
    const RowId id{packed.first_row + r};
    const SliceRow row = rows.slices_of(id);
    REQUIRE(!row.start_ns.empty());
    for (std::size_t i = 0; i < row.start_ns.size(); ++i) {
      const SliceId original = rows.original(id, SliceId{row.first_slice + static_cast<std::uint32_t>(i)});
      CHECK(seen.insert(index_of(original)).second);
      CHECK(trace.start_ns(original) == row.start_ns[i]);
      CHECK(trace.duration_ns(original) == row.duration_ns[i]);
      CHECK(trace.name(original) == row.name[i]);
      CHECK(packed.holds(original));
      CHECK(packed.row_of(original) == id);
      if (i > 0) CHECK(row.start_ns[i] >= row.start_ns[i - 1] + row.duration_ns[i - 1]);
    }
    CHECK(packed.lod.busy_in(row.lod, row.duration_ns, 0, static_cast<std::uint32_t>(row.start_ns.size())) ==
          std::accumulate(row.duration_ns.begin(), row.duration_ns.end(), std::int64_t{0}));
  }
  std::size_t in_streams = 0;
  for (const Row& row : trace.rows) {
    const kino::Track& track = trace.track(row.track);
    const bool stream =
        track.kind == kino::TrackKind::gpu_stream && packed.process_packed[track.process] != 0;
    if (stream) in_streams += row.slice_count;
  }
  CHECK(seen.size() == in_streams);
}

}  // namespace

TEST_CASE("streams become one track per kind, and one per process group of collectives") {
  EventFixture events;
  events.op("step", 0, 10'000);
  for (int stream = 0; stream < 40; ++stream) {
    events.kernel("gemm", 100 + 100 * stream, 100, 0, std::to_string(stream));
  }
  events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 100, 500, 0, "50");
  events.kernel("ncclDevKernel_AllGather_RING_LL(int)", 700, 50, 0, "50");
  events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 1000, 10, 0, "51");
  const auto trace = events.build();
  const auto group_of = [&](SliceId slice) {
    return std::string(trace->name_of(slice).find("AllGather") != std::string_view::npos ? "tp" : "dp");
  };
  const PackedStreams packed = pack_streams(*trace, group_of, {});
  CHECK(names_of(packed) == std::vector<std::string>{"compute", "communication · dp", "communication · tp"});
  CHECK(packed.tracks[0].row_count == 1);
  CHECK(packed.tracks[0].contents == "packed from 42 streams");
  check_exact(*trace, packed);
}

TEST_CASE("overlapping work needs as few lanes as possible") {
  EventFixture events;
  events.kernel("a", 0, 100, 0, "1").kernel("b", 50, 100, 0, "2").kernel("c", 120, 100, 0, "3");
  const auto trace = events.build();
  const PackedStreams packed = pack_streams(*trace, {}, {});
  REQUIRE(packed.tracks.size() == 1);
  CHECK(packed.tracks[0].row_count == 2);
  check_exact(*trace, packed);
}

TEST_CASE("packing random streams loses no slice") {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  EventFixture events;
  for (int i = 0; i < 3000; ++i) {
    const bool collective = random() % 5 == 0;
    events.kernel(collective ? "ncclKernel_AllReduce_RING" : "k" + std::to_string(random() % 9),
                  static_cast<int>(random() % 20'000), static_cast<int>(random() % 60), 0,
                  std::to_string(random() % 30));
  }
  const auto trace = events.build();
  check_exact(*trace, pack_streams(*trace, {}, {}));
}

TEST_CASE("one stream is not packed") {
  EventFixture events;
  events.op("step", 0, 100).kernel("gemm", 10, 10, 0);
  const auto trace = events.build();
  const PackedStreams packed = pack_streams(*trace, {}, {});
  CHECK(packed.tracks.empty());
  CHECK_FALSE(packed.holds(SliceId{0}));
}
