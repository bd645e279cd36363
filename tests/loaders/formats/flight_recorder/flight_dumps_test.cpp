// Covers: flight_dumps, flight_dump_reader, flight_format
// Dumps of jobs that hung with known injected faults, and damaged and hostile dumps.
#include <map>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/job/flight/hang.hpp"
#include "loaders/formats/flight_recorder/flight_dump_reader.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace flight_dumps {
namespace {

using Json = nlohmann::json;

kino::Result<kino::OpenedFile> open_any(const std::filesystem::path& path) {
  kino::OpenOptions options;
  options.cache_directory = std::filesystem::temp_directory_path();
  kino::LoadProgress progress;
  return kino::open_file(path, options, progress, {});
}

Json votes(const std::map<std::int64_t, std::uint64_t>& votes_of) {
  Json json = Json::object();
  for (const auto& [rank, count] : votes_of) json[std::to_string(rank)] = count;
  return json;
}

void check_case(const std::string& name, std::uint64_t outstanding_groups) {
  const auto folder = kino_test::real_data("flight_recorder/" + name);
  const auto golden_path = kino_test::real_data("flight_recorder/" + name + ".golden.json");
  if (!folder || !golden_path) return;
  const Json golden = Json::parse(kino_test::file_content(*golden_path));
  const auto opened = open_any(*folder);
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  const kino::HangRecording& hang = *std::get<kino::OpenedHang>(opened.value()).hang;
  CHECK(hang.dumps.size() == 16);
  CHECK(hang.problems.empty());
  CHECK(hang.analysis.outstanding_groups == outstanding_groups);
  CHECK((votes(hang.analysis.missing) == golden["missing_votes"]));
  CHECK((votes(hang.analysis.stuck) == golden["stuck_votes"]));
  Json groups = Json::array();
  for (const kino::WaitingGroup& group : hang.analysis.groups) {
    groups.push_back({{"group", group.description},
                      {"ranks", group.ranks},
                      {"seq", group.sequence},
                      {"op", group.operation},
                      {"waiting", group.waiting},
                      {"missing", group.missing},
                      {"stuck", group.stuck},
                      {"no_dump", group.no_dump}});
  }
  Json wanted = golden["found"];
  const auto by_name = [](const Json& a, const Json& b) {
    return std::pair(a["group"].get<std::string>(), a["ranks"]) <
           std::pair(b["group"].get<std::string>(), b["ranks"]);
  };
  std::sort(wanted.begin(), wanted.end(), by_name);
  std::sort(groups.begin(), groups.end(), by_name);
  CHECK_MESSAGE((groups == wanted), groups.dump(), wanted.dump());
  for (const auto& [rank, time] : golden["last_activity"].items())
    CHECK(hang.analysis.last_activity_ns.at(std::stoll(rank)) == time.get<std::int64_t>());
}

constexpr const char* kJson =
    R"({"version":"2.10","rank":3,"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 3]"}},)"
    R"("pg_status":{"0":{"last_enqueued_collective":9,"last_completed_collective":8}},)"
    R"("entries":[{"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":9,"profiling_name":"nccl:all_reduce",)"
    R"("state":"started","is_p2p":false,"input_sizes":[[8,1]],"input_dtypes":["Float"],"time_created_ns":1758581237535563290,)"
    R"("frames":[{"name":"step","filename":"/a/train.py","line":12}]}]})";

}  // namespace

TEST_CASE("process id and host are read only if the dump contains them") {
  std::string plain = kJson;
  const auto without = kino::read_flight_dump(plain, "dump_3", {});
  REQUIRE(without.ok());
  CHECK(without.value().pid == -1);
  CHECK(without.value().host.empty());
  std::string named = kJson;
  named.insert(1, R"("pid":4242,"hostname":"node07",)");
  const auto with = kino::read_flight_dump(named, "dump_3", {});
  REQUIRE(with.ok());
  CHECK(with.value().pid == 4242);
  CHECK(with.value().host == "node07");
  std::string hostile = kJson;
  hostile.insert(1, R"("pid":-7,"host":["a"],"thread_id":"23456244340032",)");
  const auto odd = kino::read_flight_dump(hostile, "dump_3", {});
  REQUIRE(odd.ok());
  CHECK(odd.value().pid == -1);
  CHECK(odd.value().host.empty());
}

