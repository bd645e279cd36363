// Covers: hang_analysis
// Hanging jobs, computed by hand.
#include "core/job/flight/hang_analysis.hpp"

#include <numeric>
#include <utility>

#include <doctest/doctest.h>

namespace hang_by_hand {
namespace {

using kino::FlightDump;
using kino::FlightEntry;
using kino::FlightState;

FlightDump dump_of(std::int64_t rank, std::vector<std::int64_t> ranks) {
  FlightDump dump;
  dump.rank = rank;
  dump.groups.push_back({std::to_string(100 + rank), "TP", std::move(ranks), -1, -1, -1});
  return dump;
}

FlightEntry entry(std::int64_t sequence, FlightState state = FlightState::scheduled) {
  FlightEntry it;
  it.state = state;
  it.sequence = sequence;
  it.operation = "nccl:all_reduce";
  it.input_sizes = "[[8]]";
  it.dtypes = "Float";
  it.created_ns = 1000 + sequence;
  return it;
}

}  // namespace

TEST_CASE("a rank that never enqueued an operation is missing, whatever its name for the group is") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1, 2}), dump_of(1, {0, 1, 2}), dump_of(2, {0, 1, 2})};
  dumps[0].entries = {entry(5), entry(6)};
  dumps[1].entries = {entry(5)};
  dumps[2].entries = {entry(4, FlightState::completed)};
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  REQUIRE(hang.groups.size() == 1);
  CHECK(hang.groups[0].sequence == 5);
  CHECK((hang.groups[0].waiting == std::vector<std::int64_t>{0, 1}));
  CHECK((hang.groups[0].missing == std::vector<std::int64_t>{2}));
  CHECK(hang.stuck.empty());
  CHECK((hang.suspects() == std::vector<std::int64_t>{2}));
  CHECK((hang.idle == std::vector<std::int64_t>{2}));
  CHECK(kino::hang_verdict(hang).str().starts_with("Rank 2 never entered"));
}

TEST_CASE("a rank that waits in an operation that others have completed is stuck") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  dumps[0].entries = {entry(5), entry(6)};
  dumps[1].entries = {entry(5, FlightState::completed), entry(6)};
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK((hang.suspects() == std::vector<std::int64_t>{0}));
  CHECK(hang.stuck.at(0) == 1);
  CHECK(kino::hang_verdict(hang).str().starts_with("Rank 0 is stuck in an operation"));
}

TEST_CASE("a rank whose status includes an operation is not missing, even if its ring has lost the entry") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  dumps[0].entries = {entry(5)};
  dumps[1].groups[0].last_completed = 7;
  dumps[1].groups[0].last_enqueued = 7;
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK(hang.missing.empty());
  CHECK((hang.suspects() == std::vector<std::int64_t>{0}));
}

TEST_CASE("lists ranks without a dump without blaming them") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1})};
  dumps[0].entries = {entry(5)};
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK(hang.suspects().empty());
  CHECK((hang.no_dump == std::vector<std::int64_t>{1}));
  CHECK(kino::hang_verdict(hang).str().starts_with("One dump does not show which rank blocks the others"));
}

TEST_CASE("lists ranks without a dump in groups that do not wait") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1})};
  dumps[0].entries = {entry(5)};
  dumps[0].groups.push_back({"1", "default_pg", {0, 1, 2, 3}, -1, -1, -1});
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  REQUIRE(hang.groups.size() == 1);
  CHECK((hang.groups[0].no_dump == std::vector<std::int64_t>{1}));
  CHECK((hang.no_dump == std::vector<std::int64_t>{1, 2, 3}));
}

TEST_CASE("groups with outstanding messages count as groups with outstanding operations") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  for (FlightDump& dump : dumps) dump.groups.push_back({"1", "PP", {0, 1}, -1, -1, -1});
  dumps[0].entries = {entry(5), entry(-1)};
  dumps[0].entries[1].message = true;
  dumps[0].entries[1].group = 1;
  dumps[1].entries = {entry(5)};
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK(hang.groups.size() == 1);
  CHECK(hang.outstanding_groups == 2);
}

