// Covers: pipelines, message_channels, collective_call
// Stages, chunks, bubble and channels of a pipeline of two stages, computed by hand.
#include "core/job/tables/pipelines.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/tables/message_channels.hpp"
#include "tests/fixtures/job_fixture.hpp"

using kino::ChunkKind;
using kino::CollectiveKind;
using kino::JobAnalysis;
using kino::Pipeline;
using kino::PipelineChunk;
using kino_test::kJobOrigin;
using kino_test::MadeRank;

namespace {

constexpr std::int64_t kMicrosecond = 1000;

void add_message(MadeRank& digest, std::int64_t source, std::int64_t target, std::int64_t start_us,
                 std::int64_t end_us, std::int64_t number, std::int64_t step) {
  kino::CommunicationKernel& kernel =
      kino_test::add(digest, start_us * kMicrosecond, end_us * kMicrosecond, number);
  kernel.kind = digest.rank == source ? CollectiveKind::send : CollectiveKind::receive;
  kernel.family = digest.texts.intern(digest.rank == source ? "send" : "receive");
  kernel.source = source;
  kernel.target = target;
  kernel.in_elements = kernel.out_elements = 1'000'000;
  kernel.dtype = digest.texts.intern("Float");
  kernel.step = step;
}

void add_compute(MadeRank& digest, std::int64_t begin_us, std::int64_t end_us) {
  digest.compute.push_back({kJobOrigin + begin_us * kMicrosecond, kJobOrigin + end_us * kMicrosecond});
}

/// Two steps of two micro-batches: forward and backward take 100 us each, a message 10.
std::vector<MadeRank> two_stages() {
  std::vector<MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (MadeRank& digest : digests) digest.groups[0] = {"7", "PIPELINE_MODEL_PARALLEL_GROUP", {0, 1}};
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t at = step * 1000;
    for (MadeRank& digest : digests)
      digest.steps.push_back(
          {step, {kJobOrigin + at * kMicrosecond, kJobOrigin + (at + 900) * kMicrosecond}});
    MadeRank& first = digests[0];
    MadeRank& last = digests[1];
    add_compute(first, at, at + 100);
    add_message(first, 0, 1, at + 100, at + 110, 2 * step, step);
    add_compute(first, at + 110, at + 210);
    add_message(first, 0, 1, at + 210, at + 310 + 10, 2 * step + 1, step);
    add_message(last, 0, 1, at, at + 110, 2 * step, step);
    add_compute(last, at + 110, at + 310);
    add_message(last, 1, 0, at + 310, at + 330, 2 * step, step);
    add_message(last, 0, 1, at + 310, at + 320, 2 * step + 1, step);
    add_compute(last, at + 330, at + 530);
    add_message(last, 1, 0, at + 530, at + 540, 2 * step + 1, step);
    add_message(first, 1, 0, at + 320, at + 330, 2 * step, step);
    add_compute(first, at + 330, at + 430);
    add_message(first, 1, 0, at + 430, at + 540, 2 * step + 1, step);
    add_compute(first, at + 540, at + 640);
  }
  for (MadeRank& digest : digests)
    std::ranges::stable_sort(digest.kernels, {}, &kino::CommunicationKernel::start_ns);
  return digests;
}

}  // namespace

TEST_CASE("ranks that exchange messages in a row are stages, starting with the first sender") {
  const JobAnalysis job = kino_test::analysis_of(two_stages());
  const std::vector<Pipeline> pipelines = kino::pipelines_of(job);
  REQUIRE(pipelines.size() == 1);
  const Pipeline& pipeline = pipelines.front();
  CHECK(pipeline.name == "7");
  CHECK_FALSE(pipeline.ring);
  CHECK(pipeline.ranks == std::vector<std::uint32_t>{0, 1});
  REQUIRE(pipeline.steps.size() == 2);
  CHECK(pipeline.steps[0].micro_batches == 2);
  CHECK(pipeline.steps[0].even_bubble_share() == doctest::Approx(1.0 / 3));
}

TEST_CASE("the bubble is waiting for messages without overlapping compute") {
  const JobAnalysis job = kino_test::analysis_of(two_stages());
  const Pipeline pipeline = kino::pipelines_of(job).at(0);
  const kino::StageTimes& first = pipeline.steps[0].stages[0];
  const kino::StageTimes& last = pipeline.steps[0].stages[1];
  CHECK(first.bubble_ns == 200 * kMicrosecond);  // its second send and its second receive, 100 each
  CHECK(first.busy_ns == 440 * kMicrosecond);
  CHECK(last.bubble_ns == 100 * kMicrosecond);
  CHECK(last.busy_ns == 440 * kMicrosecond);
  CHECK(first.straggling_ns == 0);
  CHECK(pipeline.bubble_share() == doctest::Approx(300.0 / 1180));
}