TEST_CASE("ranks with an injected fault are named by the kind of fault") {
  check_case("gpu_error_1st", 30);
  check_case("lock_gil_1st", 18);
}

TEST_CASE("a folder of dumps has modification times, and empty dumps give no verdict") {
  const kino_test::TemporaryFolder folder;
  for (const char* name : {"trace_0", "trace_1"}) {
    folder.write(name,
                 R"({"version":"2.9","pg_config":{},"pg_status":{},"nccl_version":"2.21.5","entries":[]})");
  }
  const auto opened = open_any(folder.path());
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  const kino::HangRecording& hang = *std::get<kino::OpenedHang>(opened.value()).hang;
  REQUIRE(hang.dumps.size() == 2);
  CHECK(hang.dumps[0].written_ns > 0);
  CHECK_FALSE(hang.dumps[0].has_status);
  CHECK(kino::hang_verdict(hang.analysis).str().find("do not show whether the job hangs") !=
        std::string::npos);
}

TEST_CASE("a dump as JSON has groups, statuses, entries and their stacks") {
  std::string content = kJson;
  const auto dump = kino::read_flight_dump(content, "trace_7", {});
  REQUIRE(dump.ok());
  const kino::FlightDump& it = dump.value();
  CHECK(it.rank == 3);
  REQUIRE(it.groups.size() == 1);
  CHECK((it.groups[0].ranks == std::vector<std::int64_t>{0, 3}));
  CHECK(it.groups[0].last_completed == 8);
  REQUIRE(it.entries.size() == 1);
  CHECK(it.entries[0].sequence == 9);
  CHECK(it.entries[0].state == kino::FlightState::started);
  CHECK(it.entries[0].input_sizes == "[[8, 1]]");
  CHECK(it.entries[0].dtypes == "Float");
  CHECK(it.entries[0].created_ns == 1758581237535563290);
  REQUIRE(it.entries[0].frames.size() == 1);
  CHECK(it.entries[0].frames[0].function == "step");
  CHECK(it.entries[0].frames[0].line == 12);
}

TEST_CASE("a status without entries belongs to the group with the same rank in the order of numbers") {
  const auto status_dump = [](const std::string& entries) {
    std::string content =
        R"({"version":"2.9","pg_config":{"10":{"desc":"DP","ranks":"[0]"},"9":{"desc":"TP","ranks":"[0]"}},)"
        R"("pg_status":{"0":{"last_enqueued_collective":4},"3":{"last_enqueued_collective":7}},"entries":[)" +
        entries + "]}";
    auto dump = kino::read_flight_dump(content, "trace_0", {});
    REQUIRE(dump.ok());
    std::map<std::string, std::int64_t> enqueued;
    for (const kino::FlightGroup& group : dump.value().groups)
      enqueued[group.description] = group.last_enqueued;
    return enqueued;
  };
  CHECK((status_dump("") == std::map<std::string, std::int64_t>{{"TP", 4}, {"DP", 7}}));
  // If an entry contradicts the order, only its own number is used.
  CHECK((status_dump(R"({"pg_id":3,"process_group":["9","TP"],"collective_seq_id":7})") ==
         std::map<std::string, std::int64_t>{{"TP", 7}, {"DP", -1}}));
}

TEST_CASE("ranks with an injected fault lag behind in their statuses") {
  const auto folder = kino_test::real_data("flight_recorder/lock_gil_1st");
  if (!folder) return;
  const auto opened = open_any(*folder);
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  const kino::HangAnalysis& analysis = std::get<kino::OpenedHang>(opened.value()).hang->analysis;
  CHECK(kino::status_verdict(analysis.statuses) ==
        "The dumps of ranks 9 and 14 have no entries. According to their status, the ranks are up to 5 "
        "collectives behind the others.");
  std::map<std::string, std::optional<std::int64_t>> behind;
  for (const kino::GroupStatus& status : analysis.statuses) {
    if (status.rank == 9) behind[status.description] = status.behind();
  }
  CHECK(behind.at("TENSOR_MODEL_PARALLEL_GROUP") == std::optional<std::int64_t>(5));
  CHECK(behind.at("EXPERT_MODEL_PARALLEL_GROUP") == std::optional<std::int64_t>(3));
  CHECK(behind.at("TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP") == std::optional<std::int64_t>(1));
  CHECK(behind.at("EMBEDDING_GROUP") == std::optional<std::int64_t>(0));
  CHECK_FALSE(behind.at("PIPELINE_MODEL_PARALLEL_GROUP").has_value());  // its sequence numbers count messages
}

