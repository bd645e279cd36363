// Covers: chrome_trace_loader, lenient_event, strict_parser, tolerant_parser, event_fields
// Properties of all valid traces, tested on random traces. Also tests that repairs of damaged traces do not
// depend on where the text is split into units.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/trace/build/trace_builder.hpp"
#include "loaders/formats/chrome_trace/lenient_event.hpp"
#include "loaders/formats/chrome_trace/strict_parser.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/model_text.hpp"
#include "tests/fixtures/random_trace.hpp"
#include "tests/fixtures/reference_reader.hpp"

using kino::DamageReason;
using kino::index_of;
using kino::Trace;

namespace {

/// Converts the loader's result to the reference reader's form, with absolute times.
kino_test::ReferenceModel loaded_model(const Trace& trace) {
  kino_test::ReferenceModel model;
  const auto line = [](const auto&... parts) {
    std::ostringstream out;
    ((out << parts << '\x1f'), ...);
    return out.str();
  };
  const auto category = [&](kino::CategoryId id) { return trace.category_text(id); };
  for (const kino::Row& row : trace.rows) {
    const kino::Track& track = trace.track(row.track);
    const std::string tid = track.kind == kino::TrackKind::async ? std::string() : track.tid.str();
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      model.slices.push_back(line(trace.slices.start_ns[i] + trace.origin_unix_ns,
                                  trace.slices.duration_ns[i], trace.name_of(kino::SliceId{i}),
                                  category(trace.slices.category[i]), trace.processes[track.process].pid,
                                  tid));
    }
  }
  for (const kino::Track& track : trace.tracks) {
    const std::string& pid = trace.processes[track.process].pid;
    for (std::uint32_t i = track.first_instant; i < track.first_instant + track.instant_count; ++i) {
      model.instants.push_back(line(trace.instants.time_ns[i] + trace.origin_unix_ns,
                                    trace.name_text(trace.instants.name[i]),
                                    category(trace.instants.category[i]), pid));
    }
    for (std::uint32_t i = track.first_sample; i < track.first_sample + track.sample_count; ++i) {
      model.samples.push_back(
          line(trace.samples.time_ns[i] + trace.origin_unix_ns, trace.samples.value[i], pid, track.name));
    }
  }
  for (auto* lines : {&model.slices, &model.instants, &model.samples})
    std::sort(lines->begin(), lines->end());
  return model;
}

using kino_test::first_difference;

std::size_t phases(const kino_test::ReferenceModel& model, std::string_view letters) {
  std::size_t count = 0;
  for (const auto& [phase, events] : model.phases)
    if (phase.size() == 1 && letters.find(phase) != std::string_view::npos) count += events;
  return count;
}

void check_against_reference(const std::string& text, const Trace& trace) {
  const kino_test::ReferenceModel expected = kino_test::reference_model(text);
  const kino_test::ReferenceModel got = loaded_model(trace);
  std::string damage_seen;
  for (const kino::Damage& damage : trace.damage.entries())
    damage_seen += std::string(kino::english(kino::text_of(damage.reason))) + ": " + damage.sample + "; ";
  CAPTURE(damage_seen);
  CHECK(first_difference(got.slices, expected.slices) == "");
  CHECK(first_difference(got.instants, expected.instants) == "");
  CHECK(first_difference(got.samples, expected.samples) == "");
  CHECK(trace.counts[kino::EventType::complete] == phases(expected, "X"));
  CHECK(trace.counts[kino::EventType::begin] == phases(expected, "B"));
  CHECK(trace.counts[kino::EventType::end] == phases(expected, "E"));
  CHECK(trace.counts[kino::EventType::async] == phases(expected, "bneSTpF"));
  CHECK(trace.counts[kino::EventType::flows] == phases(expected, "stf"));
  CHECK(trace.counts[kino::EventType::metadata] == phases(expected, "M"));
  CHECK(trace.counts[kino::EventType::empty] + trace.counts[kino::EventType::dropped] ==
        expected.phases.at(""));
  for (const DamageReason reason : {DamageReason::repaired_event, DamageReason::unreadable_event,
                                    DamageReason::truncated_event, DamageReason::truncated_file})
    CHECK(trace.damage.count(reason) == 0);
}