TEST_CASE("messages before and after a chunk determine forward and backward") {
  const JobAnalysis job = kino_test::analysis_of(two_stages());
  const Pipeline pipeline = kino::pipelines_of(job).at(0);
  REQUIRE(pipeline.chunks.size() == 2);
  const auto kinds = [&](std::size_t stage) {
    std::vector<ChunkKind> all;
    for (const PipelineChunk& it : pipeline.chunks[stage]) {
      if (it.step == 1) all.push_back(it.kind);
    }
    return all;
  };
  CHECK(kinds(0) == std::vector<ChunkKind>{ChunkKind::forward, ChunkKind::forward, ChunkKind::backward,
                                           ChunkKind::backward});
  CHECK(kinds(1) == std::vector<ChunkKind>{ChunkKind::both, ChunkKind::both});
  const PipelineChunk& second = pipeline.chunks[0][1];
  CHECK(second.number == 1);
  CHECK(second.range.begin_ns - kJobOrigin == 110 * kMicrosecond);
  CHECK(second.range.end_ns - kJobOrigin == 210 * kMicrosecond);
}

TEST_CASE("numbers the last stage's chunks across one that is forward and backward") {
  // GPipe: the last stage has no message between its last forward and its first backward.
  std::vector<MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (MadeRank& digest : digests) {
    digest.groups[0] = {"7", "PIPELINE_MODEL_PARALLEL_GROUP", {0, 1}};
    digest.steps.push_back({0, {kJobOrigin, kJobOrigin + 900 * kMicrosecond}});
  }
  for (std::int64_t i = 0; i < 2; ++i) {
    add_compute(digests[0], 100 * i, 100 * i + 90);
    add_message(digests[0], 0, 1, 100 * i + 90, 100 * i + 100, i, 0);
    add_message(digests[1], 0, 1, 100 * i + 10, 100 * i + 100, i, 0);
  }
  add_compute(digests[1], 100, 105);  // the first forward
  add_compute(digests[1], 200, 400);  // the second forward and the first backward
  add_message(digests[1], 1, 0, 400, 410, 0, 0);
  add_compute(digests[1], 410, 510);  // the second backward
  add_message(digests[1], 1, 0, 510, 520, 1, 0);
  add_message(digests[0], 1, 0, 220, 410, 0, 0);
  add_compute(digests[0], 410, 500);
  add_message(digests[0], 1, 0, 500, 520, 1, 0);
  add_compute(digests[0], 520, 600);
  const Pipeline pipeline = kino::pipelines_of(kino_test::analysis_of(std::move(digests))).at(0);
  const std::vector<PipelineChunk>& last = pipeline.chunks.at(1);
  REQUIRE(last.size() == 3);
  CHECK(last[0].kind == ChunkKind::forward);
  CHECK(last[0].number == 0);
  CHECK(last[1].kind == ChunkKind::both);
  CHECK(last[1].number == 1);
  CHECK(last[1].backward_number == 0);
  CHECK(last[2].kind == ChunkKind::backward);
  CHECK(last[2].number == 1);
}

TEST_CASE("a channel has the messages of one direction, with bytes and waiting") {
  const std::vector<kino::MessageChannel> channels =
      kino::message_channels(kino_test::analysis_of(two_stages()));
  REQUIRE(channels.size() == 2);
  CHECK(channels[0].source == 0);
  CHECK(channels[0].target == 1);
  CHECK(channels[0].messages == 4);
  CHECK(channels[0].bytes == 16'000'000);
  CHECK(channels[0].receiver_waits_ns == 2 * 100 * kMicrosecond);
  CHECK(channels[0].sender_waits_ns == 2 * 100 * kMicrosecond);
  CHECK(channels[1].source == 1);
  CHECK(channels[1].messages == 4);
}

TEST_CASE("without messages there is no pipeline and no channel, and an unnamed ring is not a pipeline") {
  CHECK(kino::pipelines_of(kino_test::late_job()).empty());
  CHECK(kino::message_channels(kino_test::late_job()).empty());
  std::vector<MadeRank> ring = kino_test::ranks_of({0, 1, 2}, 3);
  for (MadeRank& digest : ring) {
    const std::int64_t next = (digest.rank + 1) % 3;
    for (std::int64_t i = 0; i < 8; ++i) {
      add_message(digest, digest.rank, next, 100 * i, 100 * i + 50, i, 0);
      add_message(digest, (digest.rank + 2) % 3, digest.rank, 100 * i, 100 * i + 50, i, 0);
    }
  }
  CHECK(kino::pipelines_of(kino_test::analysis_of(std::move(ring))).empty());
}
