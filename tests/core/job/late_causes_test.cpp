// Covers: late_causes, step_work
// Root causes of late arrivals in small jobs, computed by hand.
#include "core/job/late_causes.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

using kino::IntervalPart;
using kino::JobAnalysis;
using kino::LateCause;
using kino::LateStopReason;
using kino::TraceInterval;
using kino_test::add;
using kino_test::analysis_of;
using kino_test::MadeRank;
using kino_test::ranks_of;

namespace {

constexpr int kRounds = 10;

void add_stretch(MadeRank& rank, IntervalPart most, std::int64_t length_ns) {
  TraceInterval& stretch = rank.stretches.emplace_back();
  if (rank.stretches.size() == 1) return;
  stretch.previous = static_cast<std::uint32_t>(rank.stretches.size() - 2);
  stretch.length_ns = length_ns;
  stretch.times[static_cast<std::size_t>(most)] = length_ns;
}

/// Four ranks: 0 and 1 reduce between them, and 1 is 300 us late. Then all four reduce, and 0 is last
/// because it waited for 1.
std::vector<MadeRank> chain() {
  std::vector<MadeRank> ranks = ranks_of({0, 1, 2, 3}, 4);
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t at = 1'000'000 * i + 13'000 * (i % 3);
    for (const int r : {0, 1}) {
      MadeRank& rank = ranks[static_cast<std::size_t>(r)];
      if (i == 0) rank.groups.push_back({"1", "pair", {0, 1}});
      kino::CommunicationKernel& pair = add(rank, at + (r == 1 ? 300'000 : 0), at + 320'000, i);
      pair.group = 1;
      pair.in_elements = pair.out_elements = 1000;
      add_stretch(rank, IntervalPart::garbage_collection, 500'000 + (r == 1 ? 300'000 : 0));
      add(rank, at + (r == 0 ? 420'000 : 380'000), at + 450'000, i);
      add_stretch(rank, IntervalPart::compute, r == 0 ? 100'000 : 60'000);
    }
    for (const int r : {2, 3}) {
      add(ranks[static_cast<std::size_t>(r)], at + 100'000, at + 450'000, i);
      add_stretch(ranks[static_cast<std::size_t>(r)], IntervalPart::compute, 650'000);
    }
  }
  return ranks;
}

}  // namespace

TEST_CASE(
    "does not blame a rank that was late because it waited, and reports the activity of the awaited rank") {
  const JobAnalysis job = analysis_of(chain());
  REQUIRE(job.causes.size() == 2 * kRounds);
  std::size_t chained = 0;
  for (const LateCause& cause : job.causes) {
    const kino::CollectiveWait& wait = job.waits.collectives[cause.collective];
    CHECK(cause.root == 1);
    const bool pair = wait.last == 1;
    CHECK(cause.hops == (pair ? 0 : 1));
    CHECK(cause.late_ns == (pair ? 300'000 : 320'000));
    if (cause.stop == LateStopReason::recording_begins) continue;
    ++chained;
    CHECK(cause.stop == LateStopReason::own);
    CHECK(cause.part == IntervalPart::garbage_collection);
    CHECK(cause.own_ns == 300'000);
  }
  CHECK(chained == 2 * (kRounds - 1));
  CHECK(job.waits.ranks[0].times_last == kRounds);
  CHECK(job.blame[0].collectives == 0);
  CHECK(job.blame[1].collectives == 2 * kRounds);
  CHECK(job.blame[1].caused_ns == job.waits.waiting_ns());
  CHECK(job.blame[1].own_ns[static_cast<std::size_t>(IntervalPart::garbage_collection)] ==
        300'000 * 2 * (kRounds - 1));
  // The pair waits 300 us in each round and all four 680 us; 300 of 320 us of lateness are explained.
  CHECK(job.blame[1].caused_ns == kRounds * 980'000);
  CHECK(job.blame[1].waited_ns[static_cast<std::size_t>(IntervalPart::garbage_collection)] ==
        (kRounds - 1) * (300'000 + 637'500));
  CHECK(job.blame[1].waited_unknown_ns[static_cast<std::size_t>(LateStopReason::recording_begins)] ==
        980'000);
  REQUIRE(job.straggler());
  CHECK(*job.straggler() == 1);
}

TEST_CASE("the waiting of a collective is split in proportion to the parts of the root's excess") {
  const JobAnalysis job = analysis_of(chain());
  const auto own = std::ranges::find(job.causes, LateStopReason::own, &LateCause::stop);
  REQUIRE(own != job.causes.end());
  LateCause cause = *own;
  cause.late_ns = 1000;
  cause.own_ns = 800;
  cause.overlapped_before_ns = 100;
  cause.caused_ns = 4000;
  cause.excess = {};
  cause.excess[static_cast<std::size_t>(IntervalPart::compute)] = 300;
  cause.excess[static_cast<std::size_t>(IntervalPart::cpu_busy)] = 400;
  cause.excess[static_cast<std::size_t>(IntervalPart::cpu_untraced)] = 400;
  cause.excess[static_cast<std::size_t>(IntervalPart::copy)] = -200;
  std::vector<const kino::RankDigest*> ranks;
  ranks.reserve(job.ranks.size());
  for (const auto& rank : job.ranks) ranks.push_back(rank.get());
  const auto waited = [&](IntervalPart part) {
    return kino::straggler_stats(std::span(&cause, 1), ranks)[cause.root]
        .waited_ns[static_cast<std::size_t>(part)];
  };
  // 3,200 ns of the waiting are explained. 100 ns of compute were done elsewhere.
  CHECK(waited(IntervalPart::compute) == 640);
  CHECK(waited(IntervalPart::cpu_busy) == 1280);
  CHECK(waited(IntervalPart::cpu_untraced) == 1280);
  CHECK(waited(IntervalPart::copy) == 0);
  cause.caused_ns = 800;  // a message: the other rank's waiting is at most the excess
  CHECK(waited(IntervalPart::cpu_busy) == 320);
}

TEST_CASE("reports no excess without a comparable rank, and explains no lateness within the uncertainty") {
  std::vector<MadeRank> ranks = ranks_of({0, 1}, 2);
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t at = 1'000'000 * i + 13'000 * (i % 3);
    // Sizes alternate, and rank 1 begins with an additional one.
    add(ranks[0], at, at + 450'000, i).in_elements = 1000 + i % 2;
    add_stretch(ranks[0], IntervalPart::compute, 100'000);
    add(ranks[1], at + (i == 0 ? 15'000 : 400'000), at + 450'000, i).in_elements = 1000 + i % 2;
    add_stretch(ranks[1], IntervalPart::compute, 500'000);
  }
  for (TraceInterval& stretch : ranks[1].stretches) {
    if (stretch.previous != TraceInterval::kNone && stretch.previous > 0) --stretch.previous;
  }
  const JobAnalysis job = analysis_of(std::move(ranks));
  REQUIRE(job.causes.size() == kRounds);
  CHECK(job.causes[0].stop == LateStopReason::too_small);
  CHECK(job.causes[1].stop == LateStopReason::own);
  for (std::size_t i = 2; i < job.causes.size(); ++i) {
    CAPTURE(i);
    CHECK(job.causes[i].stop == LateStopReason::nothing_to_compare);
  }
}

TEST_CASE("a rank is blamed for the sum of its small excesses") {
  // Two replicas of two ranks: 0 is 30 us late for its partner 1 twenty times, so that both are late for 2
  // and 3.
  constexpr int kPieces = 20;
  std::vector<MadeRank> ranks = ranks_of({0, 1, 2, 3}, 4);
  for (int r = 0; r < 4; ++r) {
    MadeRank& rank = ranks[static_cast<std::size_t>(r)];
    rank.groups[0] = {"dp", "", {r % 2, r % 2 + 2}};
    rank.groups.push_back({r < 2 ? "tp0" : "tp1", "",
                           r < 2 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{2, 3}});
  }
  for (int round = 0; round < 3; ++round) {
    const std::int64_t begin = 10'000'000 * round;
    for (int r = 0; r < 4; ++r) {
      MadeRank& rank = ranks[static_cast<std::size_t>(r)];
      const std::int64_t step_ns = r < 2 ? 230'000 : 200'000;  // from one collective of the pair to the next
      for (int i = 1; i <= kPieces; ++i) {
        const std::int64_t end = begin + step_ns * i;
        const std::int64_t early = r == 1 ? 30'000 : 0;
        kino::CommunicationKernel& pair = add(rank, end - 10'000 - early, end, kPieces * round + i);
        pair.group = 1;
        pair.in_elements = pair.out_elements = 1000;
        add_stretch(rank, IntervalPart::compute, step_ns - 10'000 - early);
      }
      const std::int64_t last = begin + step_ns * kPieces;
      add(rank, last + 50'000, begin + 230'000 * kPieces + 100'000, round);
      add_stretch(rank, IntervalPart::compute, 50'000);
    }
  }
  const JobAnalysis job = analysis_of(std::move(ranks));
  std::size_t of_replicas = 0;
  for (const LateCause& cause : job.causes) {
    if (cause.late_ns < 500'000 || cause.stop == LateStopReason::recording_begins) continue;
    ++of_replicas;
    CHECK(cause.root == 0);
    CHECK(cause.stop == LateStopReason::own);
    CHECK(cause.part == IntervalPart::compute);
    CHECK(cause.own_ns >= 300'000);
    CHECK(cause.own_ns <= 630'000);
    CHECK(cause.hops < 25);
  }
  CHECK(of_replicas >= 4);
}

TEST_CASE("equal compute next to messages at other places of a step blames no rank") {
  // Stages 0 and 1 of two pipelines: ranks 0 and 1 send two messages per step to 2 and 3, which then reduce.
  // Rank 2 waits for the second message and then computes; rank 3 computes most before it.
  std::vector<MadeRank> ranks = ranks_of({0, 1, 2, 3}, 4);
  for (int r = 0; r < 4; ++r) {
    MadeRank& rank = ranks[static_cast<std::size_t>(r)];
    rank.groups[0] = {"dp", "", {2, 3}};
    rank.groups.push_back({"pp", "", {r % 2, r % 2 + 2}});
  }
  const auto compute = [&](int r, std::int64_t begin_ns, std::int64_t end_ns) {
    ranks[static_cast<std::size_t>(r)].compute.push_back(
        {kino_test::kJobOrigin + begin_ns, kino_test::kJobOrigin + end_ns});
  };
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t at = 2'000'000 * i + 13'000 * (i % 3);
    const auto message = [&](int r, std::int64_t begin_ns, std::int64_t end_ns, int number) {
      MadeRank& rank = ranks[static_cast<std::size_t>(r)];
      kino::CommunicationKernel& it = add(rank, at + begin_ns, at + end_ns, 2 * i + number);
      it.kind = r < 2 ? kino::CollectiveKind::send : kino::CollectiveKind::receive;
      it.family = rank.texts.intern(r < 2 ? "send" : "receive");
      it.group = 1;
      it.source = r % 2;
      it.target = r % 2 + 2;
      it.step = i;
      add_stretch(rank, IntervalPart::cpu_untraced, 0);
    };
    for (const int r : {0, 1}) {
      message(r, 100'000, 110'000, 0);
      message(r, r == 0 ? 490'000 : 590'000, r == 0 ? 500'000 : 600'000, 1);
    }
    for (const int r : {2, 3}) {
      message(r, 0, 110'000, 0);
      message(r, r == 2 ? 120'000 : 520'000, r == 2 ? 500'000 : 600'000, 1);
      if (r == 3) compute(r, at + 110'000, at + 510'000);
      compute(r, at + (r == 2 ? 500'000 : 600'000), at + (r == 2 ? 1'000'000 : 700'000));
      MadeRank& rank = ranks[static_cast<std::size_t>(r)];
      add(rank, at + (r == 2 ? 1'000'000 : 700'000), at + 1'050'000, i).step = i;
      add_stretch(rank, IntervalPart::compute, r == 2 ? 500'000 : 100'000);
    }
  }
  const JobAnalysis job = analysis_of(std::move(ranks));
  std::size_t reduced = 0;
  for (const LateCause& cause : job.causes) {
    if (job.waits.collectives[cause.collective].last != 2 || cause.late_ns != 300'000) continue;
    ++reduced;
    CHECK(cause.stop != LateStopReason::own);
  }
  CHECK(reduced == kRounds);
  CHECK_FALSE(job.straggler());
}

namespace {

/// Four ranks reduce three times in each of seven steps of 10 ms; rank 3 has not recorded the last one. Rank
/// 1 computes 300 us longer before each reduction in the first `slow_steps`. Rank 2 has no events for 30 ms
/// in step 3.
std::vector<MadeRank> slow_and_once(int slow_steps) {
  constexpr int kEachStep = 3;
  std::vector<MadeRank> ranks = ranks_of({0, 1, 2, 3}, 4);
  std::int64_t at = 0;
  for (int i = 0; i < 7 * kEachStep; ++i) {
    const int step = i / kEachStep;
    const bool once = i == 3 * kEachStep + 1;
    at += 1'000'000 + 13'000 * (i % 5);
    if (i % kEachStep == 0) {
      at += 7'000'000;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        const std::int64_t begin = kino_test::kJobOrigin + at - 1'000'000;
        if (r < 3 || step < 6) ranks[r].steps.push_back({step, {begin, begin + 10'000'000}});
      }
    }
    const std::int64_t slow = step < slow_steps ? 300'000 : 0;
    const std::int64_t last = once ? 30'000'000 : slow;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::int64_t late = r == 1 ? slow : r == 2 && once ? 30'000'000 : 0;
      add(ranks[r], at + late, at + last + 50'000, i).step = step;
      add_stretch(ranks[r], r == 2 && once ? IntervalPart::cpu_untraced : IntervalPart::compute,
                  500'000 + late);
    }
    at += last;
  }
  return ranks;
}

}  // namespace

TEST_CASE("names a rank that is late in every step before one that was late once for longer") {
  const JobAnalysis job = analysis_of(slow_and_once(7));
  CHECK(job.whole_steps == 6);
  CHECK(job.waited_for_most() == 2);
  CHECK(job.straggler() == 1);
  CHECK(job.stragglers() == std::vector<std::uint32_t>{1, 2});
  CHECK(job.notable_stragglers() == std::vector<std::uint32_t>{1, 2});
  CHECK(job.recurs(1));
  CHECK_FALSE(job.recurs(2));
  // The last step is not whole, so it does not count.
  CHECK(job.blame[1].steps == 6);
  CHECK(job.blame[1].step_late_ns == 900'000);
  CHECK(job.blame[1].most_late_ns == 900'000);
  CHECK(job.blame[2].steps == 1);
  CHECK(job.blame[2].most_late_ns == 30'000'000);
  CHECK(job.blame[2].worst_step == 3);
}

TEST_CASE("lateness in fewer than most steps does not recur, and below 1 % of a step it does not count") {
  const JobAnalysis some = analysis_of(slow_and_once(3));
  CHECK(some.blame[1].steps == 3);
  CHECK_FALSE(some.recurs(1));
  CHECK(some.straggler() == 2);
  std::vector<MadeRank> ranks = slow_and_once(7);
  for (MadeRank& rank : ranks) {
    for (kino::RankStep& step : rank.steps) step.range.end_ns = step.range.begin_ns + 100'000'000;
  }
  const JobAnalysis long_steps = analysis_of(std::move(ranks));
  CHECK(long_steps.blame[1].steps == 0);
  CHECK(long_steps.blame[1].worst_step == -1);
  CHECK(long_steps.straggler() == 2);
}

TEST_CASE("a rank without steps does not make steps incomplete, and without steps no rank recurs") {
  std::vector<MadeRank> ranks = slow_and_once(7);
  ranks[0].steps.clear();
  CHECK(analysis_of(std::move(ranks)).whole_steps == 6);
  ranks = slow_and_once(7);
  for (MadeRank& rank : ranks) rank.steps.clear();
  const JobAnalysis job = analysis_of(std::move(ranks));
  CHECK(job.whole_steps == 0);
  CHECK_FALSE(job.recurs(1));
  CHECK(job.straggler() == 2);
}
