// Covers: trace_trim, event_walk, text_file
// Parts of traces as traces of their own.
#include "loaders/formats/chrome_trace/trace_trim.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/trace/flow_links.hpp"
#include "loaders/bytes/text_file.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::SliceId;
using kino::TimeRange;
using kino::Trace;

namespace {

kino::TrimReport trim(const kino::OpenedTrace& opened, TimeRange range, const std::filesystem::path& out) {
  std::atomic<std::uint64_t> read{0};
  const auto written = kino::write_trimmed(*opened.trace, *opened.text, range, out, read, {});
  REQUIRE_MESSAGE(written.ok(), written.error().what.str());
  CHECK(written.value().bytes == std::filesystem::file_size(out));
  return written.value();
}

/// Unix start, duration, name, thread and links of each slice.
using SliceFact = std::tuple<std::int64_t, std::int64_t, std::string, std::string, std::string>;
SliceFact fact_of(const Trace& trace, SliceId slice) {
  const kino::Track& track = trace.track(trace.track_of(slice));
  const SliceId link = trace.link(slice);
  // The first of the profiler's own tracks names the process, and its events may be outside of the range.
  const kino::Process& process = trace.processes[track.process];
  return {trace.origin_unix_ns + trace.start_ns(slice), trace.duration_ns(slice),
          std::string(trace.name_of(slice)), (process.bookkeeping ? "" : process.pid) + "/" + track.tid,
          link == kino::kNoSlice ? "" : std::string(trace.name_of(link))};
}

bool touches(const Trace& trace, SliceId slice, TimeRange range) {
  const std::int64_t start = trace.start_ns(slice);
  return start < range.end_ns && (trace.end_ns(slice) > range.begin_ns || start >= range.begin_ns);
}

std::vector<SliceFact> facts_in(const Trace& trace, std::int64_t begin_unix_ns, std::int64_t end_unix_ns) {
  const TimeRange range{begin_unix_ns - trace.origin_unix_ns, end_unix_ns - trace.origin_unix_ns};
  std::vector<SliceFact> facts;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (touches(trace, SliceId{i}, range)) facts.push_back(fact_of(trace, SliceId{i}));
  }
  std::ranges::sort(facts);
  return facts;
}

/// Trims a trace, and checks that the part has the range's content and all names.
void check_part(const kino::OpenedTrace& opened, TimeRange range, const std::filesystem::path& out) {
  const Trace& whole = *opened.trace;
  const kino::TrimReport report = trim(opened, range, out);
  CHECK(nlohmann::json::accept(kino_test::text_content(out)));
  const auto again = kino_test::open(out);
  REQUIRE_MESSAGE(again.ok(), again.error().what.str());
  const Trace& part = *again.value().trace;
  const std::int64_t begin = whole.origin_unix_ns + range.begin_ns;
  const std::int64_t end = whole.origin_unix_ns + range.end_ns;
  const std::vector<SliceFact> expected = facts_in(whole, begin, end);
  const std::vector<SliceFact> found = facts_in(part, begin, end);
  CHECK(found.size() == expected.size());
  const auto other = std::ranges::mismatch(found, expected);
  if (other.in1 != found.end() && other.in2 != expected.end()) {
    const auto words = [](const SliceFact& fact) {
      return std::to_string(std::get<0>(fact)) + " +" + std::to_string(std::get<1>(fact)) + " " +
             std::get<2>(fact) + " of " + std::get<3>(fact) + " linked with " + std::get<4>(fact);
    };
    FAIL_CHECK(words(*other.in1) << " instead of " << words(*other.in2));
  }
  CHECK(part.counts.total() == report.events);
  CHECK(part.counts[kino::EventType::metadata] == whole.counts[kino::EventType::metadata]);
  CHECK(part.job.rank == whole.job.rank);
  CHECK(part.job.device_names == whole.job.device_names);
  CHECK(part.base_time_ns == whole.base_time_ns);
  const auto unpaired = [](const Trace& trace) {
    return trace.damage.count(kino::DamageReason::flow_without_partner) +
           trace.damage.count(kino::DamageReason::flow_without_start) +
           trace.damage.count(kino::DamageReason::flow_begun_again) +
           trace.damage.count(kino::DamageReason::flow_without_slice) +
           trace.damage.count(kino::DamageReason::end_without_begin);
  };
  CHECK(unpaired(part) <= unpaired(whole));
}

}  // namespace