kino::OpenedTrace opened(const std::filesystem::path& path, unsigned threads, std::size_t unit) {
  auto result = kino_test::open(path, threads, unit);
  REQUIRE(result.ok());
  return std::move(result).value();
}

}  // namespace

TEST_CASE("random valid traces equal the result of the reference reader" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  for (unsigned seed = 0; seed < (kino_test::kSanitized ? 40 : 300); ++seed) {
    CAPTURE(seed);
    kino_test::RandomTrace random(seed);
    const std::string text = random.document(random.elements(random.below(120)), seed % 3 == 0   ? ",\n  "
                                                                                 : seed % 3 == 1 ? ","
                                                                                                 : "");
    const auto path = folder.write("random.json", text);
    check_against_reference(text, *opened(path, 2, 1 + random.below(5000)).trace);
  }
}

TEST_CASE("a valid trace gives the same model for any unit size and thread count") {
  const kino_test::TemporaryFolder folder;
  for (const std::string separator : {",", ",\n  ", " , ", ""}) {
    kino_test::RandomTrace random(static_cast<unsigned>(separator.size()));
    const std::string text = random.document(random.elements(40), separator);
    const auto path = folder.write("units.json", text);
    const kino::OpenedTrace whole = opened(path, 1, text.size() + 1);
    for (std::size_t unit = 1; unit <= text.size(); unit += unit < 400 && !kino_test::kSanitized ? 1 : 97) {
      CAPTURE(separator);
      CAPTURE(unit);
      REQUIRE(kino_test::model_difference(*opened(path, 1 + unit % 4, unit).trace, *whole.trace) == "");
    }
  }
}

TEST_CASE("the tolerant path reads valid events as the strict path does" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  for (unsigned seed = 0; seed < (kino_test::kSanitized ? 20 : 200); ++seed) {
    CAPTURE(seed);
    kino_test::RandomTrace random(seed + 1000);
    std::vector<std::string> elements = random.elements(1 + random.below(80));
    // A control byte in a string makes the unit invalid before its first event is read.
    elements.insert(elements.begin(),
                    R"({"ph":"X","ts":1712195495519761,"dur":1,"name":"first_","cat":"c"})");
    const std::string valid = random.document(elements, seed % 2 == 0 ? ",\n" : "");
    std::string broken = valid;
    broken[broken.find("first_") + 5] = '\x01';
    const auto strict = opened(folder.write("valid.json", valid), 1, valid.size());
    const auto tolerant = opened(folder.write("broken.json", broken), 1, valid.size());
    CHECK(strict.trace->damage.count(DamageReason::repaired_event) == 0);
    CHECK(tolerant.trace->damage.count(DamageReason::repaired_event) == 1);
    std::vector<std::string> expected = kino_test::model_lines(*strict.trace);
    std::vector<std::string> got = kino_test::model_lines(*tolerant.trace);
    std::erase_if(got, [](const std::string& l) {
      return l.starts_with(
          "damage\x1f"
          "event with invalid JSON");
    });
    for (std::string& line : got) {
      if (const std::size_t at = line.find("first\x01"); at != std::string::npos) line[at + 5] = '_';
    }
    CHECK(first_difference(got, expected) == "");
  }
}

