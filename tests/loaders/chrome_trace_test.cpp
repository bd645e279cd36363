// Covers: chrome_trace_loader, chrome_trace_format, event_interpreter, document_rest, event_array,
//   event_facts, argument_columns, gathered_points, record_kinds, utf16, trace
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/event_facts.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/reference_reader.hpp"

using kino::DamageReason;
using kino::SliceId;
using kino::Trace;

namespace {

using Key = std::tuple<long long, long long, std::string, std::string>;  // start, duration, name, category

std::vector<Key> slices_of(const Trace& trace) {
  std::vector<Key> keys;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    keys.emplace_back(trace.slices.start_ns[i] + trace.origin_unix_ns, trace.slices.duration_ns[i],
                      trace.name_of(SliceId{i}), trace.categories[kino::index_of(trace.slices.category[i])]);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Returns the X events of a text according to the reference reader.
std::vector<Key> reference_slices(const std::string& text, std::size_t* elements = nullptr) {
  kino_test::ReferenceReader reader;
  REQUIRE(nlohmann::json::sax_parse(text, &reader));
  if (elements != nullptr) *elements = reader.elements;
  std::vector<Key> keys;
  for (auto& event : reader.events) {
    if (event["ph"] != "X") continue;
    const auto start = kino_test::reference_ns(event["ts"]);
    if (!start) continue;
    keys.emplace_back(*start,
                      std::max(0LL, kino_test::reference_duration_ns(event["dur"], event["ts"]).value_or(0)),
                      event["name"], event["cat"]);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Events with names and arguments that resemble JSON syntax.
std::string hostile_event(std::mt19937& random, int i) {
  static const std::vector<std::string> kNames{"plain",
                                               R"(},{\"ph\":\"X\",\"ts\":1,\"name\":\"fake\"})",
                                               R"(\n  },\n  {\n    \"ph\": \"X\")",
                                               R"(quote \" brace } { ])",
                                               R"(backslash \\)",
                                               R"(\\\")",
                                               "[[[{{{",
                                               R"(\u00e9\ud83d\ude00)",
                                               R"(]}],\"traceEvents\":[)"};
  const std::string name = kNames[random() % kNames.size()];
  const std::string args =
      random() % 2 == 0 ? R"("args":{"list":[{"ph":"X","ts":7,"dur":1,"name":"inner"},{"a":"},{"}],"s":")" +
                              kNames[random() % kNames.size()] + R"("})"
                        : R"("args":{})";
  return R"({"ph":"X","cat":"c","name":")" + name + R"(","pid":1,"tid":)" + std::to_string(random() % 3) +
         R"(,"ts":)" + std::to_string(1000 + i * 10) + "." + std::to_string(100 + random() % 900) +
         R"(,"dur":)" + std::to_string(random() % 9) + "," + args + "}";
}

std::string document(const std::vector<std::string>& events, const std::string& separator,
                     const std::string& tail) {
  std::string text = R"({"schemaVersion": 1, "note": "traceEvents: [", "traceEvents": [)";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? separator : "") + events[i];
  return text + "]" + tail;
}

}  // namespace

TEST_CASE("the smallest traces open in both forms") {
  const kino_test::TemporaryFolder folder;
  for (const char* text :
       {R"([{"ph":"X","ts":1.5,"dur":2,"name":"n"}])",
        R"({"traceEvents":[{"ph":"X","ts":1.5,"dur":2,"name":"n"}]})",
        R"({"a":{"traceEvents":[1]},"traceEvents":[{"ph":"X","ts":1.5,"dur":2,"name":"n"}],"b":[2]})",
        "\xEF\xBB\xBF[{\"ph\":\"X\",\"ts\":\"1.5\",\"dur\":\"2\",\"name\":\"n\"}]"}) {
    CAPTURE(text);
    const auto opened = kino_test::open(folder.replace("t.json", text));
    REQUIRE(opened.ok());
    const Trace& trace = *opened.value().trace;
    REQUIRE(trace.slice_count() == 1);
    CHECK(trace.origin_unix_ns == 1500);
    CHECK(trace.slices.duration_ns[0] == 2000);
    CHECK(trace.counts.total() == 1);
    CHECK(trace.damage.empty());
  }
}

