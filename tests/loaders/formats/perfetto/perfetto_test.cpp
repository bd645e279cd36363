// Covers: perfetto_format, perfetto_transcript, perfetto_events, packet_stream, packet_readers,
//   packet_decoder, compressed_packets, argument_values, slice_pairing, transcript, data_quality_report
// Perfetto traces made from a Kineto trace equal it, and damage is counted.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/base/ascii.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "loaders/formats/perfetto/perfetto_format.hpp"
#include "tests/fixtures/archive_files.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/range_tables.hpp"
#include "tests/fixtures/same_trace.hpp"

namespace perfetto_files {
namespace {

using kino::contains;

// ---- A writer of protobuf: field and value.
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value > 127; value >>= 7U) out += static_cast<char>(value | 128U);
  return out + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) { return varint(field << 3U) + varint(value); }
std::string bytes(unsigned field, const std::string& value) {
  return varint(field << 3U | 2U) + varint(value.size()) + value;
}
std::string packet(const std::string& content) { return bytes(1, content); }
std::string event(unsigned type, std::uint64_t time, const std::string& more) {
  return packet(number(8, time) + number(10, 1) + bytes(11, number(9, type) + number(11, 5) + more));
}
std::string name(const std::string& text) { return bytes(23, text); }
std::string thread_track() {
  return packet(bytes(60, number(1, 5) + bytes(4, number(1, 100) + number(2, 7) + bytes(5, "worker"))));
}

std::shared_ptr<const kino::Trace> read(const std::string& content) {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("a.pftrace", content));
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  return opened.value().trace;
}

std::int64_t duration_of(const kino::Trace& trace, std::string_view wanted) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(kino::SliceId{i}) == wanted) return trace.slices.duration_ns[i];
  }
  FAIL("there is no such slice");
  return -1;
}

/// Returns all cells of the tables of a GPU trace, without examples, which depend on the order of tracks.
std::string tables_of(const kino::Trace& trace) {
  std::string text;
  for (const char* const table :
       {"kernels", "api", "copies", "cuda_gpu_kern_sum", "cuda_api_sum", "cuda_gpu_mem_time_sum",
        "cuda_gpu_mem_size_sum", "operators", "annotations", "breakdown", "launch"}) {
    kino::TableRequest request;
    request.name = table;
    auto made = kino::compute_table(kino::RangeAnalyses(trace), request);
    REQUIRE(made.ok());
    kino::Table of = std::move(made).value();
    of.links.clear();
    text += kino_test::text_of(of);
  }
  return text;
}

}  // namespace

TEST_CASE("a Perfetto trace made from a Kineto trace has its tables, plain and deflated") {
  const auto json =
      kino_test::real_data("kineto/hta/simple_add_output__overlaid_critical_path_trace.json.gz");
  const auto golden_path = kino_test::real_data("pftrace/made_from_hta_trace.pftrace.golden.json");
  if (!json || !golden_path) return;
  const auto wanted = kino_test::open(*json);
  REQUIRE(wanted.ok());
  const auto golden = nlohmann::json::parse(kino_test::file_content(*golden_path));
  for (const char* const name_of_file :
       {"made_from_hta_trace.pftrace", "made_from_hta_trace_deflate.pftrace"}) {
    const auto path = kino_test::real_data(std::string("pftrace/") + name_of_file);
    REQUIRE(path.has_value());
    const auto opened = kino_test::open(*path);
    REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
    const kino::Trace& trace = *opened.value().trace;
    CHECK_FALSE(trace.damage.drops_events());
    CHECK(trace.slice_count() == golden["slices"].get<std::size_t>());
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < trace.slice_count(); ++i) sum += trace.slices.duration_ns[i];
    CHECK(sum == golden["sum_dur_ns"].get<std::int64_t>());
    // Only the name of the GPU is missing.
    std::string tables = tables_of(*wanted.value().trace);
    const std::string device = " · " + wanted.value().trace->job.device_names.at(0);
    for (std::size_t at = tables.find(device); at != std::string::npos; at = tables.find(device))
      tables.erase(at, device.size());
    CHECK(tables_of(trace) == tables);
  }
}