TEST_CASE("a trimmed trace has the slices of the range, with launches, flows, samples and metadata") {
  const kino_test::TemporaryFolder folder;
  const std::string text = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H100"}],
"traceEvents": [
{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"python"}},
{"ph":"X","cat":"cpu_op","name":"step","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"early","pid":1,"tid":1,"ts":5,"dur":5},
{"ph":"X","cat":"cpu_op","name":"launching op","pid":1,"tid":2,"ts":20,"dur":8},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":22,"dur":2,"args":{"correlation":7}},
{"ph":"s","id":7,"pid":1,"tid":2,"ts":22,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":30,"dur":2,"args":{"correlation":8}},
{"ph":"s","id":8,"pid":1,"tid":2,"ts":30,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":50,"dur":20,"args":{"correlation":7,"stream":7}},
{"ph":"f","id":7,"pid":0,"tid":7,"ts":50,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","cat":"kernel","name":"late","pid":0,"tid":7,"ts":80,"dur":5,"args":{"correlation":8,"stream":7}},
{"ph":"f","id":8,"pid":0,"tid":7,"ts":80,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"B","name":"span","pid":1,"tid":3,"ts":40},
{"ph":"B","name":"over before","pid":1,"tid":4,"ts":40},
{"ph":"E","pid":1,"tid":4,"ts":44},
{"ph":"E","pid":1,"tid":3,"ts":60},
{"ph":"C","name":"memory","pid":1,"ts":10,"args":{"bytes":1}},
{"ph":"C","name":"memory","pid":1,"ts":45,"args":{"bytes":2}},
{"ph":"C","name":"memory","pid":1,"ts":90,"args":{"bytes":3}},
{"ph":"i","name":"mark","pid":1,"tid":1,"ts":60,"s":"t"},
{"ph":"i","name":"no mark","pid":1,"tid":1,"ts":70,"s":"t"}
], "distributedInfo": {"rank": 3, "world_size": 8}, "traceName": "x.json"})";
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  const auto out = folder.path() / "part.json";
  const kino::TrimReport report = trim(opened.value(), {55'000, 65'000}, out);
  const nlohmann::json part = nlohmann::json::parse(kino_test::file_content(out));
  std::vector<std::string> names;
  for (const auto& event : part["traceEvents"]) {
    names.push_back(event.value("ph", "") + " " + event.value("name", ""));
    if (event.value("ph", "") == "C") CHECK(event["args"]["bytes"] == 2);
  }
  CHECK(names == std::vector<std::string>{"M process_name", "X step", "X launching op", "X cudaLaunchKernel",
                                          "s ac2g", "X gemm", "f ac2g", "B span", "E ", "C memory",
                                          "i mark"});
  CHECK(report.events == names.size());
  CHECK(report.of_events == 21);
  CHECK(part["schemaVersion"] == 1);
  CHECK(part["deviceProperties"][0]["name"] == "H100");
  CHECK(part["distributedInfo"]["rank"] == 3);
  CHECK(part["traceName"] == "x.json");
}

TEST_CASE("a trimmed trace is valid JSON even if the trace is not, with repaired events") {
  const kino_test::TemporaryFolder folder;
  const std::string text =
      "[\n"
      "{\"ph\":\"X\",\"name\":\"before\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1},\n"
      "{\"ph\":\"X\",\"name\":\"nan\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":5,\"args\":{\"x\": NaN}},\n"
      "{\"ph\":\"X\",\"name\":\"fine\",\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":5}\n";
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  const auto out = folder.path() / "part.json";
  trim(opened.value(), {10'000, 30'000}, out);
  const nlohmann::json part = nlohmann::json::parse(kino_test::file_content(out));
  REQUIRE(part.size() == 2);
  CHECK(part[0]["args"]["x"] == "NaN");
  CHECK(part[1]["name"] == "fine");
}

TEST_CASE("further arrays and documents are trimmed too, each with its own time base") {
  const kino_test::TemporaryFolder folder;
  const auto slice = [](const char* name, int start_us) {
    return R"({"ph":"X","pid":1,"tid":1,"dur":5,"ts":)" + std::to_string(start_us) + R"(,"name":")" + name +
           R"("})";
  };
  const std::string text =
      R"({"baseTimeNanoseconds":1000000,"traceEvents":[)" + slice("a", 0) + "," + slice("b", 100) +
      R"(,{"ph":"X","name":"nan","pid":1,"tid":1,"ts":110,"dur":5,"args":{"x":NaN}}],)" +
      R"("between":1,"traceEvents":[)" + slice("c", 120) + "," + slice("d", 900) + R"(],"behind":2})" + "\n" +
      R"({"traceEvents":[{"ph":"M","name":"process_name",)" + R"("pid":1,"args":{"name":"python"}},)" +
      slice("e", 30) + "," + slice("f", 800) + R"(],"baseTimeNanoseconds":1100000})" + "\n[" +
      slice("g", 140) + "," + R"({"ph":"C","name":"memory","pid":1,"ts":145,"args":{"bytes":1}}])";
  const auto opened = kino_test::open(folder.write("trace.json", text));
  REQUIRE(opened.ok());
  REQUIRE(opened.value().trace->slice_count() == 8);
  const std::int64_t first = opened.value().trace->slices.start_ns[0];
  const auto out = folder.path() / "part.json";
  const TimeRange range{first + 99'000, first + 150'000};
  check_part(opened.value(), range, out);
  const nlohmann::json part = nlohmann::json::parse(kino_test::file_content(out));
  std::vector<std::string> names;
  for (const auto& event : part["traceEvents"]) {
    names.push_back(event["name"]);
    if (event["name"] == "e") CHECK(event["ts"] == 130.0);
  }
  CHECK(names == std::vector<std::string>{"b", "nan", "c", "process_name", "e", "g", "memory"});
  CHECK(part["between"] == 1);
  CHECK(part["behind"] == 2);
}

