// Covers: pipelines, message_channels, collective_call
// Stages, chunks, bubble and channels of a pipeline of two stages, computed by hand.
#include "core/job/tables/pipelines.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/tables/message_channels.hpp"
#include "tests/fixtures/pipeline_fixture.hpp"

using kino::ChunkKind;
using kino::CollectiveKind;
using kino::JobAnalysis;
using kino::Pipeline;
using kino::PipelineChunk;
using kino_test::kJobOrigin;
using kino_test::kMicrosecond;
using kino_test::MadeRank;
using kino_test::two_stages;

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
    kino_test::add_compute(digests[0], 100 * i, 100 * i + 90);
    kino_test::add_message(digests[0], 0, 1, 100 * i + 90, 100 * i + 100, i, 0);
    kino_test::add_message(digests[1], 0, 1, 100 * i + 10, 100 * i + 100, i, 0);
  }
  kino_test::add_compute(digests[1], 100, 105);  // the first forward
  kino_test::add_compute(digests[1], 200, 400);  // the second forward and the first backward
  kino_test::add_message(digests[1], 1, 0, 400, 410, 0, 0);
  kino_test::add_compute(digests[1], 410, 510);  // the second backward
  kino_test::add_message(digests[1], 1, 0, 510, 520, 1, 0);
  kino_test::add_message(digests[0], 1, 0, 220, 410, 0, 0);
  kino_test::add_compute(digests[0], 410, 500);
  kino_test::add_message(digests[0], 1, 0, 500, 520, 1, 0);
  kino_test::add_compute(digests[0], 520, 600);
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
      kino_test::add_message(digest, digest.rank, next, 100 * i, 100 * i + 50, i, 0);
      kino_test::add_message(digest, (digest.rank + 2) % 3, digest.rank, 100 * i, 100 * i + 50, i, 0);
    }
  }
  CHECK(kino::pipelines_of(kino_test::analysis_of(std::move(ring))).empty());
}
