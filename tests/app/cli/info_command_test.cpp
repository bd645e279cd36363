// Covers: info_command, cut_file
// The summary of a file: the JSON has the documented form, and no content of a file breaks it.
#include "app/cli/info_command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/cli/command_line/cut_file.hpp"
#include "app/cli/trace_info.hpp"
#include "app/cli/trace_info_json.hpp"
#include "core/base/time_text.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::DamageReason;
using Json = nlohmann::json;

kino::OpenedTrace opened_with(std::shared_ptr<const kino::Trace> trace) {
  kino::OpenedTrace opened;
  opened.trace = std::move(trace);
  opened.stats.file_bytes = 1'000'000;
  opened.stats.text_bytes = 10'000'000;
  opened.stats.seconds = 0.02;
  return opened;
}

std::shared_ptr<kino::Trace> small_trace() {
  auto trace = std::make_shared<kino::Trace>();
  trace->counts[kino::EventType::complete] = 7;
  trace->counts[kino::EventType::begin] = 3;
  trace->counts[kino::EventType::end] = 2;
  trace->counts[kino::EventType::instants] = 1;
  trace->counts[kino::EventType::counters] = 2;
  trace->counts[kino::EventType::flows] = 4;
  trace->counts[kino::EventType::metadata] = 1;
  trace->paired_slices = 2;
  trace->range = {-5, 1'000'000};
  trace->content = trace->range;
  trace->processes.push_back(
      {.pid = "0", .title = "GPU 0 · Test", .gpu = true, .first_track = 0, .track_count = 1});
  kino::Track track;
  track.name = "stream 7";
  track.contents = "compute, copy";
  track.row_count = 1;
  trace->tracks.push_back(track);
  kino::Row row;
  row.slice_count = 9;
  trace->rows.push_back(row);
  trace->names.intern("kernel");
  trace->slices.start_ns = kino::Column<std::int64_t>(row.slice_count);
  trace->slices.duration_ns = kino::Column<std::int64_t>(row.slice_count);
  trace->slices.name = kino::Column<kino::NameId>(row.slice_count);
  trace->slices.kind = kino::Column<kino::SliceKind>(row.slice_count);
  trace->slices.parent = kino::Column<kino::SliceId>(row.slice_count);
  trace->slices.link = kino::Column<kino::SliceId>(row.slice_count);
  for (std::uint32_t i = 0; i < row.slice_count; ++i) {
    trace->slices.start_ns[i] = i;
    trace->slices.kind[i] = kino::SliceKind::other;
    trace->slices.parent[i] = trace->slices.link[i] = kino::kNoSlice;
  }
  return trace;
}

}  // namespace

TEST_CASE("the JSON of info has the documented keys and numbers") {
  const Json json = Json::parse(kino::info_json("dir/a.json", opened_with(small_trace()), 4096));
  CHECK(json["schema"] == "kinetoscope-info/1");
  CHECK(json["kind"] == "trace");
  CHECK(json["file"] == "dir/a.json");
  CHECK(json["events"]["total"] == 20);
  CHECK(json["events"]["slices"] == 9);
  CHECK(json["events"]["instants"] == 1);
  CHECK(json["events"]["counters"] == 2);
  CHECK(json["events"]["flows"] == 4);
  CHECK(json["events"]["metadata"] == 1);
  for (const char* key : {"complete", "begin", "end", "async", "empty", "dropped", "async_slices"}) {
    CHECK(json["events"].contains(key));
  }
  CHECK(json["tracks"] == 1);
  CHECK(json["lanes"] == 1);
  CHECK(json["span_ns"] == 1'000'005);
  CHECK(json["rank"].is_null());
  CHECK(json["damage"].empty());
  CHECK(json["load"]["bytes"] == 10'000'000);
  CHECK(json["load"]["seconds"] == 0.02);
  CHECK(json["load"]["mb_per_s"] == doctest::Approx(500));
  CHECK(json["load"]["peak_rss_bytes"] == 4096);
}