TEST_CASE("a trace with only clock snapshots opens, and is empty") {
  const auto path = kino_test::real_data("pftrace/QmlJuliaExamples_trace.pftrace");
  if (!path) return;
  const auto opened = kino_test::open(*path);
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  CHECK(opened.value().trace->slice_count() == 0);
}

TEST_CASE("an end closes the slice opened last on its track, in order of time") {
  const auto trace = read(thread_track() + event(1, 10, name("outer")) + event(1, 20, name("inner")) +
                          event(2, 25, "") + event(2, 40, ""));
  CHECK(duration_of(*trace, "outer") == 30);
  CHECK(duration_of(*trace, "inner") == 5);
}

TEST_CASE("reads packets compressed with zstd, and counts a broken group") {
  const std::string plain =
      thread_track() + event(1, 10, name("outer")) + event(1, 20, name("inner")) + event(2, 25, "");
  const std::string group = kino_test::compressed("zstd", plain);
  const auto trace = read(packet(bytes(133, group)) + event(2, 40, ""));
  CHECK(duration_of(*trace, "outer") == 30);
  CHECK(duration_of(*trace, "inner") == 5);
  CHECK(trace->damage.total() == 0);
  const auto broken = read(packet(bytes(133, group.substr(0, group.size() / 2))) + thread_track() +
                           event(1, 50, name("later")) + event(2, 60, ""));
  CHECK(duration_of(*broken, "later") == 10);
  CHECK(broken->damage.count(kino::DamageReason::unreadable_event) > 0);
}

TEST_CASE("pairs all begins and then all ends by position, and notes differences to Perfetto") {
  // Two kernels that overlap: a stack would give the first the end of the second.
  const auto trace =
      read(thread_track() + event(1, 10, name("first")) + event(1, 100, name("later")) +
           event(1, 15, name("second")) + event(2, 20, "") + event(2, 110, "") + event(2, 30, ""));
  CHECK(duration_of(*trace, "first") == 10);
  CHECK(duration_of(*trace, "second") == 15);
  CHECK(duration_of(*trace, "later") == 10);
  bool noted = false;
  for (const kino::Message& note : kino::data_quality_report(*trace).notes)
    noted = noted || note.str().starts_with("2 slices overlap");
  CHECK(noted);
}

TEST_CASE("has no note if both rules agree, and pairs ends in another order by track") {
  const auto notes_of = [](const kino::Trace& trace) {
    std::string notes;
    for (const kino::Message& note : kino::data_quality_report(trace).notes) notes += note.str() + "\n";
    return notes;
  };
  const auto nested = read(thread_track() + event(1, 10, name("outer")) + event(1, 20, name("inner")) +
                           event(2, 40, "") + event(2, 25, ""));
  CHECK(duration_of(*nested, "outer") == 30);
  CHECK(duration_of(*nested, "inner") == 5);
  CHECK(notes_of(*nested).find("overlap") == std::string::npos);
  // If the inner slice is empty, a stack would give its end to the outer slice.
  const auto empty = read(thread_track() + event(1, 10, name("outer")) + event(1, 20, name("inner")) +
                          event(2, 40, "") + event(2, 20, ""));
  CHECK(duration_of(*empty, "outer") == 30);
  CHECK(duration_of(*empty, "inner") == 0);
  CHECK(notes_of(*empty).find("2 slices overlap") != std::string::npos);
  const auto on = [](unsigned type, std::uint64_t time, unsigned track, const std::string& more) {
    return packet(number(8, time) + number(10, 1) + bytes(11, number(9, type) + number(11, track) + more));
  };
  const auto swapped = read(thread_track() + on(1, 10, 5, name("a")) + on(1, 5, 6, name("b")) +
                            on(2, 12, 6, "") + on(2, 30, 5, "") + on(2, 31, 5, ""));
  CHECK(duration_of(*swapped, "a") == 20);
  CHECK(duration_of(*swapped, "b") == 7);
  CHECK(swapped->damage.count(kino::DamageReason::end_without_begin) == 1);
}