TEST_CASE("if several dumps show no culprit, ranks without a dump are listed") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1, 2}), dump_of(1, {0, 1, 2})};
  dumps[0].entries = {entry(5)};
  dumps[1].entries = {entry(5)};
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK(hang.suspects().empty());
  CHECK(kino::hang_verdict(hang).str().find("Rank 2 has no dump") != std::string::npos);
}

TEST_CASE("reports ranks that differ in operation, size or type at one sequence number") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  dumps[0].entries = {entry(5), entry(6), entry(7)};
  dumps[1].entries = {entry(5), entry(6), entry(7)};
  dumps[1].entries[0].operation = "nccl:broadcast";
  dumps[1].entries[1].input_sizes = "[[9]]";
  dumps[1].entries[2].dtypes = "BFloat16";
  const auto& mismatches = kino::analyze_hang(dumps).mismatches;
  REQUIRE(mismatches.size() == 3);
  CHECK(mismatches[0].kind == kino::MismatchKind::operation);
  CHECK(mismatches[1].kind == kino::MismatchKind::size);
  CHECK(mismatches[2].kind == kino::MismatchKind::dtype);
}

TEST_CASE("counts messages per pair of job ranks, from their ranks in the group") {
  std::vector<FlightDump> dumps{dump_of(4, {4, 9}), dump_of(9, {4, 9})};
  FlightEntry send = entry(-1);
  send.message = true;
  send.operation = "nccl:send 0->1";
  dumps[0].entries = {send, send};
  FlightEntry receive = send;
  receive.operation = "nccl:recv 1<-0";
  dumps[1].entries = {receive};
  const auto messages = kino::analyze_hang(dumps).messages;
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].from == 4);
  CHECK(messages[0].to == 9);
  CHECK(messages[0].sends == 2);
  CHECK(messages[0].receives == 1);
}

TEST_CASE("dumps without any operation show nothing about a hang") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK(kino::hang_verdict(hang) ==
        "The dumps contain no operations, so they do not show whether the job "
        "hangs.");
  CHECK((hang.silent == std::vector<std::int64_t>{0, 1}));
  CHECK(hang.idle.empty());
  CHECK(kino::hang_time_text(hang).empty());
  dumps[0].has_status = true;  // its groups are unknown, but the rank has no outstanding operation
  hang = kino::analyze_hang(dumps);
  CHECK((hang.idle == std::vector<std::int64_t>{0}));
  CHECK((hang.silent == std::vector<std::int64_t>{1}));
  dumps[0].entries = {entry(5, FlightState::completed)};
  CHECK(kino::hang_verdict(kino::analyze_hang(dumps)) ==
        "No dump contains an outstanding operation. The dump of rank 1 contains no operations, so it does "
        "not show whether the rank hangs.");
}

TEST_CASE("does not blame a rank with an empty dump: it counts as a rank without a dump") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  dumps[0].entries = {entry(5)};
  const kino::HangAnalysis hang = kino::analyze_hang(dumps);
  CHECK(hang.suspects().empty());
  CHECK((hang.no_dump == std::vector<std::int64_t>{1}));
  dumps[1].has_status = true;
  CHECK((kino::analyze_hang(dumps).suspects() == std::vector<std::int64_t>{1}));
}

TEST_CASE("outstanding messages are outstanding operations") {
  std::vector<FlightDump> dumps{dump_of(0, {0, 1})};
  dumps[0].entries = {entry(-1)};
  dumps[0].entries[0].message = true;
  dumps[0].entries[0].operation = "nccl:send 0->1";
  CHECK(kino::hang_verdict(kino::analyze_hang(dumps)).str().starts_with("Only messages between two ranks"));
}