TEST_CASE("every window size and separator gives the serial result on strings full of syntax" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  std::mt19937 random(17);
  for (const std::string separator : {",", ", ", ",\n  ", ",\n", " ,\r\n\t"}) {
    std::vector<std::string> events;
    for (int i = 0; i < 60; ++i) events.push_back(hostile_event(random, i));
    const std::string text =
        document(events, separator, R"(,"baseTimeNanoseconds":0,"tail":[{"x":1},{"ph":"X","ts":3}]})");
    const std::vector<Key> expected = reference_slices(text);
    REQUIRE(expected.size() == 60);
    const auto path = folder.replace("hostile.json", text);
    for (std::size_t unit = 1; unit < 700; unit += unit < 300 ? 1 : 13) {
      CAPTURE(separator);
      CAPTURE(unit);
      const auto opened = kino_test::open(path, unit % 5 == 0 ? 2 + unit % 2 : 1, unit);
      REQUIRE(opened.ok());
      const Trace& trace = *opened.value().trace;
      REQUIRE(trace.counts.total() == 60);
      REQUIRE(slices_of(trace) == expected);
      REQUIRE(trace.damage.count(DamageReason::truncated_file) == 0);
      REQUIRE(trace.damage.count(DamageReason::unreadable_event) == 0);
    }
  }
}

TEST_CASE("a trace truncated at any byte keeps every complete event" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  std::mt19937 random(4);
  for (const std::string separator : {",", ",\n  "}) {
    std::vector<std::string> events;
    for (int i = 0; i < 6; ++i) events.push_back(hostile_event(random, i));
    const std::string text = document(events, separator, "}");
    std::size_t at = text.find('[', text.find("\"traceEvents\"")) + 1;
    const std::size_t first = at;
    std::vector<std::size_t> ends;
    for (const std::string& event : events) {
      ends.push_back(at + event.size());
      at += event.size() + separator.size();
    }
    for (std::size_t length = first; length < text.size(); ++length) {
      CAPTURE(length);
      const auto opened =
          kino_test::open(folder.replace("cut.json", text.substr(0, length)), 1 + length % 16 / 15, 64);
      REQUIRE(opened.ok());
      const auto complete = static_cast<std::size_t>(
          std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= length; }));
      REQUIRE(opened.value().trace->slice_count() == complete);
    }
  }
}

TEST_CASE("a stray quote costs at most its event, for any window size") {
  const kino_test::TemporaryFolder folder;
  std::vector<std::string> events;
  for (int i = 0; i < 80; ++i) {
    const std::string name = i == 40 ? "a \"quoted\" name with an odd \" quote" : "n" + std::to_string(i);
    events.push_back("{\n    \"ph\": \"X\", \"name\": \"" + name + "\",\n    \"ts\": " + std::to_string(i) +
                     ", \"dur\": 1\n  }");
  }
  std::string text = "{\"traceEvents\": [\n  ";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n  " : "") + events[i];
  text += "\n  ]\n}";
  for (std::size_t unit = 1; unit < 900; unit += 7) {
    CAPTURE(unit);
    const auto opened = kino_test::open(folder.replace("quote.json", text), 2, unit);
    REQUIRE(opened.ok());
    const Trace& trace = *opened.value().trace;
    REQUIRE(trace.counts.total() == 80);
    REQUIRE(trace.slice_count() == 80);
    REQUIRE(trace.damage.count(DamageReason::repaired_event) == 1);
  }
}

TEST_CASE("an extra comma is counted anywhere in the document") {
  const kino_test::TemporaryFolder folder;
  const std::string event = R"({"ph":"X","name":"a","ts":1,"dur":1})";
  for (const std::string& text : {"[" + event + ",]", R"({"traceEvents":[)" + event + R"(],"a":1,})",
                                  R"({"traceEvents":[)" + event + R"(],})"}) {
    CAPTURE(text);
    const auto opened = kino_test::open(folder.write("comma.json", text), 1, 64 << 10);
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == 1);
    CHECK(opened.value().trace->damage.count(DamageReason::repaired_document) == 1);
  }
}