TEST_CASE("a range without events gives only metadata") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(folder.write(
      "trace.json", R"({"traceEvents": [{"ph":"M","name":"process_name","pid":1,"args":{"name":"a"}},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1},{"ph":"X","name":"b","pid":1,"tid":1,"ts":9,"dur":1}]})"));
  REQUIRE(opened.ok());
  const auto out = folder.path() / "part.json";
  CHECK(trim(opened.value(), {4'000, 5'000}, out).events == 1);
  CHECK(nlohmann::json::parse(kino_test::file_content(out))["traceEvents"].size() == 1);
}

TEST_CASE("trimming real traces keeps all slices, links and names of the range, for plain and gzip") {
  const kino_test::TemporaryFolder folder;
  std::mt19937_64 random(7);
  std::size_t tried = 0;
  for (const auto& file : kino_test::real_files({"kineto/hta", "kineto/torch-1.13-cpu"})) {
    if (std::filesystem::file_size(file) > (std::uintmax_t{4} << 20) || tried == 8) continue;
    const auto opened = kino_test::open(file);
    if (!opened.ok() || opened.value().trace->slice_count() == 0) continue;
    CAPTURE(file);
    ++tried;
    const TimeRange all = opened.value().trace->content;
    const auto third = std::max<std::int64_t>(1, all.length_ns() / 3);
    const std::int64_t begin =
        all.begin_ns + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * third));
    const TimeRange range{begin, begin + std::max<std::int64_t>(1, third / 8)};
    check_part(opened.value(), range, folder.path() / (tried % 2 == 0 ? "part.json" : "part.json.gz"));
  }
}

TEST_CASE("a stopped or failed trim leaves the target unchanged") {
  const kino_test::TemporaryFolder folder;
  const auto opened = kino_test::open(
      folder.write("trace.json", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}])"));
  REQUIRE(opened.ok());
  const auto out = folder.write("part.json", "before");
  std::stop_source stop;
  stop.request_stop();
  std::atomic<std::uint64_t> read{0};
  const auto written =
      kino::write_trimmed(*opened.value().trace, *opened.value().text, {0, 1}, out, read, stop.get_token());
  REQUIRE(!written.ok());
  CHECK(written.error().kind == kino::Error::Kind::cancelled);
  CHECK(kino_test::file_content(out) == "before");
  const auto nowhere = kino::write_trimmed(*opened.value().trace, *opened.value().text, {0, 1},
                                           folder.path() / "no" / "part.json", read, {});
  CHECK(!nowhere.ok());
}

TEST_CASE("a text file replaces the target of a link, keeps its mode, and writes directly to pipes") {
  const kino_test::TemporaryFolder folder;
  const auto target = folder.write("target.json", "before");
  REQUIRE(::chmod(target.c_str(), 0640) == 0);
  const auto link = folder.path() / "link.json";
  std::filesystem::create_symlink("target.json", link);
  auto file = kino::TextFile::create(link);
  REQUIRE(file.ok());
  CHECK(!file.value().write("after"));
  CHECK(kino_test::file_content(target) == "before");
  REQUIRE(file.value().finish().ok());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(kino_test::file_content(target) == "after");
  struct stat status {};
  REQUIRE(::stat(target.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0640);

  // A dangling link, through another link, remains as well.
  const auto chain = folder.path() / "chain.json";
  std::filesystem::create_directory(folder.path() / "below");
  std::filesystem::create_symlink("below/next.json", chain);
  std::filesystem::create_symlink("../new.json", folder.path() / "below" / "next.json");
  auto dangling = kino::TextFile::create(chain);
  REQUIRE(dangling.ok());
  CHECK(!dangling.value().write("made"));
  REQUIRE(dangling.value().finish().ok());
  CHECK(std::filesystem::is_symlink(chain));
  CHECK(std::filesystem::is_symlink(folder.path() / "below" / "next.json"));
  CHECK(kino_test::file_content(folder.path() / "new.json") == "made");

  auto device = kino::TextFile::create("/dev/null");
  REQUIRE(device.ok());
  CHECK(!device.value().write("gone"));
  CHECK(device.value().finish().ok());
  CHECK(std::filesystem::is_character_file("/dev/null"));
}
