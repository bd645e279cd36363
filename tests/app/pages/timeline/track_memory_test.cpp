// Covers: track_memory
#include "app/pages/timeline/track_memory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace kino;

namespace {

std::shared_ptr<const Trace> several_tracks() {
  EventFixture events;
  events.op("step", 0, 1000).op("child", 10, 500).op("worker", 0, 900, "2").op("loader", 5, 800, "3");
  events.kernel("gemm", 100, 200, 0, "7").kernel("ncclKernel_AllReduce", 150, 300, 0, "8");
  return events.build();
}

std::uint32_t track_named(const Trace& trace, const std::string& name) {
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    if (trace.tracks[i].name == name) return i;
  }
  FAIL("no track " << name);
  return 0;
}

}  // namespace

TEST_CASE("an arrangement survives a round trip through JSON") {
  const auto trace = several_tracks();
  const ShownRows rows(*trace);
  Arrangement made = Arrangement::defaults(*trace);
  CHECK(json_from_arrangement(rows, made).empty());
  const std::uint32_t worker = track_named(*trace, "thread 2");
  const std::uint32_t stream = track_named(*trace, "stream 8");
  made.tracks[worker] = {TrackFold::merged, TrackHeight::expanded, false, "my own name"};
  made.set_hidden(track_named(*trace, "thread 3"), true);
  made.toggle_pinned(stream);
  made.move_track(track_named(*trace, "thread 3"), worker, rows);
  made.move_group(made.groups.back(), made.groups.front());
  made.group_open[0] = 0;
  made.packed[0] = 1;
  made.layers_folded = true;
  made.annotation_rows = true;
  made.filter = "thread \"x\"";
  Arrangement read = Arrangement::defaults(*trace);
  apply_arrangement_json(json_from_arrangement(rows, made), rows, read);
  CHECK(read == made);
}

TEST_CASE("ignores unknown tracks and invalid arrangements") {
  const auto trace = several_tracks();
  const ShownRows rows(*trace);
  const Arrangement plain = Arrangement::defaults(*trace);
  for (const char* text : {"", "[]", "{", "{\"tracks\":7,\"order\":{},\"pinned\":[1,\"x\"],\"filter\":3}",
                           "{\"tracks\":{\"nothing|here\":{\"hidden\":true}},\"groups\":[\"9|cpu\"]}"}) {
    Arrangement read = plain;
    apply_arrangement_json(text, rows, read);
    CHECK(read == plain);
  }
}

TEST_CASE("an arrangement that could not be written is written by the next attempt") {
  const auto trace = several_tracks();
  const ShownRows rows(*trace);
  Arrangement made = Arrangement::defaults(*trace);
  made.filter = "worker";
  const kino_test::TemporaryFolder folder;
  const std::filesystem::path parent = folder.path() / "arrangements";
  std::ofstream(parent) << "a file where a folder is needed";
  ArrangementFile memory(parent / "trace.json");
  CHECK(memory.keep(rows, made).has_value());
  std::filesystem::remove(parent);
  std::filesystem::create_directory(parent);
  CHECK_FALSE(memory.keep(rows, made).has_value());
  Arrangement read = Arrangement::defaults(*trace);
  ArrangementFile(parent / "trace.json").recall(rows, read);
  CHECK(read == made);
}