TEST_CASE("arguments are equal whether their name precedes or follows the value") {
  const std::string text = bytes(6, "a \"text\"");
  const std::string list = bytes(12, number(4, 2)) + bytes(12, bytes(6, "two"));
  const std::string arguments =
      bytes(4, bytes(10, "before") + text) + bytes(4, text + bytes(10, "the name behind the \"text\"")) +
      bytes(4, bytes(10, "list") + list) + bytes(4, list + bytes(10, "the name behind the \"list\"")) +
      bytes(4, number(3, 0xffffffffffffffffU) + bytes(10, "the \"largest\"")) +
      bytes(4, bytes(10, "yes") + number(2, 1)) + bytes(4, bytes(10, "nothing"));
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(
      folder.write("a.pftrace", thread_track() + event(1, 10, name("a") + arguments) + event(2, 20, "")));
  REQUIRE(opened.ok());
  const kino::TextSource& source = *opened.value().text;
  const auto json = nlohmann::json::parse(source.read_text(0, source.size_bytes()).value());
  const nlohmann::ordered_json wanted = {{"before", "a \"text\""},
                                         {"the name behind the \"text\"", "a \"text\""},
                                         {"list", {2, "two"}},
                                         {"the name behind the \"list\"", {2, "two"}},
                                         {"the \"largest\"", 0xffffffffffffffffU},
                                         {"yes", true},
                                         {"nothing", nullptr}};
  CHECK(json["traceEvents"][0]["args"] == nlohmann::json(wanted));
}

TEST_CASE("leaves out arguments of an event beyond 16 MiB, and reports that") {
  const std::string long_text(std::size_t{17} << 20U, 'x');
  const std::string arguments = bytes(4, bytes(10, "first") + number(4, 1)) +
                                bytes(4, bytes(10, "long") + bytes(6, long_text)) +
                                bytes(4, bytes(10, "last") + number(4, 3));
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(
      folder.write("a.pftrace", thread_track() + event(1, 10, name("a") + arguments) + event(2, 20, "")));
  REQUIRE(opened.ok());
  CHECK(opened.value().text->size_bytes() < long_text.size());
  CHECK(kino::data_quality_report(*opened.value().trace).notes.front() ==
        "Arguments beyond 16 MiB are not shown for 1 event.");
}

TEST_CASE("nested texts use the tables of their sequence at that packet") {
  const auto table = [](const std::string& member, const std::string& text) {
    return packet(
        number(10, 1) + number(13, 1) +
        bytes(12, bytes(3, number(1, 1) + bytes(2, member)) + bytes(29, number(1, 2) + bytes(2, text))));
  };
  const std::string deep = bytes(4, bytes(10, "deep") + bytes(11, number(1, 1) + bytes(12, number(17, 2)) +
                                                                      bytes(12, number(4, 3)))) +
                           bytes(4, bytes(10, "flat") + number(17, 2));
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write(
      "a.pftrace", thread_track() + table("m", "one") + event(1, 10, name("a") + deep) + event(2, 20, "") +
                       table("n", "two \"2\"") + event(1, 30, name("b") + deep) + event(2, 40, "")));
  REQUIRE(opened.ok());
  const std::string text = opened.value().text->read_text(0, opened.value().text->size_bytes()).value();
  CHECK(text.find(R"("args":{"deep":{"m":["one",3]},"flat":"one"})") != std::string::npos);
  CHECK(text.find(R"("args":{"deep":{"n":["two \"2\"",3]},"flat":"two \"2\""})") != std::string::npos);
}

TEST_CASE("arguments of an end belong to its slice, with both rules of pairing") {
  const auto told = [](const std::string& key, std::uint64_t value) {
    return bytes(4, bytes(10, key) + number(4, value));
  };
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write(
      "a.pftrace",
      // The first events are sorted by time and therefore paired by stack. Then two begins precede two
      // ends, which are paired by position.
      thread_track() + event(1, 10, name("outer") + told("x", 1)) + event(1, 20, name("inner")) +
          event(1, 24, name("last")) + event(2, 25, told("read", 6)) + event(2, 25, told("read", 7)) +
          event(2, 40, told("read", 8)) + event(1, 100, name("p")) + event(1, 50, name("q")) +
          event(2, 110, told("read", 9)) + event(2, 60, "")));
  REQUIRE(opened.ok());
  const auto json =
      nlohmann::json::parse(opened.value().text->read_text(0, opened.value().text->size_bytes()).value());
  std::map<std::string, nlohmann::json> arguments;
  for (const auto& it : json["traceEvents"]) {
    if (it["ph"] == "X") arguments[it["name"]] = it.value("args", nlohmann::json());
  }
  CHECK(arguments["outer"] == nlohmann::json({{"x", 1}, {"read", 8}}));
  CHECK(arguments["last"] == nlohmann::json({{"read", 6}}));
  CHECK(arguments["inner"] == nlohmann::json({{"read", 7}}));
  CHECK(arguments["p"] == nlohmann::json({{"read", 9}}));
  CHECK(arguments["q"].is_null());
  CHECK(duration_of(*opened.value().trace, "q") == 10);
}

