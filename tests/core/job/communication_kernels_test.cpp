// Covers: communication_kernels, job_analysis, rank_digest, interval_times
// Packed kernels and intervals of a rank, and sequence numbers of kernels as recorded by torch before Seq.
#include "core/job/communication_kernels.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/interval_times.hpp"
#include "core/job/job_analysis.hpp"
#include "core/job/rank_digest.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/job_fixture.hpp"

using kino::CommunicationKernel;
using kino::CommunicationKernels;
using kino::EventFixture;
using kino::RankDigest;
using kino::TraceInterval;
using kino::TraceIntervals;

namespace {

auto all_of(const CommunicationKernel& it) {
  return std::tuple(it.start_ns, it.duration_ns, it.in_elements, it.out_elements, it.sequence,
                    it.communication, it.source, it.target, it.step, it.slice, it.group, it.family,
                    it.algorithm, it.dtype, it.stream, it.kind, it.evidence, it.custom);
}

/// Kernels with few or many different values of each member, sorted by start.
std::vector<CommunicationKernel> random_kernels(std::size_t count, bool wild) {
  std::mt19937_64 random(count);
  const auto number = [&](std::uint64_t few) { return wild ? random() : random() % few; };
  std::vector<CommunicationKernel> kernels(count);
  std::int64_t at = 0;
  for (CommunicationKernel& it : kernels) {
    at += static_cast<std::int64_t>(random() % 1'000'000);
    it.start_ns = at;
    it.duration_ns = static_cast<std::int64_t>(random() % 100'000);
    it.in_elements = static_cast<std::int64_t>(number(3));
    it.out_elements = static_cast<std::int64_t>(number(2));
    it.sequence = static_cast<std::int64_t>(number(1000));
    it.communication = number(1);
    it.source = static_cast<std::int64_t>(number(2));
    it.target = static_cast<std::int64_t>(number(2));
    it.step = static_cast<std::int64_t>(number(4));
    it.slice = kino::SliceId{static_cast<std::uint32_t>(number(100'000))};
    it.group = static_cast<std::uint32_t>(number(2));
    it.family = static_cast<std::uint32_t>(number(2));
    it.algorithm = static_cast<std::uint32_t>(number(2));
    it.dtype = static_cast<std::uint32_t>(number(2));
    it.stream = static_cast<std::uint32_t>(number(2));
    it.kind = static_cast<kino::CollectiveKind>(random() % 4);
    it.evidence = static_cast<kino::GroupEvidence>(random() % 5);
    it.custom = random() % 2 != 0;
  }
  return kernels;
}

}  // namespace

TEST_CASE("packed kernels unpack to equal kernels, with few kinds and with all different") {
  for (const std::size_t count : {0U, 1U, 128U, 777U}) {
    for (const bool wild : {false, true}) {
      const std::vector<CommunicationKernel> kernels = random_kernels(count, wild);
      const CommunicationKernels packed(kernels);
      REQUIRE(packed.size() == count);
      CHECK(packed.sound(std::numeric_limits<std::int64_t>::max() / 3));
      if (wild) CHECK(packed.calls().size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(all_of(packed[i]) == all_of(kernels[i]));
        REQUIRE(packed.end_ns(i) == kernels[i].end_ns());
        REQUIRE(packed.sequence(i) == kernels[i].sequence);
        REQUIRE(packed.step(i) == kernels[i].step);
        REQUIRE(packed.slice(i) == kernels[i].slice);
        REQUIRE(packed.operation(i).group == kernels[i].group);
      }
    }
  }
}

TEST_CASE("rejects kernels that are unsorted, too long or of missing calls") {
  std::vector<CommunicationKernel> kernels = random_kernels(200, false);
  CHECK_FALSE(CommunicationKernels(kernels).sound(kernels.back().start_ns - 1));
  kernels[150].duration_ns = -1;
  CHECK_FALSE(CommunicationKernels(kernels).sound(1'000'000'000'000));
  kernels[150].duration_ns = 1;
  CHECK(CommunicationKernels(kernels).sound(1'000'000'000'000));
  CommunicationKernels less(kernels);
  std::get<1>(less.members()).pop_back();
  CHECK_FALSE(less.sound(1'000'000'000'000));
  CommunicationKernels none(kernels);
  std::get<2>(none.members()).clear();
  CHECK_FALSE(none.sound(1'000'000'000'000));
  std::swap(kernels[3].start_ns, kernels[190].start_ns);
  CHECK_FALSE(CommunicationKernels(kernels).sound(1'000'000'000'000));
}

TEST_CASE("packed intervals unpack to equal intervals, and parts with a wrong sum are rejected") {
  std::mt19937_64 random(5);
  std::vector<TraceInterval> stretches(300);
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    TraceInterval& it = stretches[i];
    it.previous = i % 50 == 0 ? TraceInterval::kNone : static_cast<std::uint32_t>(random() % i);
    it.overlapped_ns = static_cast<std::int64_t>(random() % 1000);
    for (std::size_t part = 0; part < it.times.size(); part += 1 + random() % 4) {
      it.times[part] = static_cast<std::int64_t>(random() % 100'000);
      it.length_ns += it.times[part];
    }
  }
  constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max() / 3;
  const auto check = [&](bool sound) {
    const TraceIntervals packed(stretches);
    REQUIRE(packed.size() == stretches.size());
    CHECK(packed.sound(stretches.size(), kMostNs) == sound);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const TraceInterval it = packed[i];
      REQUIRE(it.previous == stretches[i].previous);
      REQUIRE(it.length_ns == stretches[i].length_ns);
      REQUIRE(it.times == stretches[i].times);
      REQUIRE(it.overlapped_ns == stretches[i].overlapped_ns);
      REQUIRE(packed.previous(i) == it.previous);
      REQUIRE(packed.length_ns(i) == it.length_ns);
    }
  };
  check(true);
  CHECK_FALSE(TraceIntervals(stretches).sound(100, kMostNs));
  ++stretches[200].length_ns;
  check(false);
  --stretches[200].length_ns;
  stretches[7].times[1] = stretches[7].times[2] = kMostNs / 2 + 1;  // each one is valid
  stretches[7].length_ns = 0;
  for (const std::int64_t part : stretches[7].times) stretches[7].length_ns += part;
  check(false);
  stretches[7] = {3, -1, {-1}, 0};
  check(false);
}

namespace {

constexpr const char* kAllReduceKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";

/// Six all-reduces with these inputs of record_param_comms; `%` is replaced by the call's number.
RankDigest digest_with_inputs(const std::string& inputs, std::int64_t from, std::int64_t step = 1,
                              const char* kernel = kAllReduceKernel) {
  EventFixture events;
  for (std::int64_t i = 0; i < 6; ++i) {
    std::string text = inputs;
    if (const std::size_t at = text.find('%'); at != std::string::npos)
      text.replace(at, 1, std::to_string(from + step * i));
    const std::int64_t start = 100'000 * i;
    events.op("record_param_comms", start, 50'000).told({{'C', text}});
    events.op("nccl:all_reduce", start + 10'000, 30'000).told({{'I', "[[1000]]"}, {'T', R"(["float"])"}});
    events.launch(start + 20'000, 5'000, static_cast<std::uint32_t>(i + 1));
    events.kernel(kernel, start + 30'000, 40'000, static_cast<std::uint32_t>(i + 1));
  }
  return kino::digest_of(*events.build());
}

std::vector<std::int64_t> sequences_of(const RankDigest& digest) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < digest.kernels.size(); ++i) all.push_back(digest.kernels.sequence(i));
  return all;
}

const std::vector<std::int64_t> kNoSequences(6, -1);

}  // namespace

TEST_CASE("reads sequence numbers from record_param_comms, with and without tensors before them") {
  const std::vector<std::int64_t> expected{337, 338, 339, 340, 341, 342};
  // torch 2.1 and 2.2: tensors, number, address of the group, rank, name, split sizes.
  CHECK(sequences_of(digest_with_inputs(R"(["", "%", "94216837373056", "0", "", "[]", "[]"])", 337)) ==
        expected);
  CHECK(sequences_of(digest_with_inputs(R"(["%", "94216837373056", "0", "", "[]", "[]"])", 337)) == expected);
  // Unquoted numbers, and an empty list of tensors.
  CHECK(sequences_of(digest_with_inputs(R"(["[]", %, 94216837373056, 0, "", "[]", "[]"])", 337)) == expected);
  // torch 2.3: the group is a tuple, which is not recorded.
  CHECK(sequences_of(digest_with_inputs(R"(["", "%", "", "0", "", "[]", "[]", "0", "1", "8"])", 337)) ==
        expected);
}

TEST_CASE("does not take other integers of record_param_comms for sequence numbers") {
  // torch 2.4 and later: the number is a tuple. Rank, split sizes and the group's ranks follow.
  CHECK(sequences_of(digest_with_inputs(R"(["", "", "", "3", "", "[]", "[]", "0", "1", "8"])", 0)) ==
        kNoSequences);
  CHECK(sequences_of(digest_with_inputs(R"(["", "", "3", "", "[]", "[]", "-1", "-1", "1"])", 0)) ==
        kNoSequences);
  // Constant, descending, mostly jumping or non-integer numbers.
  CHECK(sequences_of(digest_with_inputs(R"(["", "1", "94216837373056", "0", "", "[]", "[]"])", 0)) ==
        kNoSequences);
  CHECK(sequences_of(digest_with_inputs(R"(["", "%", "94216837373056", "0", "", "[]", "[]"])", 9, -1)) ==
        kNoSequences);
  CHECK(sequences_of(digest_with_inputs(R"(["", "%", "94216837373056", "0", "", "[]", "[]"])", 9, 7)) ==
        kNoSequences);
  CHECK(sequences_of(digest_with_inputs(R"(["", "%.5", "94216837373056", "0", "", "[]", "[]"])", 9)) ==
        kNoSequences);
  for (const char* const broken :
       {"", "[", "[%", "%", "[]", R"(["", "%"])", R"(["", "99999999999999999999", "1", "0", "", "[]"])"})
    CHECK(sequences_of(digest_with_inputs(broken, 9)) == kNoSequences);
}

TEST_CASE("ignores call numbers in groups with messages, which some versions count on two ranks only") {
  EventFixture events;
  for (std::int64_t i = 0; i < 6; ++i) {
    const bool message = i == 2;
    const std::int64_t start = 100'000 * i;
    events.op("record_param_comms", start, 50'000)
        .told({{'C', R"(["", ")" + std::to_string(5 + i) + R"(", "77", "0", "", "[]", "[]"])"}});
    events.op(message ? "nccl:send 0->1" : "nccl:all_reduce", start + 10'000, 30'000);
    events.launch(start + 20'000, 5'000, static_cast<std::uint32_t>(i + 1));
    events.kernel(message ? "ncclDevKernel_SendRecv(ncclDevComm*)" : kAllReduceKernel, start + 30'000, 40'000,
                  static_cast<std::uint32_t>(i + 1));
  }
  CHECK(sequences_of(kino::digest_of(*events.build())) == kNoSequences);
}

TEST_CASE("ranks whose calls recorded numbers match exactly, whatever precedes the recording") {
  const char* const inputs = R"(["", "%", "94216837373056", "0", "", "[]", "[]"])";
  std::vector<RankDigest> digests;
  digests.push_back(digest_with_inputs(inputs, 337));
  digests.push_back(digest_with_inputs(inputs, 338));  // without the first one
  for (std::size_t i = 0; i < 2; ++i) {
    digests[i].rank = static_cast<std::int64_t>(i);
    digests[i].world_size = 2;
  }
  const kino::JobAnalysis job = kino::analyze_job(kino_test::job_of_digests(std::move(digests)));
  REQUIRE(job.matched.instances.size() == 5);
  for (const kino::CollectiveInstance& it : job.matched.instances) {
    CHECK(it.level == kino::MatchLevel::exact);
    CHECK(it.kernels.front().kernel == it.kernels.back().kernel + 1);
  }
}