TEST_CASE("the lenient reader takes the same fields of valid events as the strict parser" *
          doctest::test_suite("serial")) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    kino_test::RandomTrace random(seed + 5000);
    for (const std::string& element : random.elements(20)) {
      // In broken events only, an escaped quote can be read as a backslash at the end of a Windows path.
      if (element[0] != '{' || element.find(R"(\")") != std::string::npos) continue;
      CAPTURE(element);
      kino::StrictParser strict;
      kino::EventBatch strict_batch;
      kino::EventBatch lenient_batch;
      kino::EventInterpreter strict_out(strict_batch);
      kino::EventInterpreter lenient_out(lenient_batch);
      kino::EventFields fields;
      REQUIRE(strict.parse_event(element, fields));
      strict_out.accept(fields, 0);
      fields.clear();
      const kino::LenientEvent read = kino::read_lenient_event(element, fields);
      CHECK(read.end == element.size());
      CHECK(read.readable);
      lenient_out.accept(fields, 0);
      kino::BuildInput strict_input;
      kino::BuildInput lenient_input;
      strict_input.threads = lenient_input.threads =
          1;  // starting threads takes longer than these few events
      strict_input.counts = strict_out.take_counts();
      lenient_input.counts = lenient_out.take_counts();
      strict_input.batches.push_back(std::move(strict_batch));
      lenient_input.batches.push_back(std::move(lenient_batch));
      const auto a = kino::build_trace(std::move(strict_input), {});
      const auto b = kino::build_trace(std::move(lenient_input), {});
      REQUIRE(a.ok());
      REQUIRE(b.ok());
      CHECK(kino_test::model_difference(*a.value(), *b.value()) == "");
    }
  }
}

TEST_CASE("a nested list with the separator of events is not split, for any unit size" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  std::string text = "[\n";
  for (int i = 0; i < 60; ++i) {
    text += (i > 0 ? ",\n" : "") + std::string(R"({"ph":"X","ts":)") + std::to_string(i) +
            R"(,"dur":1,"name":"n)" + std::to_string(i) + R"("})";
    if (i % 3 != 1) continue;
    text.insert(text.size() - 1, ",\"args\":{\"list\":[{\"a\":1},\n{\"ph\":\"X\",\"ts\":5},\n{\"b\":2}]}");
  }
  text += "\n]";
  const std::string broken = std::string(text).replace(text.find("n30"), 3, "n\x01\"");
  for (const std::string& content : {text, broken}) {
    const auto path = folder.write("lists.json", content);
    for (std::size_t unit = 1; unit <= content.size() + 1; unit += kino_test::kSanitized ? 53 : 3) {
      CAPTURE(unit);
      const auto trace = opened(path, 1 + unit % 3, unit).trace;
      REQUIRE(trace->slice_count() == 60);
      REQUIRE(trace->counts.total() == 60);
      REQUIRE(trace->damage.count(DamageReason::repaired_event) == (content == text ? 0 : 1));
    }
  }
}

TEST_CASE("repairs do not depend on the cuts between units" * doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  // If an event is read by the slow path only because a neighbor is broken, text that the fast path accepts
  // (NaN in arguments, unknown escapes) is not a repair.
  const std::vector<std::string> events{
      R"({"ph":"X","ts":1,"dur":1,"name":"nan","args":{"loss":NaN,"low":-Infinity}})",
      R"({"ph":"X","ts":2,"dur":1,"name":"escape \p","args":{"path":"C:\dir"}})",
      R"({"ph":"X","ts":3,"dur":1,"name":"a "quoted" name"})",
      "{\"ph\":\"X\",\"ts\":4,\"dur\":1,\"name\":\"control \x01\"}",
      "{\"ph\":\"X\",\"ts\":5,\"dur\":1,\"name\":\"\xff\"}",
      R"({"ph":"X","ts":6,"dur":1,"name":"comma",})",
      R"({"ph":"X","ts":7,"dur":1,"name":"good"})"};
  std::string text = "[\n";
  for (int i = 0; i < 70; ++i)
    text += (i > 0 ? ",\n" : "") + events[static_cast<std::size_t>(i * i + i / 7) % events.size()];
  text += "\n]";
  const auto path = folder.write("repaired.json", text);
  const kino::OpenedTrace whole = opened(path, 1, text.size() + 1);
  CHECK(whole.trace->slice_count() == 70);
  for (std::size_t unit = 1; unit <= text.size(); unit += kino_test::kSanitized ? 53 : 3) {
    CAPTURE(unit);
    REQUIRE(kino_test::model_difference(*opened(path, 1 + unit % 3, unit).trace, *whole.trace) == "");
  }
}