TEST_CASE("a trace is equal for any number of threads, plain and compressed") {
  // Names are repeated every 50 events, so a block's events need names of earlier blocks.
  std::string plain = thread_track();
  std::string grouped;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::string part;
    if (i % 50 == 0)
      part += packet(number(10, 1) + number(13, i % 100 == 0 ? 1 : 2) +
                     bytes(12, bytes(2, number(1, 1) + bytes(2, "gemm " + std::to_string(i)))));
    part += event(1, 10 * i, number(10, 1) + bytes(4, bytes(10, "grid") + bytes(12, number(4, i)))) +
            event(2, 10 * i + 5, "");
    if (i == 7777) part += packet(bytes(11, "\xff"));  // damaged
    plain += part;
    grouped += i % 500 == 0 ? packet(bytes(133, kino_test::compressed("zstd", part))) : part;
  }
  plain += packet(number(10, 1)).substr(0, 2);
  grouped = thread_track() + grouped;
  const kino_test::TemporaryFolder folder;
  for (const std::string* const content : {&plain, &grouped}) {
    const auto path = folder.replace("a.pftrace", *content);
    const auto one = kino_test::open(path, 1);
    REQUIRE(one.ok());
    CHECK(one.value().trace->slice_count() == 20'000);
    CHECK(one.value().trace->damage.count(kino::DamageReason::unreadable_event) == 1);
    const std::string text = one.value().text->read_text(0, one.value().text->size_bytes()).value();
    for (const unsigned threads : {2U, 8U}) {
      const auto several = kino_test::open(path, threads);
      REQUIRE(several.ok());
      CHECK(kino_test::difference(*one.value().trace, *several.value().trace, "trace") == "");
      CHECK(several.value().text->read_text(0, several.value().text->size_bytes()).value() == text);
    }
  }
}

TEST_CASE("reads a packet larger than a block, also if the file ends in it") {
  const std::string large(std::size_t{3} << 20U, 'x');
  const std::string whole = thread_track() + event(1, 10, name("a")) + event(2, 20, "") +
                            packet(number(10, 1) + bytes(200, large)) + event(1, 30, name("b")) +
                            event(2, 40, "");
  CHECK(duration_of(*read(whole), "b") == 10);
  const auto cut = read(whole.substr(0, whole.size() / 2));
  CHECK(duration_of(*cut, "a") == 10);
  CHECK(cut->damage.count(kino::DamageReason::truncated_file) == 1);
}

TEST_CASE(
    "distinguishes calls, kernels and ranges of an AMD GPU, although calls have the grid of their kernel") {
  const auto told = [](const char* key) { return bytes(4, bytes(10, key) + number(4, 1)); };
  const std::string stream =
      packet(bytes(60, number(1, 6) + bytes(4, number(1, 2) + number(2, 0) + bytes(5, "0"))));
  const auto on_stream = [](unsigned type, std::uint64_t time, const std::string& more) {
    return packet(number(8, time) + number(10, 1) + bytes(11, number(9, type) + number(11, 6) + more));
  };
  const auto trace =
      read(thread_track() + stream + event(1, 10, name("hipLaunchKernel") + told("cid") + told("grid")) +
           event(2, 12, "") + event(1, 14, name("range") + told("External id")) + event(2, 19, "") +
           on_stream(1, 20, name("range") + told("External id")) +
           on_stream(1, 20, name("gemm") + told("grid") + told("stream")) + on_stream(2, 25, "") +
           on_stream(1, 25, name("Memset (Device)") + told("stream")) + on_stream(2, 26, "") +
           on_stream(2, 27, ""));
  std::map<std::string, std::string> categories;
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
    const kino::SliceId it{i};
    categories[std::string(trace->name_of(it)) + " " + std::to_string(trace->slices.duration_ns[i])] =
        trace->category_text(trace->slices.category[i]);
  }
  CHECK(categories == std::map<std::string, std::string>{{"hipLaunchKernel 2", "cuda_runtime"},
                                                         {"range 5", "user_annotation"},
                                                         {"range 7", "gpu_user_annotation"},
                                                         {"gemm 5", "kernel"},
                                                         {"Memset (Device) 1", "gpu_memset"}});
}

