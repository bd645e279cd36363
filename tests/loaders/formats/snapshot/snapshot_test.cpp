// Covers: snapshot_loader, snapshot_assembler, snapshot_model, snapshot_rows, snapshot_json,
//   html_snapshot, snapshot_formats, plain_tree, growing_stream, snapshot_summary
// Snapshots of every form have the same model: protocols 0 to 5, C++ style, JSON, HTML, compressed,
// truncated.
#include <cstdio>
#include <cstdlib>
#include <regex>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_categories.hpp"
#include "loaders/formats/snapshot/snapshot_loader.hpp"
#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using namespace std::string_literals;
using kino::AllocationOrigin;
using kino::DamageReason;
using kino::Error;
using kino::MemoryCurve;
using kino::OpenedSnapshot;
using kino::Result;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::SnapshotDevice;
using kino::SnapshotSource;
using kino_test::TemporaryFolder;

const std::filesystem::path kSeeds = std::filesystem::path(KINETOSCOPE_SOURCE) / "tests/fuzz/seeds";
constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kLarge = 5242881;

Result<OpenedSnapshot> open(const std::filesystem::path& path) {
  kino::OpenOptions options;
  options.cache_directory = std::filesystem::temp_directory_path();
  kino::LoadProgress progress;
  return kino::open_snapshot(path, options, progress, {});
}

/// The snapshot of the seeds in any form.
void check_seed(const Snapshot& snapshot) {
  CHECK(snapshot.damage.empty());
  REQUIRE(snapshot.devices.size() == 1);
  const SnapshotDevice& device = snapshot.devices[0];
  CHECK(device.ordinal == 0);
  REQUIRE(device.entries.entry_count() == 12);
  CHECK(device.entries.action[0] == SnapshotAction::alloc);
  CHECK(device.entries.addr[0] == kBase + 1024);
  CHECK(device.entries.time_us[0] == 1700000000000010);
  CHECK(snapshot.streams[device.entries.stream[10]] == 1534455456);
  CHECK(device.entries.stack[11] == kino::kNoStack);
  CHECK(device.entries.action[9] == SnapshotAction::oom);
  CHECK(device.entries.addr[9] == 1000);
  CHECK(snapshot.text(snapshot.notes[device.entries.note[0]].compile_context) == "N/A");
  CHECK(snapshot.text(snapshot.notes[device.entries.note[6]].user_metadata) == "weights");
  CHECK(snapshot.text(snapshot.notes[device.entries.note[8]].forward_frames) == "a.py:1:f\nb.py:2:g");

  const auto frames = snapshot.stacks.frames(device.entries.stack[0]);
  REQUIRE(frames.size() == 2);
  CHECK(kino::text_of(snapshot, frames[0]) == "/home/me/model.py:7:forward");
  CHECK(device.entries.stack[4] == device.entries.stack[0]);
  const kino::StackId other = device.entries.stack[6];
  CHECK(snapshot.frame(snapshot.stacks.frames(other)[0]).line == -1);
  CHECK(kino::text_of(snapshot, kino::user_frame(snapshot, other)) == "/home/me/train.py:3:main");
  CHECK(snapshot.stacks.frame_count() == 3);
  CHECK(snapshot.stacks.stack_count() == 3);

  REQUIRE(device.segments.size() == 2);
  CHECK(device.segments[0].small);
  CHECK(device.segments[0].requested == 1412);
  REQUIRE(device.segments[0].block_count == 6);
  CHECK(device.blocks[2].requested == 300);
  CHECK(device.blocks[3].requested == 0);  // an inactive block describes its last allocation
  CHECK(device.blocks[6].state == kino::BlockState::pending_free);

  const kino::AllocationHistory& history = device.history;
  CHECK(history.allocations.count() == 6);
  CHECK(history.allocations.origin[0] == AllocationOrigin::ghost);
  CHECK(history.allocations.origin[1] == AllocationOrigin::freed_only);
  CHECK(history.curve(MemoryCurve::requested).start == 1012);
  CHECK(history.curve(MemoryCurve::requested).peak.bytes == 1412 + kLarge);
  CHECK(history.curve(MemoryCurve::requested).peak.event == 8);
  CHECK(history.curve(MemoryCurve::reserved).start == 2 << 20U);
  CHECK(history.curve(MemoryCurve::reserved).peak.event == 7);
  CHECK(device.trust.residual_bytes == 0);
  CHECK(device.trust.not_in_segments == 0);
  CHECK(device.trust.entries_without_stack == 0);

  const kino::AllocatorLayout layout = kino::layout_at(device, 11);
  REQUIRE(layout.segments.size() == 2);
  REQUIRE(layout.blocks.size() == device.blocks.size());
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    CHECK(layout.blocks[i].addr == device.blocks[i].addr);
    CHECK(layout.blocks[i].size == device.blocks[i].size);
    CHECK(layout.blocks[i].requested == device.blocks[i].requested);
  }

  REQUIRE(snapshot.annotations.size() == 2);
  CHECK(snapshot.text(snapshot.annotations[0].name) == "step");
  CHECK(snapshot.annotations[0].start);
  CHECK_FALSE(snapshot.annotations[1].start);
  CHECK(snapshot.setting("max_split_size") == "-1");
  CHECK(snapshot.setting("garbage_collection_threshold") == "0.5");
  CHECK(snapshot.setting("roundup_power2_divisions") == "1: 0, 2: 0");
}

