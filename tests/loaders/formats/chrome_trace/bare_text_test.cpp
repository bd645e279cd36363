// Covers: lenient_event, tolerant_parser, argument_search, event_facts
// Unquoted values that are not JSON, and integers beyond 64 bits: shown, searched, trimmed, packed, counted.
#include <array>
#include <atomic>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/trace/event_facts.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "tests/fixtures/capsule_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/query_fixture.hpp"

namespace bare_text {
namespace {

using kino::ArgNode;
using kino::DamageReason;

constexpr std::string_view kBareTexts = R"([
{"ph": "X", "name": "send", "cat": "P2P", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {"count": 268435456, "datatype": ncclFloat32, "Stream": 0x4142e90, "peer": (nil), "hex": 262ca50, "state": not ready yet, "list": [1, ncclSum, 0x10], "last": 7}},
{"ph": "X", "name": "fine", "pid": 1, "tid": 1, "ts": 20, "dur": 5, "args": {"a": -1.5e3, "b": null, "c": [true, {"d": 0}], "loss": NaN, "low": -Infinity}},
{"ph": "b", "name": "launch", "cat": "KERNEL", "id": 0, "pid": 1, "tid": 2, "ts": 30, "args": {"groupId": 0, "Stream": 0x262ca50}},
{"ph": "e", "name": "launch", "cat": "KERNEL", "id": 0, "pid": 1, "tid": 2, "ts": 40, "args": {"nested": {"deep": [0x1]}}}
])";

constexpr std::string_view kLargeIds = R"({"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 1, "dur": 3, "args": {"device": 0, "stream": 20, "Collective name": "allreduce", "Comms Id": 12715772615376301750, "negative": -9223372036854775809, "least": -9223372036854775808, "longer": 123456789012345678901234567890, "huge": 1e999, "real": 1e300}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 5, "dur": 3, "args": {"device": 0, "stream": 20, "Collective name": "allreduce", "Comms Id": 12715772615376301751}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 9, "dur": 3, "args": {"device": 0, "stream": 20, "Collective name": "allreduce", "Comms Id": -5730971458333249866}}]})";

std::string argument(const kino::OpenedTrace& opened, std::string_view slice, std::string_view key) {
  for (std::uint32_t i = 0; i < opened.trace->slice_count(); ++i) {
    if (opened.trace->name_of(kino::SliceId{i}) != slice) continue;
    const auto event = opened.details->read({kino::SliceId{i}, kino::kNoInstant});
    REQUIRE(event.ok());
    const ArgNode* const args = event.value().find("args");
    REQUIRE(args != nullptr);
    const ArgNode* const found = args->find(key);
    return found == nullptr ? "absent" : found->text;
  }
  return "no such slice";
}

std::size_t found(const kino::OpenedTrace& opened, const std::string& key, const std::string& value) {
  kino::ArgumentProgress progress;
  const std::array terms{kino::ArgumentTerm{key, value}};
  const auto slices = opened.details->find(
      terms, [](kino::SliceId) { return true; }, progress, [] {}, {});
  REQUIRE(slices.ok());
  return slices.value().count();
}

}  // namespace

TEST_CASE("arguments that are not JSON remain as text, and their events count as repaired") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write("t.json", kBareTexts);
  for (const std::size_t unit : {std::size_t{64}, std::size_t{64} << 10}) {
    const auto opened = kino_test::open(path, 2, unit);
    REQUIRE(opened.ok());
    CHECK(opened.value().trace->slice_count() == 3);
    CHECK(opened.value().trace->damage.count(DamageReason::repaired_event) == 3);  // NaN is valid for Python
    CHECK(opened.value().trace->damage.total() == 3);
    CHECK(argument(opened.value(), "send", "datatype") == "ncclFloat32");
    CHECK(argument(opened.value(), "send", "Stream") == "0x4142e90");
    CHECK(argument(opened.value(), "send", "peer") == "(nil)");
    CHECK(argument(opened.value(), "send", "hex") == "262ca50");
    CHECK(argument(opened.value(), "send", "state") == "not ready yet");
    CHECK(argument(opened.value(), "send", "last") == "7");
    CHECK(argument(opened.value(), "launch", "Stream") == "0x262ca50");
    CHECK(found(opened.value(), "stream", "0x4142e90") == 1);
    CHECK(found(opened.value(), "datatype", "ncclfloat32") == 1);
  }
}

TEST_CASE("each unquoted value repairs its event, and JSON does not") {
  const auto repairs = [](const std::string& event) {
    const kino_test::TemporaryFolder folder;
    const auto opened = kino_test::open(folder.write("t.json", "[" + event + "]"));
    REQUIRE(opened.ok());
    return opened.value().trace->damage.total();
  };
  for (const char* const value :
       {"0x7f00", "abc", "(nil)", "00", "1.", "+1", "-", "1e", "Null", "nullptr", "12ab"}) {
    CAPTURE(value);
    for (const char* const phase : {"X", "B", "b", "i", "M"}) {
      CAPTURE(phase);
      const std::string event = std::string(R"({"ph":")") + phase +
                                R"(","pid":1,"tid":1,"ts":1,"dur":1,"id":1,)" +
                                R"("name":"a","args":{"correlation":1,"External id":2,"x":)" + value + "}}";
      const std::string end =
          R"(,{"ph":"E","pid":1,"tid":1,"ts":2},{"ph":"e","pid":1,"tid":1,"ts":2,"id":1})";
      const bool begins = phase[0] == 'B' || phase[0] == 'b';
      CHECK(repairs(event + (begins ? end : "")) - (begins ? 1 : 0) == 1);
    }
  }
  for (const char* const value : {"0", "-0", "12", "1.5", "1e5", "-1.5E-3", "null", "true", "false", "NaN",
                                  "Infinity", "-Infinity", "1 "}) {
    CAPTURE(value);
    CHECK(repairs(std::string(R"({"ph":"X","ts":1,"dur":1,"args":{"x":)") + value + "}}") == 0);
  }
}