TEST_CASE("traces of rocprofv3 have GPUs, streams, launches and copies") {
  const auto track = [](std::uint64_t id, const std::string& title) {
    return packet(bytes(60, number(1, id) + number(5, 1) + bytes(2, title)));
  };
  const auto slice = [](std::uint64_t on, std::uint64_t start, std::uint64_t end, const char* category,
                        const std::string& title, const std::string& more) {
    const auto part = [&](unsigned type, std::uint64_t time, const std::string& rest) {
      return packet(number(8, time) + number(10, 1) + bytes(11, number(9, type) + number(11, on) + rest));
    };
    return part(1, start, bytes(22, category) + name(title) + more) + part(2, end, "");
  };
  const auto told = [](const char* key, std::uint64_t value) {
    return bytes(4, bytes(10, key) + number(3, value));
  };
  const std::string process = packet(bytes(60, number(1, 1) + bytes(3, number(1, 100) + bytes(6, "python"))));
  const auto source = [](const char* agent) { return bytes(4, bytes(10, "src_agent") + bytes(6, agent)); };
  const auto trace =
      read(process + track(5, "THREAD 1 (7)") + track(6, "COMPUTE AGENT [2] STREAM [1] (GPU)") +
           track(7, "COPY to AGENT [2] STREAM [1] (GPU)") + track(8, "COPY to AGENT [0] STREAM [1] (CPU)") +
           slice(5, 10, 12, "hip_api", "hipLaunchKernel", told("corr_id", 41)) +
           slice(6, 20, 30, "kernel_dispatch", "gemm", told("corr_id", 41) + told("grid_size", 1024)) +
           slice(7, 31, 33, "memory_copy", "HOST_TO_DEVICE", told("copy_bytes", 512) + source("AGENT-0")) +
           slice(8, 34, 37, "memory_copy", "DEVICE_TO_HOST", told("copy_bytes", 64) + source("AGENT-2")));
  CHECK(kino::data_quality_report(*trace).notes.front() ==
        "GPUs are numbered as agents of rocprofv3. The first agents are processors.");
  const std::string tables = tables_of(*trace);
  CHECK(tables.find("GPU 2") != std::string::npos);
  CHECK(tables.find("GPU 0") == std::string::npos);
  std::map<std::string, kino::SliceKind> kinds;
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
    const kino::SliceId it{i};
    kinds[std::string(trace->name_of(it))] = trace->slices.kind[i];
    if (trace->name_of(it) != "gemm") continue;
    REQUIRE(trace->slices.link[i] != kino::kNoSlice);
    CHECK(trace->name_of(trace->slices.link[i]) == "hipLaunchKernel");
  }
  CHECK(kinds["gemm"] == kino::SliceKind::compute);
  CHECK(kinds["hipLaunchKernel"] == kino::SliceKind::runtime);
  CHECK(kinds["HOST_TO_DEVICE"] == kino::SliceKind::copy);
  CHECK(kinds["DEVICE_TO_HOST"] == kino::SliceKind::copy);
}