const std::vector<const char*> kPickles{"snapshot_protocol0.pickle", "snapshot_protocol1.pickle",
                                        "snapshot_protocol2.pickle", "snapshot_protocol3.pickle",
                                        "snapshot_protocol4.pickle", "snapshot_protocol5.pickle",
                                        "snapshot_cpp.pickle",       "snapshot_ordered_dict.pickle"};

TEST_CASE("the same snapshot is read from every protocol and style") {
  for (const char* const name : kPickles) {
    CAPTURE(name);
    const auto opened = open(kSeeds / name);
    REQUIRE(opened.ok());
    CHECK(opened.value().snapshot->source == SnapshotSource::pickle);
    check_seed(*opened.value().snapshot);
  }
}

TEST_CASE("the same snapshot is read from JSON and from a page of memory_viz") {
  const auto json = open(kSeeds / "snapshot.json");
  REQUIRE(json.ok());
  CHECK(json.value().snapshot->source == SnapshotSource::json);
  check_seed(*json.value().snapshot);
  const auto html = open(kSeeds / "snapshot.html");
  REQUIRE(html.ok());
  CHECK(html.value().snapshot->source == SnapshotSource::html);
  check_seed(*html.value().snapshot);
}

TEST_CASE("the content determines the format, never the name, and containers open as for traces") {
  const TemporaryFolder folder;
  const std::string pickle = kino_test::file_content(kSeeds / "snapshot_protocol4.pickle");
  for (const auto& path :
       {folder.write("snapshot.json", pickle), folder.write("a.gz", kino_test::gzip(pickle)),
        folder.write("b.txt", kino_test::gzip(kino_test::file_content(kSeeds / "snapshot.json")))}) {
    const auto opened = open(path);
    REQUIRE(opened.ok());
    check_seed(*opened.value().snapshot);
  }
  const TemporaryFolder only;
  only.write("memory.pickle", pickle);
  only.write("notes.txt", "hello");
  const auto opened = open(only.path());
  REQUIRE(opened.ok());
  check_seed(*opened.value().snapshot);
  kino::LoadProgress progress;
  const auto file = kino::open_file(only.path(), {}, progress, {});
  REQUIRE(file.ok());
  CHECK(std::holds_alternative<OpenedSnapshot>(file.value()));
}