TEST_CASE("times outside of any calendar are nanoseconds, and are reported") {
  const kino_test::TemporaryFolder folder;
  const auto opened =
      kino_test::open(folder.write("ns.json", R"([{"ph":"X","name":"a","ts":13984392629999074,"dur":5000},)"
                                              R"({"ph":"X","name":"b","ts":13984392630008618,"dur":7000},])"),
                      1, 64 << 10);
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  REQUIRE(trace.slice_count() == 2);
  CHECK(trace.slices.start_ns[1] - trace.slices.start_ns[0] == 9544);
  CHECK(trace.slices.duration_ns[0] == 5000);
  CHECK(trace.damage.count(DamageReason::time_in_ns) == 2);
  CHECK(trace.damage.total() == 1);  // the comma; the unit of time is a note on reading
  CHECK(trace.damage.count(DamageReason::repaired_document) == 1);
}

TEST_CASE("phases become the right records, and every element is counted") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("phases.json", R"({"traceEvents":[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"proc \u00e9"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
    {"ph":"X","name":"x","pid":1,"tid":2,"ts":0,"dur":10},
    {"ph":"B","name":"b","pid":1,"tid":2,"ts":20}, {"ph":"E","pid":1,"tid":2,"ts":30},
    {"ph":"b","cat":"a","id":"0x1","name":"async","pid":1,"ts":0}, {"ph":"e","cat":"a","id":1,"name":"async","pid":1,"ts":9},
    {"ph":"i","name":"mark","pid":1,"tid":2,"ts":5,"s":"t"},
    {"ph":"C","name":"counter","pid":1,"ts":1,"args":{"":7}}, {"ph":"C","name":"counter","pid":1,"ts":2,"args":{"":9.5}},
    {"ph":"C","name":"nothing","pid":1,"ts":2,"args":{"text":"x"}},
    {"ph":"s","cat":"ac2g","id":18446744073709551615,"pid":1,"tid":2,"ts":3},
    {"ph":"f","bp":"e","cat":"ac2g","id":18446744073709551615,"pid":1,"tid":2,"ts":4},
    {"ph":"O","name":"object","pid":1,"tid":2,"ts":5}, {"ph":"~","ts":1}, {"name":"no phase"}, {}, null, 7, "text",
    {"ph":"X","name":"no time"}, {"ph":"X","name":"no duration","ts":50}, {"ph":"X","name":"negative","ts":51,"dur":-2},
    {"ph":"X","name":"absurd","ts":99999999999999999999,"dur":1}
  ]})"));
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  const kino::EventCounts& n = trace.counts;
  CHECK(n.total() == 24);
  CHECK(n[kino::EventType::complete] == 3);
  CHECK(n[kino::EventType::begin] == 1);
  CHECK(n[kino::EventType::end] == 1);
  CHECK(n[kino::EventType::async] == 2);
  CHECK(n[kino::EventType::instants] == 2);
  CHECK(n[kino::EventType::counters] == 2);
  CHECK(n[kino::EventType::flows] == 2);
  CHECK(n[kino::EventType::metadata] == 2);
  CHECK(n[kino::EventType::empty] == 1);
  CHECK(n[kino::EventType::dropped] == 8);
  CHECK(trace.paired_slices == 1);
  CHECK(trace.async_slices == 1);
  CHECK(trace.slice_count() == 5);
  CHECK(trace.damage.count(DamageReason::not_an_event) == 3);
  CHECK(trace.damage.count(DamageReason::time_out_of_range) == 1);
  CHECK(trace.damage.count(DamageReason::no_timestamp) == 1);
  CHECK(trace.damage.count(DamageReason::no_duration) == 1);
  CHECK(trace.damage.count(DamageReason::negative_duration) == 1);
  CHECK(trace.processes[0].title == "proc é 1");
  const auto counter = std::find_if(trace.tracks.begin(), trace.tracks.end(),
                                    [](const kino::Track& track) { return track.sample_count > 0; });
  REQUIRE(counter != trace.tracks.end());
  CHECK(counter->name == "counter");
  CHECK(counter->max_value == 9.5);
}

TEST_CASE("[memory] instants become curves of the device") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("memory.json", R"([
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":9,"tid":9,"ts":1,"args":{"Total Allocated":100,"Total Reserved":512,"Bytes":100,"Addr":1,"Device Type":1,"Device Id":0}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":9,"tid":9,"ts":2,"args":{"Total Allocated":50,"Total Reserved":512,"Bytes":-50,"Addr":1,"Device Type":1,"Device Id":0}}])"));
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.processes[0].title == "GPU 0");
  REQUIRE(trace.processes[0].track_count == 2);
  CHECK(trace.tracks[0].name == "memory allocated");
  CHECK(trace.tracks[0].max_value == 100);
  CHECK(trace.tracks[0].bytes);
  CHECK(trace.tracks[1].name == "memory reserved");
  CHECK(trace.counts[kino::EventType::instants] == 2);
}