TEST_CASE("a track keeps fields that a later description lacks") {
  const std::string later = packet(bytes(60, number(1, 5) + number(5, 1)));
  const std::string process = packet(bytes(60, number(1, 1) + bytes(3, number(1, 100) + bytes(6, "python"))));
  const std::string same_process = packet(bytes(60, bytes(3, number(1, 100)) + number(1, 1)));
  const std::string renamed = packet(bytes(60, number(1, 5) + bytes(4, bytes(5, "loader"))));
  for (const std::string& again : {later, later + renamed}) {
    const auto trace =
        read(process + thread_track() + same_process + again + event(1, 10, name("a")) + event(2, 20, ""));
    const auto track =
        std::ranges::find(trace->tracks, "7", [](const kino::Track& it) { return it.tid.str(); });
    REQUIRE(track != trace->tracks.end());
    CHECK(trace->processes[track->process].pid == "100");
    CHECK(contains(trace->processes[track->process].title, "python"));
    CHECK(contains(track->name.str(), again == later ? "worker" : "loader"));
  }
  // The unit of a counter remains, too: 250 of 1,024 bytes.
  const std::string counter =
      packet(bytes(60, number(1, 8) + bytes(2, "copied") + bytes(8, number(4, 1024))));
  const std::string sample =
      packet(number(8, 10) + number(10, 1) + bytes(11, number(9, 4) + number(11, 8) + number(30, 250)));
  const auto trace = read(counter + packet(bytes(60, number(1, 8) + bytes(8, ""))) + sample);
  REQUIRE(trace->samples.value.size() == 1);
  CHECK(trace->samples.value[0] == 250 * 1024);
}

TEST_CASE("records of rocprofv3 name the GPU if their track does not") {
  const auto part = [](unsigned type, std::uint64_t on, std::uint64_t time, const std::string& rest) {
    return packet(number(8, time) + number(10, 1) + bytes(11, number(9, type) + number(11, on) + rest));
  };
  const auto told = [](const char* key, const char* value) {
    return bytes(4, bytes(10, key) + bytes(6, value));
  };
  const auto slice = [&](std::uint64_t on, std::uint64_t start, std::uint64_t end, const char* category,
                         const std::string& title, const std::string& more) {
    return part(1, on, start, bytes(22, category) + name(title) + more) + part(2, on, end, "");
  };
  const auto stream = [](std::uint64_t id, const char* title) {
    return packet(bytes(60, number(1, id) + number(5, 1) + bytes(2, title)));
  };
  const std::string process = packet(bytes(60, number(1, 1) + bytes(3, number(1, 100) + bytes(6, "app"))));
  const auto trace =
      read(process + stream(6, "STREAM [\" 1 \"] ") + stream(7, "STREAM [2]") + stream(8, "STREAM [x]") +
           slice(6, 20, 30, "kernel_dispatch", "gemm", told("agent", "Agent-4")) +
           slice(7, 21, 24, "kernel_dispatch", "gemm", told("agent", "Agent-5")) +
           slice(6, 31, 33, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE",
                 told("src_agent", "Agent-0") + told("dst_agent", "Agent-4")) +
           slice(7, 34, 37, "memory_copy", "MEMORY_COPY_DEVICE_TO_HOST",
                 told("src_agent", "Agent-5") + told("dst_agent", "Agent-0")) +
           slice(8, 50, 51, "hip_api", "hipMemcpy", ""));
  std::map<std::string, std::int64_t> busy_ns;  // by process and thread
  for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
    const kino::Track& track = trace->track(trace->track_of(kino::SliceId{i}));
    busy_ns[trace->processes[track.process].pid + " " + track.tid.str()] += trace->slices.duration_ns[i];
  }
  CHECK(busy_ns == std::map<std::string, std::int64_t>{{"4 1", 12}, {"5 2", 6}, {"100 STREAM [x]", 1}});
  const std::string tables = tables_of(*trace);
  CHECK(contains(tables, "GPU 4"));
  CHECK(contains(tables, "GPU 5"));
  CHECK_FALSE(contains(tables, "GPU 100"));
}

TEST_CASE("names kinds of hidden packets as in Perfetto's trace_packet.proto") {
  std::string packets;
  for (const unsigned field : {69U, 76U, 52U, 53U, 9U, 7U})
    packets += packet(number(10, 2) + bytes(field, "x"));
  for (const unsigned field : {33U, 34U, 35U, 36U, 45U, 89U})
    packets += packet(number(10, 2) + bytes(field, "x"));
  const auto trace = read(thread_track() + event(1, 10, name("a")) + event(2, 20, "") + packets);
  std::vector<std::string> kinds;
  for (const kino::Message& message : kino::data_quality_report(*trace).notes) {
    const std::string note = message.str();
    const std::string begin = "1 packet of kind ";
    if (note.starts_with(begin))
      kinds.push_back(note.substr(begin.size(), note.find(" is not") - begin.size()));
  }
  CHECK(kinds == std::vector<std::string>{"system statistics", "process statistics", "GPU counters",
                                          "GPU render stages", "service event", "frame timeline"});
}