TEST_CASE("a bare list of segments, as torch 1.13 writes it, has blocks and no entries") {
  const auto opened = open(kSeeds / "snapshot_1.13.pickle");
  REQUIRE(opened.ok());
  REQUIRE(opened.value().snapshot->devices.size() == 1);
  const SnapshotDevice& device = opened.value().snapshot->devices[0];
  CHECK(device.entries.entry_count() == 0);
  CHECK(device.history.allocations.count() == 4);
  CHECK(device.history.curve(MemoryCurve::requested).peak.bytes == 1412 + kLarge);
  CHECK(device.blocks[2].addr == kBase + 1024);  // sum from the start of the segment
  CHECK(device.blocks[2].requested == 300);
}

TEST_CASE("a memory timeline of levels becomes allocations with the same sums") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write(
      "timeline.json",
      "[[1000, 2000, 3000, 4000], [[0, 100, 0, 0, 0, 0, 0, 0, 7], [0, 100, 50, 0, 0, 0, 0, 0, 7],"
      " [0, 100, 20, 0, 0, 0, 0, 0, 0], [0, 250, 0, 0, 0, 0, 0, 0, 0]]]");
  const auto opened = open(path);
  REQUIRE(opened.ok());
  const kino::Snapshot& snapshot = *opened.value().snapshot;
  CHECK(snapshot.source == SnapshotSource::memory_timeline);
  CHECK(snapshot.damage.entries().empty());
  REQUIRE(snapshot.devices.size() == 1);
  const kino::SnapshotDevice& device = snapshot.devices[0];
  std::vector<std::uint64_t> sums;  // after the last event at each time
  for (const std::int64_t time_us : {1000, 2000, 3000, 4000})
    sums.push_back(
        kino::curve_at(device, kino::MemoryCurve::requested, kino::event_at_time(device, time_us)));
  CHECK(sums == std::vector<std::uint64_t>{107, 157, 120, 250});
  const auto& of = device.history.allocations;
  CHECK(of.size[0] == 100);
  CHECK(of.end[0] == kino::kNever);  // the lowest allocation remains
  CHECK(snapshot.text(snapshot.notes[device.entries.note[0]].category) == "parameter");
}

TEST_CASE("a raw memory timeline becomes allocations with categories") {
  const auto opened = open(kSeeds / "timeline.raw.json");
  REQUIRE(opened.ok());
  const Snapshot& snapshot = *opened.value().snapshot;
  CHECK(snapshot.source == SnapshotSource::memory_timeline);
  REQUIRE(snapshot.devices.size() == 1);
  const SnapshotDevice& device = snapshot.devices[0];
  CHECK(device.history.curve(MemoryCurve::requested).peak.bytes == 2512);
  // Memory at -1 precedes the recording and has no entry, so that all entries have times.
  REQUIRE(device.entries.entry_count() == 6);
  CHECK(device.history.curve(MemoryCurve::requested).start == 512);
  CHECK(device.history.allocations.origin[0] == kino::AllocationOrigin::freed_only);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 5) == 512);
  CHECK(device.entries.time_us[0] == 1700000000000000);
  const auto live = kino::live_at(device.history, 5);
  REQUIRE(live.size() == 1);
  const auto entry =
      static_cast<std::size_t>(device.history.allocations.begin[static_cast<std::size_t>(live[0])]);
  CHECK(snapshot.text(snapshot.notes[device.entries.note[entry]].category) == "temporary");
}