TEST_CASE("a rank in the file is a number in the JSON, zero included") {
  auto trace = small_trace();
  trace->job.rank = 0;
  CHECK(Json::parse(kino::info_json("a.json", opened_with(trace), 0))["rank"] == 0);
}

TEST_CASE("lists damage with reason, count, offset and sample") {
  auto trace = small_trace();
  trace->damage.add(DamageReason::negative_duration, 512, "{\"dur\":-5}", 3);
  const Json damage = Json::parse(kino::info_json("a.json", opened_with(trace), 0))["damage"];
  REQUIRE(damage.size() == 1);
  CHECK(damage[0]["reason"] == kino::english(kino::text_of(DamageReason::negative_duration)));
  CHECK(damage[0]["count"] == 3);
  CHECK(damage[0]["first_offset"] == 512);
  CHECK(damage[0]["sample"] == "{\"dur\":-5}");
}

TEST_CASE("invalid UTF-8 in file names and samples does not break the JSON") {
  auto trace = small_trace();
  trace->damage.add(DamageReason::unreadable_event, 0, "\xff\xfe\x1b[31m", 1);
  const std::string text = kino::info_json("\xff.json", opened_with(trace), 0);
  CHECK(Json::parse(text)["damage"].size() == 1);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("lists the files in an archive as arguments of the command") {
  kino::ContainedTraces choices;
  choices.traces = {{"r.zip#a.json", "a.json", 1500}, {"r.zip#b\x1b.json", "b\x1b.json", std::nullopt}};
  choices.left_out = "skipped links and devices: 2";
  CHECK(kino::choices_text(choices) ==
        "   1.50 kB  r.zip#a.json\n            r.zip#b\\x1B.json\n(skipped links and devices: 2)\n");
}

TEST_CASE("an empty trace without a load time is valid JSON without division by zero") {
  kino::OpenedTrace opened = opened_with(std::make_shared<kino::Trace>());
  opened.stats.seconds = 0;
  CHECK(Json::parse(kino::info_json("a.json", opened, 0))["load"]["mb_per_s"] == 0);
  CHECK_FALSE(kino::info_text("a.json", opened, 0).empty());
}

TEST_CASE("the text of info names the file, tracks, their contents and the damage") {
  auto trace = small_trace();
  trace->damage.add(DamageReason::truncated_file, 99, "", 1);
  const std::string text = kino::info_text("dir/a.json", opened_with(trace), 4096);
  for (const char* part :
       {"dir/a.json", "GPU 0 · Test", "stream 7", "compute, copy", "9 slices", "first at byte 99"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("notes on reading a file are listed separately from its damage") {
  auto trace = small_trace();
  trace->counts[kino::EventType::complete] = 1234;
  trace->damage.add(DamageReason::unclosed_array, 99, "");
  trace->damage.add(DamageReason::time_in_ns, 5, "{}", 7);
  const std::string text = kino::info_text("a.json", opened_with(trace), 0);
  CHECK(text.find("Damage      none\nInterpretation\n") != std::string::npos);
  CHECK(text.find("all events were read (" + kino::grouped(trace->counts.total()) + "), at byte 99") !=
        std::string::npos);
  const Json json = Json::parse(kino::info_json("a.json", opened_with(trace), 0));
  CHECK(json["damage"].empty());
  CHECK(json["reading_notes"].size() == 2);
  CHECK_FALSE(kino::truncation_sentence(trace->damage).has_value());
}

TEST_CASE("the text of info contains no control character from the file") {
  auto trace = small_trace();
  trace->tracks[0].name = "a\x1b[31mb\nc";
  trace->processes[0].title = "\x07";
  trace->job.device_names = {"\x1b]0;x\x07"};
  trace->damage.add(DamageReason::unreadable_event, 0, "\x1b[2J", 1);
  const std::string text = kino::info_text("\x1b.json", opened_with(trace), 0);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
}

TEST_CASE("reports a rank that only appears in names of processes or threads") {
  const auto trace = small_trace();
  trace->job.rank = -1;
  const auto text = [&] { return kino::info_text("a.json", opened_with(trace), 0); };
  CHECK(text().find("Rank        not in the file\n") != std::string::npos);
  trace->processes[0].title = "trainer_rank_3_system";
  CHECK(text().find("not in the header; a process or thread is named rank 3\n") != std::string::npos);
  trace->tracks[0].name = "thread 7 (MPI Rank 12)";
  CHECK(text().find("processes or threads are named ranks 3, 12\n") != std::string::npos);
  trace->processes[0].title = "crank 5";
  trace->tracks[0].name = "ranking 6";
  CHECK(text().find("Rank        not in the file\n") != std::string::npos);
}

TEST_CASE("lists the first twenty of many tracks and counts the rest") {
  auto trace = small_trace();
  for (int i = 0; i < 1000; ++i) trace->tracks.push_back(trace->tracks[0]);
  const std::string text = kino::info_text("a.json", opened_with(trace), 0);
  CHECK(text.find("and 981 more") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') < 60);
}

TEST_CASE("names from the file neither control nor flood the terminal") {
  const auto trace = small_trace();
  const std::string hostile = "%s%n##x\x1b[31m\u202e";
  trace->processes[0].title = hostile + std::string(1'000'000, 'P');
  trace->tracks[0].name = std::string(1'000'000, 'T') + hostile;
  trace->tracks[0].contents = hostile;
  trace->job.rank = 0;
  trace->job.backend = hostile;
  trace->job.device_names = {hostile};
  trace->damage.add(DamageReason::unreadable_event, 7, hostile);
  const kino::OpenedTrace opened = opened_with(trace);
  const std::string text = kino::info_text("/tmp/" + hostile, opened, 1);
  CHECK(text.size() < 4000);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\u202e") == std::string::npos);
  CHECK(text.find("%s%n##x\\x1B[31m") != std::string::npos);
  CHECK(text.find("TTT…") != std::string::npos);
  const std::string json = kino::info_json("/tmp/" + hostile, opened, 1);
  CHECK(json.find('\x1b') == std::string::npos);
  CHECK(Json::parse(json)["damage"][0]["sample"] == hostile);
}

TEST_CASE("reports missing launches instead of a share") {
  kino::EventFixture events;
  events.kernel("gemm", 0, 100);
  const std::string text = kino::info_text("a.json", opened_with(events.build()), 0);
  CHECK_MESSAGE(text.find("the trace contains no launches") != std::string::npos, text);
  CHECK(text.find("% of launches") == std::string::npos);
  events.op("launches in a way of its own", 0, 50).kernel("gemm", 60, 100);
  CHECK(kino::info_text("a.json", opened_with(events.build()), 0)
            .find("no call in the trace is a known launch") != std::string::npos);
}

TEST_CASE("launches without any GPU work in the trace are counted, and the missing GPU side is named") {
  kino::EventFixture events;
  events.launch(0, 5, 1).launch(10, 5, 2);
  const auto trace = events.build();
  const std::string text = kino::info_text("a.json", opened_with(trace), 0);
  CHECK_MESSAGE(text.find("0.0 % of launches are linked to GPU work") != std::string::npos, text);
  CHECK(text.find("2  launches without GPU work, of 2") != std::string::npos);
  CHECK(text.find("the GPU side of the recording is missing") != std::string::npos);
  const Json json = Json::parse(kino::info_json("a.json", opened_with(trace), 0));
  CHECK(json["covered_launches"] == 0.0);
  CHECK(json["launches"]["count"] == 2);
  CHECK(json["launches"]["without_gpu_work"] == 2);
  CHECK(json["launches"]["gpu_side_missing"] == true);
}

TEST_CASE("two steps have a mean, three steps also a median") {
  kino::EventFixture events;
  const auto text_with = [&](int steps) {
    for (int i = 0; i < steps; ++i)
      events.op("ProfilerStep#" + std::to_string(i), i * 1000, 100 + 100 * i * i);
    return kino::info_text("a.json", opened_with(events.build()), 0);
  };
  const std::string two = text_with(2);
  CHECK_MESSAGE(two.find("2, the mean 150 ns\n") != std::string::npos, two);
  const std::string three = text_with(3);
  CHECK_MESSAGE(three.find("3, the mean 267 ns, the median 200 ns") != std::string::npos, three);
}

TEST_CASE("the JSON of info has the content of its text: job, GPUs, tracks and steps") {
  auto trace = small_trace();
  trace->job.rank = 3;
  trace->job.world_size = 8;
  trace->job.backend = "nccl";
  trace->job.device_names = {"NVIDIA H100"};
  const Json json = Json::parse(kino::info_json("a.json", opened_with(trace), 0));
  CHECK(json["world_size"] == 8);
  CHECK(json["backend"] == "nccl");
  REQUIRE(json["gpus"].size() == 1);
  CHECK(json["gpus"][0]["title"] == "GPU 0 · Test");
  CHECK(json["devices"][0]["name"] == "NVIDIA H100");
  REQUIRE(json["track_list"].size() == 1);
  CHECK(json["track_list"][0]["name"] == "stream 7");
  CHECK(json["track_list"][0]["kind"] == "gpu_stream");
  CHECK(json["track_list"][0]["slices"] == 9);
  CHECK(json["track_list"][0]["contents"] == "compute, copy");
  CHECK(json["steps"].is_array());
  CHECK(json["median_step_ns"].is_null());
  CHECK(json["covered_launches"].is_null());
  CHECK(json.contains("covered_gpu_time"));
  const Json none = Json::parse(kino::info_json("a.json", opened_with(small_trace()), 0));
  CHECK(none["world_size"].is_null());
  CHECK(none["backend"].is_null());
  CHECK(none["steps"].empty());
}

TEST_CASE("the counts of events by type add up to the total, including end events and async steps") {
  auto trace = small_trace();
  trace->counts = {};
  trace->counts[kino::EventType::begin] = 2;
  trace->counts[kino::EventType::end] = 2;
  trace->counts[kino::EventType::async] = 5;
  trace->counts[kino::EventType::flows] = 3;
  trace->paired_slices = 2;
  trace->async_slices = 2;
  trace->instants.time_ns = kino::Column<std::int64_t>(1);
  const std::string text = kino::info_text("a.json", opened_with(trace), 0);
  for (const char* part :
       {"Events      12\n", "\n   2  slices\n", "\n   2  ends of these slices\n", "\n   2  async slices\n",
        "\n   2  ends of these async slices\n",
        "\n   1  async step, or async end without a begin, shown as an instant\n", "\n   3  flow events\n"}) {
    CAPTURE(part);
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  }
}

TEST_CASE("threads with the same name have their id in the list of tracks") {
  auto trace = small_trace();
  trace->tracks.push_back(trace->tracks[0]);
  trace->tracks[0].tid = "17";
  trace->tracks[1].tid = "18";
  const std::string text = kino::info_text("a.json", opened_with(trace), 0);
  CHECK(text.find("stream 7 (17)") != std::string::npos);
  CHECK(text.find("stream 7 (18)") != std::string::npos);
}

TEST_CASE("slices that overlap are listed once") {
  kino::EventFixture events;
  events.op("a", 0, 100).op("b", 50, 100);
  const auto trace = events.build();
  CHECK(trace->damage.count(DamageReason::overlap_spilled) == 1);
  const std::string text = kino::info_text("a.json", opened_with(trace), 0);
  CHECK_MESSAGE(text.find("Damage      none") != std::string::npos, text);
  CHECK_MESSAGE(text.find("slice that overlaps its neighbors") != std::string::npos, text);
}