TEST_CASE("resolves names and arguments by the tables of their sequence, which a flag clears") {
  const std::string interned = packet(
      number(10, 1) + number(13, 1) +
      bytes(12, bytes(2, number(1, 1) + bytes(2, "gemm \"x\"")) + bytes(3, number(1, 4) + bytes(2, "grid"))));
  const std::string grid = bytes(4, number(1, 4) + bytes(12, number(4, 2)) + bytes(12, number(4, 1)));
  const auto trace =
      read(thread_track() + interned + event(1, 10, number(10, 1) + grid) + event(2, 20, "") +
           packet(number(10, 1) + number(13, 1)) + event(1, 30, number(10, 1)) + event(2, 40, ""));
  CHECK(duration_of(*trace, "gemm \"x\"") == 10);
  CHECK(trace->slices.kind[0] == kino::SliceKind::compute);
  CHECK(trace->damage.count(kino::DamageReason::unreadable_event) == 1);
  CHECK(trace->damage.count(kino::DamageReason::end_without_begin) == 1);
}

TEST_CASE("incremental clocks and Unix time give the times of the trace") {
  const auto clock = [](std::uint64_t id, std::uint64_t time, const std::string& more = "") {
    return bytes(1, number(1, id) + number(2, time) + more);
  };
  const std::string clocks =
      packet(number(10, 1) + bytes(6, clock(6, 1000) + clock(1, 5'000'000'000'001'000) +
                                          clock(64, 0, number(3, 1) + number(4, 10))));
  const std::string defaults = packet(number(10, 1) + bytes(59, number(58, 64)));
  const auto trace = read(thread_track() + clocks + defaults + event(1, 5, name("a")) + event(2, 3, ""));
  CHECK(duration_of(*trace, "a") == 30);
  CHECK(trace->origin_unix_ns + trace->slices.start_ns[0] == 5'000'000'000'001'050);
}

TEST_CASE("imports counters, and reports packets that are not shown") {
  const std::string counter = packet(bytes(60, number(1, 8) + bytes(2, "power") + bytes(8, "")));
  const std::string sample =
      packet(number(8, 10) + number(10, 1) + bytes(11, number(9, 4) + number(11, 8) + number(30, 250)));
  const auto trace = read(thread_track() + counter + sample + event(1, 10, name("a")) + event(2, 20, "") +
                          packet(number(10, 2) + bytes(1, "ftrace")));
  CHECK(trace->samples.value.size() == 1);
  CHECK(trace->samples.value[0] == 250);
  CHECK(kino::data_quality_report(*trace).notes.front() == "1 packet of kind ftrace is not shown.");
}

TEST_CASE("a trace truncated at any byte opens in part or is rejected") {
  const std::string whole = thread_track() +
                            event(1, 10, name("outer") + bytes(4, bytes(10, "x") + number(4, 5))) +
                            event(1, 20, name("inner")) + event(2, 25, "") + event(2, 40, "");
  const kino_test::TemporaryFolder folder;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto opened = kino_test::open(folder.replace("b", whole.substr(0, length)));
    if (opened.ok()) CHECK(opened.value().trace->slice_count() <= 2);
  }
}

TEST_CASE("cuts arguments that are nested too deeply") {
  std::string value = number(4, 1);
  for (int i = 0; i < 2000; ++i) value = bytes(11, bytes(10, "a") + value);
  const auto trace =
      read(thread_track() + event(1, 10, name("a") + bytes(4, bytes(10, "deep") + value)) + event(2, 20, ""));
  CHECK(trace->slice_count() == 1);
}

TEST_CASE("rejects files that are not Perfetto traces") {
  CHECK(kino::perfetto_match("\n\n\n{\"traceEvents\":[]}") == kino::FormatMatch::none);
  CHECK(kino::perfetto_match("\n") == kino::FormatMatch::none);
  CHECK(kino::perfetto_match(thread_track()) == kino::FormatMatch::surely);
}

}  // namespace perfetto_files