TEST_CASE("memory at -1 that is never freed precedes the recording, with its category") {
  const TemporaryFolder folder;
  const auto opened = open(folder.write("older.raw.json",
                                        "[[-1, 1, 512, 0], [-1, 1, 64, 1], [-1, 3, -64, 1], [-1, 3, 64, 5], "
                                        "[17000, 2, 100, 4], [18000, 4, -100, 4]]"));
  REQUIRE(opened.ok());
  const Snapshot& snapshot = *opened.value().snapshot;
  REQUIRE(snapshot.devices.size() == 1);
  const SnapshotDevice& device = snapshot.devices[0];
  CHECK(device.entries.entry_count() == 2);
  CHECK(device.history.curve(MemoryCurve::requested).start == 576);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 1) == 576);
  CHECK(device.trust.unseen_in_segments == 2);
  const auto made = kino::categorize(snapshot, 0, {}, kino::ByteUnits::decimal);
  REQUIRE(made.ok());
  std::map<std::string, std::uint64_t> bytes;
  for (const kino::AllocationId id : kino::live_at(device.history, kino::kBeforeRecording)) {
    const auto i = static_cast<std::size_t>(id);
    CHECK(device.history.allocations.begin[i] == kino::kBeforeRecording);
    bytes[made.value().name_of(i).str()] += device.history.allocations.size[i];
  }
  CHECK(bytes == std::map<std::string, std::uint64_t>{{"Parameters", 512}, {"Gradients", 64}});
}

TEST_CASE("the first time of a memory timeline occurs twice if memory precedes it") {
  const TemporaryFolder folder;
  const auto opened =
      open(folder.write("older.json",
                        "[[1000, 1000, 2000], [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 50, 0, 0, 0, 0, 0, 0],"
                        " [0, 100, 0, 0, 0, 0, 0, 0, 0]]]"));
  REQUIRE(opened.ok());
  const SnapshotDevice& device = opened.value().snapshot->devices.at(0);
  CHECK(device.history.curve(MemoryCurve::requested).start == 100);
  CHECK(device.entries.entry_count() == 2);
  CHECK(device.history.curve(MemoryCurve::requested).peak.bytes == 150);
}

TEST_CASE("a pickle truncated at any byte opens partially or reports an error" *
          doctest::test_suite("serial")) {
  const TemporaryFolder folder;
  for (const char* const name : kPickles) {
    CAPTURE(name);
    const std::string pickle = kino_test::file_content(kSeeds / name);
    std::size_t opened_ones = 0;
    std::size_t most = 0;
    for (std::size_t size = 2; size < pickle.size() - 1; ++size) {
      CAPTURE(size);
      const auto opened = open(folder.replace("cut", pickle.substr(0, size)));
      if (!opened.ok()) {
        REQUIRE_FALSE(opened.error().what.str().empty());
        continue;
      }
      const Snapshot& snapshot = *opened.value().snapshot;
      REQUIRE(snapshot.damage.count(DamageReason::truncated_file) == 1);
      ++opened_ones;
      for (const SnapshotDevice& device : snapshot.devices) {
        // Entries are complete, and never fewer than from a shorter file.
        if (device.entries.entry_count() == 0) continue;
        REQUIRE(device.entries.entry_count() >= most);
        most = device.entries.entry_count();
        REQUIRE(device.entries.addr[0] == kBase + 1024);
        for (const std::uint64_t bytes : device.entries.size.span()) REQUIRE(bytes > 0);
      }
    }
    CHECK(most == 12);
    CHECK(opened_ones > pickle.size() / 4);
  }
}

TEST_CASE("JSON truncated at any byte opens partially or reports an error") {
  const TemporaryFolder folder;
  const std::string json = kino_test::file_content(kSeeds / "snapshot.json");
  std::size_t most = 0;
  for (std::size_t size = 1; size < json.size(); size += 7) {
    CAPTURE(size);
    const auto opened = open(folder.replace("cut", json.substr(0, size)));
    if (!opened.ok()) {
      REQUIRE_FALSE(opened.error().what.str().empty());
      continue;
    }
    REQUIRE_FALSE(opened.value().snapshot->damage.empty());
    for (const SnapshotDevice& device : opened.value().snapshot->devices) {
      most = std::max(most, device.entries.entry_count());
      for (const std::uint64_t bytes : device.entries.size.span()) REQUIRE(bytes > 0);
    }
  }
  CHECK(most == 12);
}