TEST_CASE("the rank is read from the end of the file name if the dump lacks it") {
  CHECK(kino::rank_in_dump_name("nccl_trace_rank_12") == 12);
  CHECK(kino::rank_in_dump_name("/tmp/x5/_dump_3") == 3);
  CHECK(kino::rank_in_dump_name("dump_7.json") == 7);
  CHECK(kino::rank_in_dump_name("dump") == -1);
}

TEST_CASE("truncated dumps, and dumps that would execute code, are refused with a message") {
  std::string json = kJson;
  for (std::size_t length = 0; length < json.size(); length += 7) {
    std::string cut = json.substr(0, length);
    CHECK_FALSE(kino::read_flight_dump(cut, "a", {}).ok());
  }
  using namespace std::string_literals;
  std::string evil = "\x80\x02}(X\x09\0\0\0pg_config"s + "cposix\nsystem\n"s + "X\x02\0\0\0ls"s + "\x85Ru."s;
  const auto refused = kino::read_flight_dump(evil, "a", {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().what.str().find("would run code") != std::string::npos);
}

TEST_CASE("one dump opens alone, and other files next to dumps are skipped") {
  const kino_test::TemporaryFolder folder;
  folder.write("dump_3.json", kJson);
  folder.write("notes.txt", "nothing");
  for (const auto& path : {folder.path(), folder.path() / "dump_3.json"}) {
    const auto opened = open_any(path);
    REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
    const auto* const hang = std::get_if<kino::OpenedHang>(&opened.value());
    REQUIRE(hang != nullptr);
    CHECK(hang->hang->dumps.size() == 1);
    CHECK((hang->hang->analysis.no_dump == std::vector<std::int64_t>{0}));
  }
}

TEST_CASE("a dump behind a link to a file that may not be opened is skipped") {
  const kino_test::TemporaryFolder folder;
  const kino_test::TemporaryFolder outside;
  folder.write("dump_3.json", kJson);
  outside.write("dump_4.json", kJson);
  std::filesystem::create_symlink(outside.path() / "dump_4.json", folder.path() / "dump_4.json");
  kino::OpenOptions options;
  const auto dumps = [&] {
    kino::LoadProgress progress;
    const auto opened = kino::open_file(folder.path(), options, progress, {});
    REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
    return std::get<kino::OpenedHang>(opened.value()).hang->dumps.size() +
           std::get<kino::OpenedHang>(opened.value()).hang->problems.size();
  };
  CHECK(dumps() == 2);
  options.may_open = [root = std::filesystem::canonical(folder.path())](const std::filesystem::path& path) {
    return std::filesystem::canonical(path).string().starts_with(root.string());
  };
  CHECK(dumps() == 1);
}

TEST_CASE("traces next to dumps are listed, and open if dumps are disabled") {
  const kino_test::TemporaryFolder folder;
  folder.write("dump_3.json", kJson);
  folder.write("config.json", R"({"learning_rate": 1})");
  const auto beside = [&] {
    const auto opened = open_any(folder.path());
    REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
    return std::get<kino::OpenedHang>(opened.value()).hang->beside;
  };
  CHECK(beside().empty());
  folder.write("rank3.json",
               R"({"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,)"
               R"("ts":1,"dur":1}]})");
  CHECK(beside() == std::vector<std::string>{"rank3.json"});
  kino::OpenOptions options;
  options.cache_directory = folder.path();
  options.dumps = false;
  kino::LoadProgress progress;
  const auto opened = kino::open_file(folder.path(), options, progress, {});
  REQUIRE_MESSAGE(opened.ok(), opened.error().what.str());
  CHECK(std::holds_alternative<kino::OpenedTrace>(opened.value()));
}

}  // namespace flight_dumps