TEST_CASE("the job's rank, devices and time base are read before and after the events") {
  const kino_test::TemporaryFolder folder;
  const std::string info =
      R"("deviceProperties":[{"id":0,"name":"NVIDIA H100"}],"baseTimeNanoseconds":1000000,
    "distributedInfo":{"backend":"nccl","rank":3,"world_size":8})";
  const std::string events =
      R"("traceEvents":[{"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,"name":"k"}])";
  for (const std::string& text : {"{" + info + "," + events + "}", "{" + events + "," + info + "}"}) {
    const auto opened = kino_test::open(folder.write("job.json", text));
    REQUIRE(opened.ok());
    const Trace& trace = *opened.value().trace;
    CHECK(trace.job.rank == 3);
    CHECK(trace.job.world_size == 8);
    CHECK(trace.job.backend == "nccl");
    CHECK(trace.origin_unix_ns == 1'001'000);
    CHECK(trace.processes[0].title == "GPU 0 · NVIDIA H100");
  }
}

TEST_CASE("an undefined backend is read from the configuration, or is empty") {
  const kino_test::TemporaryFolder folder;
  const auto backend_with = [&](const std::string& groups) {
    const auto opened = kino_test::open(folder.write(
        "job.json",
        R"({"distributedInfo":{"backend":"undefined","rank":0,"world_size":2)" + groups +
            R"(},"traceEvents":[{"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,"name":"k"}]})"));
    REQUIRE(opened.ok());
    return opened.value().trace->job.backend;
  };
  CHECK(backend_with(R"(,"pg_config":[{"pg_name":"0","backend_config":"cpu:gloo,cuda:nccl"}])") ==
        "cpu:gloo,cuda:nccl");
  CHECK(backend_with(R"(,"pg_config":[{"pg_name":"0","backend_config":"undefined"}])").empty());
  CHECK(backend_with(R"(,"pg_config":[5])").empty());
  CHECK(backend_with("").empty());
}

TEST_CASE("invalid JSON of real writers keeps its events and counts the repairs") {
  const kino_test::TemporaryFolder folder;
  struct Case {
    const char* text;
    std::size_t slices;
  };
  for (const Case& broken : std::vector<Case>{
           {"[\n{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"torch\\profiler\\x.py\"},\n{\"ph\":\"X\",\"ts\":"
            "2,\"dur\":1,\"name\":\"\x01\"}\n]",
            2},
           {"[\n{\"ph\":\"X\",\"ts\":1,\"dur\":1}\n{\"ph\":\"X\",\"ts\":2,\"dur\":1}\n]", 2},
           {"{\"ph\":\"X\",\"ts\":1,\"dur\":1}\n{\"ph\":\"X\",\"ts\":2,\"dur\":1}\n", 2},
           {"[\n{\"ph\":\"X\",\"ts\":1,\"dur\":NaN},\nINFO: a log line\n{\"ph\":\"X\",\"ts\":2,\"dur\":1}\n]",
            2},
           {"[\n{\"ph\":\"X\",\"ts\":1,\"dur\":1},\n{\"ph\":\"X\",\"ts\":2,\"dur\":1,},\n]", 2},
           {"[\n{\"ph\":\"X\",\"ts\":1,\"dur\":1},\n{\"ph\":\"X\",\"ts\":2,\"dur\":1", 1},
           {"[\n{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"\xff\xfe\"},\n{\"ph\":\"X\",\"ts\":2,\"dur\":1}]",
            2}}) {
    CAPTURE(broken.text);
    const auto opened = kino_test::open(folder.write("broken.json", broken.text));
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == broken.slices);
  }
}