TEST_CASE("data after a snapshot are reported with their offset, and the snapshot opens") {
  const TemporaryFolder folder;
  const std::string pickle = kino_test::file_content(kSeeds / "snapshot_protocol4.pickle");
  const std::string text = kino_test::file_content(kSeeds / "snapshot.json");
  const std::string json = text.substr(0, text.find_last_of('}') + 1);
  const std::string timeline = "[[-1, 1, 100, 0], [5, 1, 7, 2]]";
  struct Rest {
    std::string begin;
    std::string rest;
    std::uint64_t count;
    std::uint64_t first = 0;  // in `rest`
  };
  const std::vector<Rest> cases{{json, " " + json, 1, 1},
                                {json, "\n" + json + json + "[1]", 3, 1},
                                {json, " garbage {\nmore", 2, 1},
                                {json, "\n \n", 0},
                                {json, "{", 1},
                                {json, "}", 1},
                                {timeline, " x", 1, 1},
                                {pickle, pickle, 1},
                                {pickle, pickle + pickle + "garbage", 3},
                                {pickle, "garbage", 1},
                                {pickle, std::string(100, '\0'), 1}};
  for (const Rest& it : cases) {
    CAPTURE(it.rest.substr(0, 10));
    for (const std::string& content : {it.begin + it.rest, kino_test::gzip(it.begin + it.rest)}) {
      const auto opened = open(folder.write("snapshot", content));
      REQUIRE(opened.ok());
      const kino::DamageLog& damage = opened.value().snapshot->damage;
      CHECK(damage.count(DamageReason::trailing_data) == it.count);
      if (it.count > 0) {
        REQUIRE(damage.entries().size() == 1);
        CHECK(damage.entries()[0].first_offset == it.begin.size() + it.first);
        CHECK(damage.entries()[0].sample.starts_with(it.rest.substr(it.first, 5)));
      }
      REQUIRE_FALSE(opened.value().snapshot->devices.empty());
      CHECK(opened.value().snapshot->devices[0].entries.entry_count() >= 1);
    }
  }
}

TEST_CASE("a second list of traces is counted and reported with its offset") {
  const TemporaryFolder folder;
  const std::string entries = R"([[{"action": "alloc", "addr": 8, "size": 4, "stream": 0}]])";
  const std::string begin = R"({"segments": [], "device_traces": )" + entries + ", ";
  const auto opened = open(folder.write("twice", begin + R"("device_traces": )" + entries + "}"));
  REQUIRE(opened.ok());
  const Snapshot& snapshot = *opened.value().snapshot;
  CHECK(snapshot.devices[0].entries.entry_count() == 1);
  REQUIRE(snapshot.damage.entries().size() == 1);
  const kino::Damage& damage = snapshot.damage.entries()[0];
  CHECK(damage.reason == DamageReason::unreadable_event);
  CHECK(damage.count == 1);
  CHECK(damage.first_offset >= begin.size());
  CHECK(damage.first_offset <= begin.size() + 20);
}

TEST_CASE("a JSON snapshot with a string above 64 MiB is shown up to that string" *
          doctest::test_suite("serial")) {
  const TemporaryFolder folder;
  const auto json = [](std::size_t bytes) {
    return R"({"device_traces": [[{"action": "alloc", "addr": 8, "size": 4, "stream": 0}]], "other": ")" +
           std::string(bytes, 'x') + R"("})";
  };
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  const auto longest = open(folder.write("most", json(kMost)));
  REQUIRE(longest.ok());
  CHECK(longest.value().snapshot->damage.empty());
  const auto longer = open(folder.write("more", json(kMost + 1)));
  REQUIRE(longer.ok());
  CHECK(longer.value().snapshot->damage.count(DamageReason::unreadable_rest) == 1);
  CHECK(longer.value().snapshot->devices[0].entries.entry_count() == 1);
}

