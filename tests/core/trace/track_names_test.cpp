// Covers: track_names, compact_text
// Names chosen by the program are distinguished from names in the file.
#include "core/trace/track_names.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("a thread that the file names is not named by the program") {
  kino::Track track;
  track.kind = kino::TrackKind::cpu_thread;
  track.tid = "12";
  track.name = "thread 12";
  CHECK_FALSE(kino::name_message(track).is_verbatim());
  track.name = "thread 12 (python)";
  CHECK(kino::name_message(track).is_verbatim());
  track.kind = kino::TrackKind::counter;
  track.name = "memory reserved";
  CHECK(kino::name_message(track).is_verbatim());  // a counter of the file of that name
  track.bytes = true;
  CHECK_FALSE(kino::name_message(track).is_verbatim());
}

TEST_CASE("a process without a name in the file is titled by the program") {
  kino::Process process;
  process.pid = "12";
  process.title = "process 12";
  CHECK_FALSE(kino::title_message(process).is_verbatim());
  process.title = "python 12 · CPU";
  CHECK(kino::title_message(process).is_verbatim());
}

TEST_CASE("tracks of one process and processes that share a name are distinguished by their ids") {
  kino::Trace trace;
  trace.processes.resize(3);
  trace.processes[0] = {"12", "Renderer", false, false, 0, 3};
  trace.processes[1] = {"13", "Renderer", false, false, 3, 1};
  trace.processes[2] = {"14", "Browser", false, false, 4, 2};
  const std::vector<std::pair<const char*, const char*>> names{
      {"worker", "1"}, {"main", "2"}, {"worker", "3"}, {"worker", "4"}, {"5", "5"}, {"5", "6"}};
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    kino::Track& track = trace.tracks.emplace_back();
    track.name = names[i].first;
    track.tid = names[i].second;
    track.process = i < 3 ? 0 : i < 4 ? 1 : 2;
  }
  CHECK(kino::unique_track_name(trace, 0) == "worker (1)");
  CHECK(kino::unique_track_name(trace, 1) == "main");
  CHECK(kino::unique_track_name(trace, 2) == "worker (3)");
  CHECK(kino::unique_track_name(trace, 3) == "worker");  // alone in its process
  CHECK(kino::unique_track_name(trace, 4) == "5");       // the id adds nothing
  CHECK(kino::unique_track_name(trace, 5) == "5 (6)");
  CHECK(kino::unique_process_title(trace, 1) == "Renderer (13)");
  CHECK(kino::unique_process_titles(trace) ==
        std::vector<std::string>{"Renderer (12)", "Renderer (13)", "Browser"});
}