TEST_CASE("random valid traces equal the reference reader") {
  const kino_test::TemporaryFolder folder;
  std::mt19937 random(23);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> events;
    for (unsigned i = 0; i < 1 + random() % 200; ++i)
      events.push_back(hostile_event(random, static_cast<int>(i)));
    std::shuffle(events.begin(), events.end(), random);
    const std::string text = document(events, round % 2 == 0 ? ",\n  " : ",", "}");
    std::size_t elements = 0;
    const std::vector<Key> expected = reference_slices(text, &elements);
    const auto opened = kino_test::open(folder.replace("random.json", text), 2, 1 + random() % 5000);
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->counts.total() == elements);
    CHECK(slices_of(*opened.value().trace) == expected);
  }
}

TEST_CASE("real traces: every event is accounted for, times, names and categories are exact") {
  std::size_t compared = 0;
  for (const auto& path : kino_test::real_files({"kineto", "chrome", "jax"})) {
    CAPTURE(path.string());
    if (kino_test::kSanitized && std::filesystem::file_size(path) > (256 << 10)) continue;
    const std::string text = kino_test::text_content(path);
    kino_test::ReferenceReader reader;
    const bool valid = nlohmann::json::sax_parse(text, &reader);
    const auto opened = kino_test::open(path);
    REQUIRE(opened.ok());
    const Trace& trace = *opened.value().trace;
    const kino::EventCounts& n = trace.counts;
    if (!valid) continue;
    CHECK(n.total() == reader.elements);
    std::uint64_t dropped = 0;
    for (const kino::Damage& damage : trace.damage.entries()) {
      if (kino::drops_event(damage.reason)) dropped += damage.count;
    }
    CHECK(n[kino::EventType::dropped] == dropped);
    if (n[kino::EventType::begin] + n[kino::EventType::async] > 0)
      continue;  // pairs are slices too, covered by the unit tests
    std::vector<Key> expected;
    std::int64_t earliest = INT64_MAX;
    for (auto& event : reader.events) {
      const auto start = kino_test::reference_ns(event["ts"]);
      if (event["ph"] != "X" || !start) continue;
      expected.emplace_back(
          *start, std::max(0LL, kino_test::reference_duration_ns(event["dur"], event["ts"]).value_or(0)),
          event["name"], event["cat"]);
      earliest = std::min<std::int64_t>(earliest, *start);
    }
    std::vector<Key> got = slices_of(trace);
    REQUIRE(got.size() == expected.size());
    if (got.empty()) continue;
    // The file's time base is in the model's origin, one offset for all events.
    const std::int64_t shift = std::get<0>(got.front()) - earliest;
    CHECK(shift >= 0);
    for (Key& key : got) std::get<0>(key) -= shift;
    std::sort(expected.begin(), expected.end());
    CHECK(got == expected);
    ++compared;
  }
  MESSAGE("compared event by event: " << compared << " files");
}

TEST_CASE("slices that follow each other do not overlap, though their times are finer than a nanosecond") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("t.json", R"({"traceEvents":[
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
    {"ph":"M","pid":3,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
    {"ph":"X","pid":3,"tid":3,"ts":10.1236,"dur":1.0006,"name":"fusion.1"},
    {"ph":"X","pid":3,"tid":3,"ts":11.1242,"dur":0.5000000000002183,"name":"fusion.2"}]})"));
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  CHECK(trace.damage.empty());
  CHECK(trace.rows.size() == 1);
  REQUIRE(trace.slice_count() == 2);
  CHECK(trace.end_ns(kino::SliceId{0}) == trace.slices.start_ns[1]);
}

TEST_CASE("an array that never ends among the events costs at most its unit") {
  const kino_test::TemporaryFolder folder;
  const std::string event = "{\"ph\":\"X\",\"ts\":1,\"dur\":1}";
  for (const std::string tail : {"[", "[\n", "[1", "[{", "17 18", "17,18 19"}) {
    CAPTURE(tail);
    const auto opened = kino_test::open(folder.write("t.json", "[\n" + event + ",\n" + event + ",\n" + tail));
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == 2);
    CHECK(opened.value().trace->damage.count(DamageReason::truncated_file) == 1);
  }
}

TEST_CASE("odd files open or report their kind") {
  for (const auto& path : kino_test::real_files({"robust"})) {
    CAPTURE(path.string());
    const auto opened = kino_test::open(path);
    if (!opened.ok()) {
      CHECK(opened.error().what.str().size() > 20);
      continue;
    }
    CHECK(opened.value().trace != nullptr);
  }
}