TEST_CASE("shows messages with ranks of the job if the dump lists those of the group") {
  FlightDump dump = dump_of(4, {4, 9, 12});
  FlightEntry message = entry(-1);
  message.operation = "nccl:send 0->2";
  CHECK(kino::operation_text(dump, message) == "nccl:send 4->12");
  message.operation = "nccl:recv 1<-2";
  CHECK(kino::operation_text(dump, message) == "nccl:recv 9<-12");
  message.operation = "nccl:send 0->7";
  CHECK(kino::operation_text(dump, message) == "nccl:send 0->7");
  CHECK(kino::operation_text(dump, entry(5)) == "nccl:all_reduce");
  message.group = 3;
  CHECK(kino::operation_text(dump, message) == "nccl:send 0->7");
}

TEST_CASE("a hang lasts from the last activity to the files' times, or to the first timeout") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kNow = 1'758'581'237 * kSecond;
  std::vector<FlightDump> dumps{dump_of(0, {0, 1}), dump_of(1, {0, 1})};
  dumps[0].entries = {entry(5), entry(6)};
  dumps[1].entries = {entry(4, FlightState::completed)};
  dumps[0].entries[0].created_ns = kNow;
  dumps[0].entries[1].created_ns = kNow + 10 * kSecond;
  dumps[1].entries[0].created_ns = kNow - kSecond;
  dumps[1].entries[0].completed_ns = kNow + 20 * kSecond;
  const auto text = [&] { return kino::hang_time_text(kino::analyze_hang(dumps)); };
  CHECK(text().empty());
  dumps[0].entries[0].timeout_ms = 600'000;
  dumps[0].entries[1].timeout_ms = 60'000;  // times out first, after 70 s
  CHECK(text() ==
        "The job had made no progress for 50 s if the dumps were written at the first timeout (1 min 0 s). "
        "The modification times of the files are unknown.");
  dumps[0].written_ns = kNow + 80 * kSecond;
  dumps[1].written_ns = kNow + 75 * kSecond;
  CHECK(text() ==
        "The job had made no progress for 55 s when the dumps were written (according to the modification "
        "times of the files).");
  for (const std::int64_t copied : {kNow + 86'400 * kSecond, kNow + 19 * kSecond}) {
    dumps[0].written_ns = dumps[1].written_ns = copied;
    CHECK(text().str().ends_with("The modification times of the files are too far from that."));
  }
  dumps[0].entries[0].timeout_ms = dumps[0].entries[1].timeout_ms = INT64_MAX;
  CHECK(kino::analyze_hang(dumps).time.hung_ns > 0);
  dumps[0].entries[0].state = dumps[0].entries[1].state = FlightState::completed;
  CHECK(text().empty());
}

TEST_CASE("without dumps or outstanding operations no rank is blamed") {
  CHECK(kino::analyze_hang({}).suspects().empty());
  std::vector<FlightDump> dumps{dump_of(0, {0})};
  dumps[0].entries = {entry(1, FlightState::completed)};
  CHECK(kino::hang_verdict(kino::analyze_hang(dumps))
            .str()
            .starts_with("The dumps contain no outstanding operation"));
}

TEST_CASE("lists at most twelve ranks") {
  CHECK(kino::ranks_text({}).empty());
  CHECK(kino::ranks_text({7}) == "7");
  CHECK(kino::ranks_text({0, 7}) == "0 and 7");
  CHECK(kino::ranks_text({0, 4, 7}) == "0, 4 and 7");
  CHECK(kino::ranks_with_noun({9}) == "rank 9");
  CHECK(kino::ranks_with_noun({9, 14}) == "ranks 9 and 14");
  std::vector<std::int64_t> ranks(12);
  std::iota(ranks.begin(), ranks.end(), 0);
  CHECK(kino::ranks_text(ranks) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 11");
  ranks.insert(ranks.end(), {12, 13});
  CHECK(kino::ranks_text(ranks) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more");
}

}  // namespace hang_by_hand