TEST_CASE("decompression of a snapshot that is a bomb stops, and its beginning is shown") {
  const TemporaryFolder folder;
  const std::string json = R"({"device_traces": [[{"action": "alloc", "addr": 8, "size": 4, "stream": 0},)" +
                           std::string(std::size_t{40} << 20U, ' ') + "]]}";
  for (const std::string& bomb : {kino_test::gzip(json, 9), kino_test::compressed("zstd", json)}) {
    const auto opened = open(folder.write("bomb", bomb));
    REQUIRE(opened.ok());
    const Snapshot& snapshot = *opened.value().snapshot;
    CHECK(snapshot.damage.count(DamageReason::spool_limit) == 1);
    CHECK(snapshot.devices[0].entries.entry_count() == 1);
  }
}

TEST_CASE("a truncated gzip is shown up to its end") {
  const TemporaryFolder folder;
  std::string packed = kino_test::gzip(kino_test::file_content(kSeeds / "snapshot_protocol4.pickle"), 0);
  packed.resize(packed.size() - 300);
  const auto opened = open(folder.write("cut.gz", packed));
  REQUIRE(opened.ok());
  CHECK(opened.value().snapshot->damage.count(DamageReason::truncated_gzip) == 1);
  CHECK(opened.value().snapshot->damage.count(DamageReason::truncated_file) == 1);
  CHECK_FALSE(opened.value().snapshot->devices.empty());
}

TEST_CASE("files without a snapshot are refused with a message") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\x80\x04N."s, "no allocator snapshot"},
      {"\x80\x04}."s, "no allocator snapshot"},
      {"\x80\x02]K\x01"s + "a.", "no allocator snapshot"},
      {"\x80\x04\x95"s, "ends before"},
      {"\x80\x04](cos\nsystem\n"s, "GLOBAL (os.system)"},
      {"<html>MemoryViz</html>", "contains no snapshot"},
      {"<html>MemoryViz \"base64\": \"!!\"</html>", "ends before"},
      {R"({"segments")", "cannot be read"},
      {R"([{"ph": "X", "ts": 1, "dur": 1, "name": "a"}])", "not a snapshot"},
      {"hello", "not JSON"},
  };
  for (const auto& [content, says] : cases) {
    CAPTURE(says);
    const auto opened = open(folder.write("refused", content));
    REQUIRE_FALSE(opened.ok());
    CAPTURE(opened.error().what.str());
    CHECK(opened.error().what.str().find(says) != std::string::npos);
  }
}

TEST_CASE("wrong types, unknown actions and huge numbers are shown as far as possible") {
  const TemporaryFolder folder;
  const auto opened =
      open(folder.write("odd", R"({"segments": [{"device": 0, "address": "x", "total_size": 1e300,
      "blocks": [{"state": 5, "size": []}, 7], "stream": {}}, null],
      "device_traces": [[{"action": "defragment", "addr": 99999999999999999999999, "size": -1, "frames": 3},
                         {"action": ["alloc"], "pool_id": [1, 2, 3]}, {"action": "alloc", "addr": 8, "size": 4,
                          "user_metadata": {"a": {"b": [1, 2]}}, "pool_id": [0, 7]}, 5], 7, {"a": 1}]})"));
  REQUIRE(opened.ok());
  const Snapshot& snapshot = *opened.value().snapshot;
  REQUIRE(snapshot.devices.size() == 1);
  const SnapshotDevice& device = snapshot.devices[0];
  REQUIRE(device.entries.entry_count() == 3);
  CHECK(device.entries.action[0] == SnapshotAction::unknown);
  CHECK(snapshot.damage.count(DamageReason::unknown_action) == 2);
  CHECK(snapshot.damage.count(DamageReason::number_out_of_range) > 0);
  CHECK(snapshot.damage.count(DamageReason::unreadable_event) > 0);
  CHECK(snapshot.pools[device.entries.pool[2]].user == 7);
  CHECK(snapshot.text(snapshot.notes[device.entries.note[2]].user_metadata) == "a: b: 1, 2");
}

