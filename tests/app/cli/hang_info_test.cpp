// Covers: hang_info
// Output of `info` for a hung job; naming a rank is not a failure of the command.
#include "app/cli/hang_info.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

/// Rank 4 sends to rank 9, which never receives.
kino::HangRecording two_ranks() {
  kino::HangRecording hang;
  for (const std::int64_t rank : {4, 9}) {
    kino::FlightDump dump;
    dump.rank = rank;
    dump.groups.push_back({"0", "PP", {4, 9}, 4, 4, 4});
    hang.dumps.push_back(dump);
  }
  kino::FlightEntry entry;
  entry.sequence = 5;
  entry.operation = "nccl:all_reduce";
  entry.created_ns = 1'000'000'000;
  entry.timeout_ms = 1000;
  hang.dumps[0].entries.push_back(entry);
  entry.message = true;
  entry.operation = "nccl:send 0->1";
  entry.created_ns = 1'500'000'000;
  hang.dumps[0].entries.push_back(entry);
  hang.analysis = kino::analyze_hang(hang.dumps);
  return hang;
}

}  // namespace

TEST_CASE("info of a hung job reports ranks of the job and the duration of the hang, and succeeds") {
  kino::HangRecording hang = two_ranks();
  REQUIRE_FALSE(hang.analysis.suspects().empty());
  const auto json = nlohmann::json::parse(kino::hang_info_json("job", hang));
  CHECK(json["hang"]["outstanding"][1]["op"] == "nccl:send 4->9");
  CHECK(json["hang"]["outstanding"][0]["before_newest_ns"] == 500'000'000);
  CHECK(json["hang"]["outstanding"][0]["age_ns"] == 500'000'000);
  CHECK(json["hang"]["stood"]["duration_ns"] == 500'000'000);
  CHECK(json["hang"]["stood"]["basis"] == "timeout");
  CHECK(kino::hang_info_text("job", hang).find("The job had made no progress for 500 ms") !=
        std::string::npos);
  CHECK(kino::hang_info_text("job", hang)
            .find("2 operations in 1 group; groups waiting in a collective: 1\n") != std::string::npos);
  CHECK(kino::hang_exit_code(hang, false) == 0);
  CHECK(kino::hang_exit_code(hang, true) == 0);
  hang.problems.emplace_back("cut");
  CHECK(kino::hang_exit_code(hang, false) == 0);
  CHECK(kino::hang_exit_code(hang, true) == 1);
}

TEST_CASE("info reports dumps without operations") {
  kino::HangRecording hang;
  hang.dumps.emplace_back().rank = 0;
  hang.analysis = kino::analyze_hang(hang.dumps);
  const std::string text = kino::hang_info_text("job", hang);
  CHECK(text.find("does not show whether the job hangs") != std::string::npos);
  CHECK(text.find("1 dump of the NCCL flight recorder") != std::string::npos);
  CHECK(text.find("The dump contains no operations") != std::string::npos);
  CHECK(text.find("0 operations in 0 groups;") != std::string::npos);
  CHECK(text.find("dump of rank 0\n") != std::string::npos);
  CHECK(text.find("no outstanding operation") == std::string::npos);
  const auto json = nlohmann::json::parse(kino::hang_info_json("job", hang));
  CHECK(json["hang"]["stood"]["duration_ns"].is_null());
  CHECK(json["hang"]["no_operations"].size() == 1);
  CHECK(kino::hang_exit_code(hang, true) == 1);
}

TEST_CASE("info reports the status of a dump without entries") {
  kino::HangRecording hang = two_ranks();
  hang.dumps[0].entries.pop_back();
  hang.analysis = kino::analyze_hang(hang.dumps);
  const std::string text = kino::hang_info_text("job", hang);
  CHECK(text.find("Rank 9 in PP [4 and 9]: last enqueued 4, last started 4, last completed 4; 1 collective "
                  "behind the others\n") != std::string::npos);
  const auto json = nlohmann::json::parse(kino::hang_info_json("job", hang));
  const auto& statuses = json["hang"]["statuses_without_entries"];
  REQUIRE(statuses.size() == 1);
  CHECK(statuses[0]["rank"] == 9);
  CHECK(statuses[0]["last_enqueued"] == 4);
  CHECK(statuses[0]["behind"] == 1);
}

TEST_CASE("info of a single dump names the ranks of the group that it does not have") {
  kino::HangRecording hang = two_ranks();
  hang.dumps.pop_back();
  hang.dumps[0].groups[0].ranks = {4, 9, 11};
  hang.dumps[0].entries.pop_back();
  hang.analysis = kino::analyze_hang(hang.dumps);
  const std::string text = kino::hang_info_text("job", hang);
  CHECK(text.find("1 operation in 1 group; groups") != std::string::npos);
  CHECK(text.find("PP [4, 9 and 11]: nccl:all_reduce 5; waiting: rank 4; no dump: ranks 9 and 11\n") !=
        std::string::npos);
}
