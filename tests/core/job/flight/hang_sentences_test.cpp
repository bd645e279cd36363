// Covers: hang_sentences
// Sentences on the parts of a hung job: rank 0 waits, rank 1 never entered, rank 2 has no operations.
#include "core/job/flight/hang_sentences.hpp"

#include <doctest/doctest.h>

namespace sentences_on_hangs {
namespace {

using kino::FlightEntry;
using kino::FlightState;

FlightEntry entry_of(std::int64_t sequence, FlightState state) {
  FlightEntry entry;
  entry.sequence = sequence;
  entry.operation = "nccl:all_reduce";
  entry.input_sizes = "[[8]]";
  entry.dtypes = "Float";
  entry.state = state;
  entry.created_ns = sequence * 1'000'000;
  entry.timeout_ms = 1000;
  return entry;
}

kino::HangRecording recording() {
  kino::HangRecording hang;
  hang.dumps.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    hang.dumps[i].rank = static_cast<std::int64_t>(i);
    hang.dumps[i].groups.push_back({"0", "default_pg", {0, 1, 2}, -1, -1, -1});
  }
  hang.dumps[0].entries = {entry_of(1, FlightState::completed), entry_of(2, FlightState::started),
                           entry_of(3, FlightState::scheduled)};
  hang.dumps[1].entries = {entry_of(1, FlightState::completed)};
  hang.analysis = kino::analyze_hang(hang.dumps);
  return hang;
}

}  // namespace

TEST_CASE("sentences on a rank name the operations that it waits in or never entered") {
  const kino::HangRecording hang = recording();
  CHECK(kino::rank_sentences(hang, 0) ==
        "Rank 0 waits in nccl:all_reduce 2 of default_pg [0, 1 and 2]. Outstanding operations of rank 0: 2.");
  CHECK(kino::rank_sentences(hang, 1) ==
        "Rank 1 has not entered nccl:all_reduce 2 of default_pg [0, 1 and 2], in which others wait. "
        "Outstanding operations of rank 1: 0.");
  CHECK(kino::rank_sentences(hang, 2) == "The dump of rank 2 contains no operations.");
}

TEST_CASE("sentences on a group list its ranks by state") {
  const kino::HangRecording hang = recording();
  CHECK(kino::group_sentences(hang, 0) ==
        "Ranks wait in nccl:all_reduce 2 of default_pg [0, 1 and 2]. Never entered: 1. Waiting: 0. Without a "
        "dump: 2.");
}

TEST_CASE("sentences on a rank in a group state its progress") {
  kino::HangRecording hang = recording();
  CHECK(kino::cell_sentences(hang, 0, 0) ==
        "Rank 0 waits in nccl:all_reduce 2 of default_pg [0, 1 and 2]. Last completed ?, last enqueued 3, "
        "outstanding 2.");
  hang.dumps[0].groups[0].description = "other";
  CHECK(kino::cell_sentences(hang, 0, 0) == "Rank 0 is not a member of default_pg [0, 1 and 2].");
}

TEST_CASE("sentences on an operation state its state, age, sizes and timeout") {
  const kino::HangRecording hang = recording();
  REQUIRE(hang.analysis.outstanding.size() == 2);
  CHECK(
      kino::operation_sentences(hang, 0) ==
      "Rank 0 has started nccl:all_reduce 2 of default_pg [0, 1 and 2] and not completed it. It was enqueued "
      "1 ms before the newest entry of all dumps. Inputs: [[8]] Float. Timeout: 1 s.");
  CHECK(kino::operation_sentences(hang, 1).str().starts_with(
      "Rank 0 has enqueued nccl:all_reduce 3 of default_pg [0, 1 and 2]; it has not started."));
}

TEST_CASE("an operation without group, time and sizes has a sentence with what is known") {
  kino::HangRecording hang;
  hang.dumps.resize(1);
  hang.dumps[0].entries.emplace_back();
  hang.dumps[0].entries[0].group = 9;
  hang.analysis.outstanding = {{-1, 0, 0}};
  CHECK(kino::operation_sentences(hang, 0) == "Rank ? has enqueued ? ? of ?; it has not started.");
}

}  // namespace sentences_on_hangs