TEST_CASE("a shared list is stored once, so that a small file does not become a large model") {
  const TemporaryFolder folder;
  // device_traces = [T, T, T], and a second device_traces with a part of the same entries.
  const std::string entry =
      "}(\x8c\x06"s + "action\x8c\x05" + "alloc\x8c\x04" + "addrK\x01\x8c\x04" + "sizeK\x02u";
  std::string pickle = "\x80\x04}(\x8c\x0d"s + "device_traces]("s + "](";
  constexpr std::size_t kEntries = 70'000;
  for (std::size_t i = 0; i < kEntries; ++i) pickle += entry + (i == 0 ? "q\x01"s : ""s);
  pickle += "eq\x00h\x00h\x00"s + "e\x8c\x0d" + "device_traces](](h\x01"s + "eeu.";
  const auto opened = open(folder.write("shared", pickle));
  REQUIRE(opened.ok());
  std::size_t entries = 0;
  for (const SnapshotDevice& device : opened.value().snapshot->devices)
    entries += device.entries.entry_count();
  CHECK(entries == kEntries);
  CHECK(opened.value().snapshot->damage.count(DamageReason::unreadable_event) > 0);
}

TEST_CASE("host memory is a separate device, after the others") {
  const TemporaryFolder folder;
  const auto opened = open(folder.write("host", R"({"segments": [], "device_traces": [[], [{"action": "alloc",
      "addr": 1, "size": 2, "stream": 0}]], "host_segments": [{"address": 4096, "size": 8192, "allocated": 1}],
      "host_traces": [[{"action": "alloc", "addr": 4096, "size": 100, "stream": 0}]]})"));
  REQUIRE(opened.ok());
  const auto& devices = opened.value().snapshot->devices;
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].ordinal == 1);
  CHECK_FALSE(devices[0].host);
  CHECK(devices[1].host);
  CHECK(devices[1].segments.size() == 1);
  CHECK(devices[1].segments[0].size == 8192);
  CHECK(devices[1].entries.entry_count() == 1);
}

TEST_CASE("a cancelled load returns cancelled") {
  kino::LoadProgress progress;
  std::stop_source stop;
  stop.request_stop();
  const auto opened =
      kino::open_snapshot(kSeeds / "snapshot_protocol4.pickle", {}, progress, stop.get_token());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().kind == Error::Kind::cancelled);
}

constexpr const char* kMaker = "../tools/make_snapshot.py";

/// Runs the generator that is beside the real files with these options.
bool make_snapshot(const std::filesystem::path& out, const std::string& options) {
  const std::filesystem::path tool = *kino_test::real_data(kMaker);
  const std::string command =
      "python3 -B '" + tool.string() + "' '" + out.string() + "' " + options + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c)
}