TEST_CASE(
    "arguments that are not JSON are texts in SQL, valid JSON in trimmed traces, and unchanged in capsules") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write("t.json", kBareTexts);
  const auto model = kino_test::query_model_of(folder, kBareTexts);
  REQUIRE(model != nullptr);
  CHECK(kino_test::asked({model},
                         "SELECT EXTRACT_ARG(arg_set_id, 'args.datatype'), EXTRACT_ARG(arg_set_id, "
                         "'args.Stream'), EXTRACT_ARG(arg_set_id, 'args.list[1]'), "
                         "EXTRACT_ARG(arg_set_id, 'args.state') FROM slice WHERE name = 'send'") ==
        "ncclFloat32|0x4142e90|ncclSum|not ready yet");
  CHECK(kino_test::asked({model},
                         "SELECT key, string_value FROM args JOIN slice USING (arg_set_id) WHERE name = "
                         "'launch' AND value_type = 'string'") == "args.Stream|0x262ca50");

  const auto opened = kino_test::open(path);
  REQUIRE(opened.ok());
  std::atomic<std::uint64_t> bytes_read{0};
  const auto report =
      opened.value().details->write_part({0, 100'000}, folder.path() / "part.json", bytes_read, {});
  REQUIRE(report.ok());
  CHECK(report.value().unreadable == 0);
  const nlohmann::json part = nlohmann::json::parse(kino_test::file_content(folder.path() / "part.json"));
  REQUIRE(part.size() == 4);
  CHECK(part[0]["args"]["Stream"] == "0x4142e90");
  CHECK(part[0]["args"]["state"] == "not ready yet");
  CHECK(part[0]["args"]["list"] == nlohmann::json({1, "ncclSum", "0x10"}));
  CHECK(part[3]["ph"] == "e");

  kino_test::pack(path, folder.path() / "t.kino", {});
  const auto capsule = kino_test::open(folder.path() / "t.kino");
  REQUIRE(capsule.ok());
  CHECK(argument(capsule.value(), "send", "Stream") == "0x4142e90");
  CHECK(argument(capsule.value(), "send", "state") == "not ready yet");
}

TEST_CASE("integers beyond 64 bits keep all their digits in SQL, details, search, trim and capsules") {
  const kino_test::TemporaryFolder folder;
  const auto path = folder.write("t.json", kLargeIds);
  const auto model = kino_test::query_model_of(folder, kLargeIds);
  REQUIRE(model != nullptr);
  const auto ask = [&](std::string_view sql) { return kino_test::asked({model}, sql); };
  CHECK(ask("SELECT EXTRACT_ARG(arg_set_id, 'args.Comms Id') FROM slice ORDER BY ts") ==
        "12715772615376301750\n12715772615376301751\n-5730971458333249866");
  CHECK(ask("SELECT DISTINCT display_value FROM args WHERE key = 'args.Comms Id' ORDER BY 1") ==
        "-5730971458333249866\n12715772615376301750\n12715772615376301751");
  CHECK(ask("SELECT EXTRACT_ARG(arg_set_id, 'args.negative'), EXTRACT_ARG(arg_set_id, 'args.least'), "
            "EXTRACT_ARG(arg_set_id, 'args.longer'), EXTRACT_ARG(arg_set_id, 'args.huge'), "
            "EXTRACT_ARG(arg_set_id, 'args.real') FROM slice ORDER BY ts LIMIT 1") ==
        "-9223372036854775809|-9223372036854775808|123456789012345678901234567890|1e999|1e+300");
  const auto opened = kino_test::open(path);
  REQUIRE(opened.ok());
  CHECK(argument(opened.value(), "ncclDevKernel_AllReduce", "Comms Id") == "12715772615376301750");
  CHECK(found(opened.value(), "commsid", "12715772615376301750") == 1);
  CHECK(found(opened.value(), "commsid", "1271577261537630175") == 0);
  std::atomic<std::uint64_t> bytes_read{0};
  REQUIRE(opened.value().details->write_part({0, 2'000}, folder.path() / "part.json", bytes_read, {}).ok());
  CHECK(kino_test::file_content(folder.path() / "part.json").find("123456789012345678901234567890") !=
        std::string::npos);
  kino_test::pack(path, folder.path() / "t.kino", {});
  const auto capsule = kino_test::open(folder.path() / "t.kino");
  REQUIRE(capsule.ok());
  CHECK(argument(capsule.value(), "ncclDevKernel_AllReduce", "longer") == "123456789012345678901234567890");
}

TEST_CASE("two communications whose numbers differ in the last digit are distinct") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write("t.json", kLargeIds));
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const std::vector<kino::EventFacts> facts = kino::decode_facts(trace);
  std::vector<std::uint64_t> ids;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i)
    ids.push_back(facts[kino::facts_index(trace, kino::SliceId{i})].communication);
  // The last id is the first one with a minus sign.
  CHECK(ids ==
        std::vector<std::uint64_t>{12715772615376301750U, 12715772615376301751U, 12715772615376301750U});
}

}  // namespace bare_text