TEST_CASE("text full of unmatched brackets, quotes or lines is read in linear time" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  const std::string event = R"({"ph":"X","ts":1,"dur":1,"name":"n"})";
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  const int n = kino_test::kSanitized ? 20'000 : 300'000;
  const std::string begin = "[\n" + event + ",\n" + event + ",\n";
  // Quadratic time would be minutes each.
  CHECK(kino_test::open(folder.write("a.json", begin + R"({"name":")" + repeated(R"(\"})", n) + "\x01\"}\n]"))
            .ok());
  CHECK(kino_test::open(folder.write("b.json", "[\n" + event + "\n" + repeated("x\n", 10 * n))).ok());
  CHECK(kino_test::open(folder.write("c.json", begin + repeated("[\n", 10 * n))).ok());
  CHECK(
      kino_test::open(folder.write("d.json", "[" + event + "," + event + "," + repeated("{\"a\" ", n))).ok());
  CHECK(kino_test::open(folder.write("e.json", "[" + event + "," + repeated("{\"a\":[}", n))).ok());
  CHECK(kino_test::open(folder.write("f.json", repeated("[", 10 * n))).ok());
  // Each event lacks a bracket, and all are read.
  const std::string open_event = event.substr(0, event.size() - 1) + ",\n";
  const auto missing = kino_test::open(folder.write("g.json", "[\n" + repeated(open_event, n) + "]"));
  REQUIRE(missing.ok());
  CHECK(missing.value().trace->slice_count() + 1 >= static_cast<std::size_t>(n));
}

TEST_CASE("further event arrays and documents are read, and counted with their offsets") {
  const kino_test::TemporaryFolder folder;
  const std::string a = R"({"ph":"X","ts":1,"dur":1,"name":"a"})";
  const std::string b = R"({"ph":"X","ts":9,"dur":1,"name":"b"})";
  struct Case {
    std::string text;
    std::size_t events;
    std::uint64_t further;
    std::uint64_t rest;  // text that is not an event
  };
  const std::vector<Case> cases{
      {R"({"traceEvents":[)" + a + R"(],"traceEvents":[)" + b + "]}", 2, 1, 0},
      {"[" + a + "] [" + b + "]", 2, 1, 0},
      {R"({"traceEvents":[)" + a + "]}\n" + R"({"x":1,"traceEvents":[)" + b + "," + a + "]}", 3, 1, 0},
      {R"({"traceEvents":[)" + a + "]}" + R"({"traceEvents":[)" + b + "]}[" + a + "]", 3, 2, 0},
      {R"({"traceEvents":[)" + a + "]} garbage", 1, 0, 1},
      {R"({"traceEvents":[)" + a + "]}\none\ntwo\n[" + b + "]", 2, 1, 2},
      {R"({"traceEvents":[)" + a + R"(]} {"no":"events"})", 1, 0, 1},
      {"[" + a + "]" + std::string(3, '\0'), 1, 0, 1},
  };
  for (const Case& it : cases) {
    CAPTURE(it.text);
    for (const std::size_t unit : {std::size_t{16}, std::size_t{1} << 16}) {
      const auto opened = kino_test::open(folder.write("t.json", it.text), 2, unit);
      REQUIRE(opened.ok());
      const Trace& trace = *opened.value().trace;
      CHECK(trace.slice_count() == it.events);
      CHECK(trace.counts.total() == it.events);
      CHECK(trace.damage.count(DamageReason::further_events) == it.further);
      CHECK(trace.damage.count(DamageReason::trailing_data) == it.rest);
      CHECK(trace.damage.count(DamageReason::truncated_file) == 0);
      for (const kino::Damage& entry : trace.damage.entries()) CHECK(entry.first_offset < it.text.size());
    }
  }
}

TEST_CASE("a further document's times use its own base") {
  const kino_test::TemporaryFolder folder;
  const auto document_at = [](const char* name, const std::string& base) {
    return R"({"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":")" + std::string(name) +
           R"("}],"baseTimeNanoseconds":)" + base + "}";
  };
  const auto opened =
      kino_test::open(folder.write("t.json", document_at("a", "1000000") + document_at("b", "1005000")));
  REQUIRE(opened.ok());
  const Trace& trace = *opened.value().trace;
  REQUIRE(trace.slice_count() == 2);
  CHECK(trace.base_time_ns == 1'000'000);
  CHECK(std::abs(trace.slices.start_ns[1] - trace.slices.start_ns[0]) == 5000);
}