TEST_CASE("generated snapshots of every variant have the numbers of the simulated allocator" *
          doctest::test_suite("serial")) {
  if (!kino_test::real_data(kMaker)) return;
  const TemporaryFolder folder;
  const std::string common = "--entries 3000 --frames 3,9 --layers 3 ";
  for (const char* const variant : {"--format 2.12",
                                    "--format 2.0",
                                    "--format 2.1",
                                    "--format 2.3",
                                    "--format 2.6",
                                    "--format 2.14 --annotate",
                                    "--style cpp",
                                    "--style json",
                                    "--style cpp --big-addr --format 2.14",
                                    "--protocol 0",
                                    "--protocol 1",
                                    "--protocol 2",
                                    "--protocol 5",
                                    "--stream",
                                    "--expandable --empty-cache-every 2",
                                    "--expandable --style cpp --streams 3",
                                    "--pending --streams 3",
                                    "--oom --capacity-gib 6",
                                    "--private-pool --metadata",
                                    "--hide-params",
                                    "--empty-cache-every 1",
                                    "--free-order random",
                                    "--devices 3 --big-addr",
                                    "--share-strings --fixed-seq"}) {
    CAPTURE(variant);
    const auto path = folder.path() / "made.pickle";
    REQUIRE(make_snapshot(path, common + variant));
    const auto truth = nlohmann::json::parse(kino_test::file_content(path.string() + ".truth.json"));
    const auto opened = open(path);
    REQUIRE(opened.ok());
    CHECK(opened.value().snapshot->damage.empty());
    REQUIRE_FALSE(opened.value().snapshot->devices.empty());
    const SnapshotDevice& device = opened.value().snapshot->devices[0];
    REQUIRE(device.entries.entry_count() == truth["entries"]);
    const auto last = static_cast<kino::EventIndex>(device.entries.entry_count()) - 1;
    CHECK(kino::curve_at(device, MemoryCurve::requested, last) == truth["requested_at_end"]);
    CHECK(kino::curve_at(device, MemoryCurve::reserved, last) == truth["reserved_at_end"]);
    const kino::CurvePeak reserved = device.history.curve(MemoryCurve::reserved).peak;
    CHECK(reserved.bytes == truth["peaks"]["reserved"]["bytes"]);
    const kino::CurvePeak active = device.history.curve(MemoryCurve::requested).peak;
    CHECK(active.bytes == truth["peaks"]["requested"]["bytes"]);
    if (truth["dropped_oldest"] == 0 && !std::string(variant).starts_with("--hide")) {
      CHECK(active.event == truth["peaks"]["requested"]["event"]);
      CHECK(reserved.event == truth["peaks"]["reserved"]["event"]);
    }
    CHECK(device.trust.residual_bytes == 0);
    CHECK(device.trust.not_in_segments == 0);
    // The final layout is that of the file.
    const kino::Fragmentation parts = kino::fragmentation_of(kino::layout_at(device, last));
    const kino::SegmentSummary sum = kino::summarize_segments(device);
    CHECK(parts.reserved == sum.reserved);
    CHECK(parts.free == sum.inactive);
    CHECK(parts.largest_free == sum.largest_free_block);
    CHECK(parts.allocated + parts.pending == sum.active);
  }
}

TEST_CASE("a ring buffer without its oldest entries ends with the same numbers" *
          doctest::test_suite("serial")) {
  if (!kino_test::real_data(kMaker)) return;
  const TemporaryFolder folder;
  const auto whole_path = folder.path() / "whole.pickle";
  const auto cut_path = folder.path() / "cut.pickle";
  REQUIRE(
      make_snapshot(whole_path, "--entries 4000 --frames 3,9 --layers 3 --expandable --empty-cache-every 2"));
  REQUIRE(make_snapshot(
      cut_path,
      "--entries 4000 --frames 3,9 --layers 3 --expandable --empty-cache-every 2 --max-entries 1500"));
  const auto whole = open(whole_path);
  const auto cut = open(cut_path);
  REQUIRE((whole.ok() && cut.ok()));
  const SnapshotDevice& a = whole.value().snapshot->devices[0];
  const SnapshotDevice& b = cut.value().snapshot->devices[0];
  REQUIRE(b.entries.entry_count() == 1500);
  CHECK(b.trust.begins_late());
  const auto shift = static_cast<kino::EventIndex>(a.entries.entry_count() - 1500);
  for (kino::EventIndex event = 0; event < 1500; event += 7) {
    for (const MemoryCurve curve : {MemoryCurve::requested, MemoryCurve::reserved}) {
      REQUIRE(kino::curve_at(b, curve, event) == kino::curve_at(a, curve, event + shift));
    }
    REQUIRE(kino::live_at(b.history, event).size() == kino::live_at(a.history, event + shift).size());
    REQUIRE(kino::layout_at(b, event).segments.size() == kino::layout_at(a, event + shift).segments.size());
  }
}

}  // namespace
