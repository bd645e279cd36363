// Covers: group_status, hang_analysis
// Statuses of dumps without entries, compared with the other dumps of the job.
#include "core/job/flight/group_status.hpp"

#include <optional>

#include <doctest/doctest.h>

#include "core/job/flight/hang_analysis.hpp"

namespace group_status {
namespace {

using kino::FlightDump;
using kino::FlightEntry;

/// A dump with a status and no entries, of a rank in the groups TP and DP.
FlightDump status_of(std::int64_t rank, std::int64_t tp, std::int64_t dp) {
  FlightDump dump;
  dump.rank = rank;
  dump.has_status = true;
  dump.groups.push_back({"0", "TP", {0, 1}, tp, -1, tp});
  dump.groups.push_back({"1", "DP", {0, 1}, dp, -1, dp});
  return dump;
}

/// Rank 0 waits in collective 5 of TP and has enqueued 7; in DP its status counts 9.
FlightDump waiting_rank() {
  FlightDump dump = status_of(0, 4, 9);
  for (const std::int64_t sequence : {5, 6, 7}) {
    FlightEntry entry;
    entry.sequence = sequence;
    entry.operation = "nccl:all_reduce";
    dump.entries.push_back(entry);
  }
  return dump;
}

}  // namespace

TEST_CASE("a status without entries reports how many collectives its rank is behind, per group") {
  const kino::HangAnalysis hang = kino::analyze_hang({waiting_rank(), status_of(1, 4, 9)});
  REQUIRE(hang.statuses.size() == 2);
  CHECK(hang.statuses[0].description == "TP");
  CHECK(hang.statuses[0].rank == 1);
  CHECK(hang.statuses[0].others_enqueued == 7);
  CHECK(hang.statuses[0].behind() == std::optional<std::int64_t>(3));
  CHECK(hang.statuses[1].behind() == std::optional<std::int64_t>(0));
  CHECK(kino::english_texts(kino::status_lines(hang.statuses)) ==
        std::vector<std::string>{"Rank 1 in TP [0 and 1]: last enqueued 4, last started ?, last completed 4; "
                                 "3 collectives behind the others",
                                 "Rank 1 is in sync with the others in 1 other group"});
  CHECK((hang.suspects() == std::vector<std::int64_t>{1}));
  CHECK(kino::hang_verdict(hang).str().starts_with("Rank 1 never entered"));
  CHECK(kino::hang_verdict(hang).str().ends_with(
      "The dump of rank 1 has no entries. According to its status, the rank is up to 3 collectives behind "
      "the others."));
}

TEST_CASE("statuses are compared if no dump has entries") {
  const kino::HangAnalysis hang = kino::analyze_hang({status_of(0, 5, 9), status_of(1, 4, 9)});
  CHECK(kino::hang_verdict(hang) ==
        "The dump of rank 1 has no entries. According to its status, the rank is up to 1 collective behind "
        "the others. "
        "The dump of rank 0 has no entries. According to its status, the rank is not behind the others.");
  const std::vector<std::string> lines = kino::english_texts(kino::status_lines(hang.statuses));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].ends_with("in sync with the others"));
  CHECK(lines[1].ends_with("1 collective ahead of the others"));
  CHECK(kino::status_lines(hang.statuses)[1]
            .str(kino::Language::japanese)
            .ends_with("ほかのランクより集合通信 1 回先行"));
  CHECK(lines[2].ends_with("1 collective behind the others"));
}

TEST_CASE("ranks that are equally far behind share a sentence") {
  std::vector<FlightDump> dumps{waiting_rank(), status_of(1, 4, 9), status_of(2, 4, 9)};
  for (FlightDump& dump : dumps) {
    for (kino::FlightGroup& group : dump.groups) group.ranks = {0, 1, 2};
  }
  CHECK(kino::status_verdict(kino::analyze_hang(dumps).statuses) ==
        "The dumps of ranks 1 and 2 have no entries. According to their status, the ranks are up to 3 "
        "collectives behind the others.");
}

TEST_CASE("does not compare single statuses and statuses that count messages") {
  const kino::HangAnalysis one = kino::analyze_hang({status_of(1, 4, -1)});
  REQUIRE(one.statuses.size() == 1);
  CHECK_FALSE(one.statuses[0].behind());
  CHECK(kino::hang_verdict(one) ==
        "The dump of rank 1 has no entries. Its status cannot be compared with other dumps.");
  CHECK(kino::status_lines(one.statuses)[0].str().ends_with(
      "last enqueued 4, last started ?, last completed 4; not comparable with the others"));
  FlightDump sender = waiting_rank();
  sender.entries[0].message = true;
  const kino::HangAnalysis both = kino::analyze_hang({sender, status_of(1, 4, 9)});
  REQUIRE(both.statuses.size() == 2);
  CHECK(both.statuses[0].description == "DP");
  CHECK_FALSE(both.statuses[1].behind());
}

TEST_CASE("dumps without a status have no lines") {
  FlightDump silent = status_of(1, -1, -1);
  silent.has_status = false;
  const kino::HangAnalysis hang = kino::analyze_hang({waiting_rank(), silent});
  CHECK(hang.statuses.empty());
  CHECK(kino::status_lines(hang.statuses).empty());
  CHECK(kino::status_verdict(hang.statuses).empty());
  CHECK(kino::statuses_without_entries({}).empty());
}

}  // namespace group_status