TEST_CASE("UTF-16 is converted in both byte orders, with and without a mark, and truncated anywhere") {
  const kino_test::TemporaryFolder folder;
  const std::u16string text = u"[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"\u00e9\u4e2d\U0001F600\"}]";
  for (const bool big : {false, true}) {
    const std::string bytes = kino_test::utf16(text, big);
    const std::string spaced = kino_test::utf16(u" \n" + text, big);
    for (const std::string& way : {bytes, bytes.substr(2), spaced.substr(2)}) {
      const auto opened = kino_test::open(folder.write("t.json", way));
      REQUIRE(opened.ok());
      const Trace& trace = *opened.value().trace;
      REQUIRE(trace.slice_count() == 1);
      CHECK(trace.name_of(kino::SliceId{0}) == "\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80");
      CHECK(trace.damage.empty());
      CHECK(kino_test::open(folder.write("t.json.gz", kino_test::gzip(way))).value().trace->slice_count() ==
            1);
    }
    for (std::size_t length = 2; length < bytes.size(); ++length) {
      const auto cut = kino_test::open(folder.replace("cut.json", bytes.substr(0, length)));
      CHECK((cut.ok() || !cut.error().what.str().empty()));
    }
  }
}

TEST_CASE("shapes printed over several lines become one line in the facts, with both parsers") {
  const kino_test::TemporaryFolder folder;
  const std::string event =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {
    "Input Dims": [
      [
        8,
        3
      ],
      []
    ],
    "Input type": ["a, \"b\" [x]",
      "float"
    ]}})";
  for (const char* const end : {"]}", ",]}"}) {  // the extra comma selects the lenient parser
    const auto opened = kino_test::open(folder.write("pretty.json", "{\"traceEvents\": [" + event + end));
    REQUIRE(opened.ok());
    const kino::Trace& trace = *opened.value().trace;
    REQUIRE(trace.slice_count() == 1);
    const kino::EventFacts facts = kino::decode_facts(trace)[kino::facts_index(trace, kino::SliceId{0})];
    CHECK(facts.input_dims == "[[8, 3], []]");
    CHECK(facts.input_types == R"(["a, \"b\" [x]", "float"])");
  }
}

TEST_CASE("both parsers read sender, receiver and sequence numbers, and groups are read from the header") {
  const kino_test::TemporaryFolder folder;
  const std::string head =
      R"({"distributedInfo": {"rank": 1, "world_size": 2, "pg_config": [{"pg_name": "7", "pg_desc": "tp", "ranks": [1, 0]},
          {"pg_name": 3}, 5]}, "traceEvents": [)";
  const std::string event =
      R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0, "tid": 7, "ts": 1, "dur": 2,
          "args": {"Collective name": "send", "Src Rank": 4, "Dst Rank": 5, "Seq": 12, "Comms Id": 17446744073709551615}})";
  const std::string copy =
      R"({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP", "pid": 0, "tid": 8, "ts": 9, "dur": 2,
          "args": {"fromDevice": 2, "toDevice": 3}})";
  for (const char* const end : {"]}", ",]}"}) {  // the extra comma selects the lenient parser
    const auto opened = kino_test::open(folder.write("job.json", head + event + "," + copy + end));
    REQUIRE(opened.ok());
    const kino::Trace& trace = *opened.value().trace;
    REQUIRE(trace.slice_count() == 2);
    const std::vector<kino::EventFacts> facts = kino::decode_facts(trace);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const kino::EventFacts& it = facts[kino::facts_index(trace, kino::SliceId{i})];
      const bool message = trace.name_of(kino::SliceId{i}) == "ncclDevKernel_SendRecv";
      CHECK(it.source == (message ? 4 : 2));
      CHECK(it.target == (message ? 5 : 3));
      CHECK(it.sequence == (message ? 12 : -1));
      CHECK(it.communication == (message ? 17446744073709551615ULL : 0));
    }
    REQUIRE(trace.job.groups.size() == 2);
    CHECK(trace.job.groups[0].name == "7");
    CHECK(trace.job.groups[0].description == "tp");
    CHECK(trace.job.groups[0].ranks == std::vector<std::int64_t>{1, 0});
    CHECK(trace.job.groups[1].name.empty());
  }
}
