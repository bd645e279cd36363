// Covers: hand_over, graph_marks
// Iterations without annotations: cases by hand.
#include <string>

#include <doctest/doctest.h>

#include "core/tables/serving/graph_marks.hpp"
#include "core/tables/serving/hand_over.hpp"
#include "core/tables/serving/iterations.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

/// Writes work of a made server, one piece after the other.
class MadeServer {
 public:
  MadeServer& work(const char* category, const std::string& name, std::int64_t pause_ns = 0) {
    at_ns_ += 10 + pause_ns;
    ++correlation_;
    if (with_launches) events_.launch(at_ns_ - 8, 2, correlation_);
    events_.slice(TrackClass::gpu, category, name, at_ns_, 8, "7", with_launches ? correlation_ : 0);
    return *this;
  }
  /// Adds 8 layers of 10 kernels.
  MadeServer& model(const std::string& attention = "flash_fwd_splitkv") {
    for (int layer = 0; layer < 8; ++layer) {
      work("kernel", "nvjet_gemm").work("kernel", attention);
      for (int i = 0; i < 8; ++i) work("kernel", "k" + std::to_string(i));
    }
    return *this;
  }
  MadeServer& sample() {
    return work("kernel", "argmax")
        .work("kernel", "copy_token")
        .work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)");
  }
  /// Adds a graph with `layers` kernels of one name.
  MadeServer& replay(int layers, std::int64_t pause_ns = 0) {
    at_ns_ += 20 + pause_ns;
    ++correlation_;
    events_.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", at_ns_ - 18, 5, "1", correlation_);
    for (int i = 0; i < layers; ++i, at_ns_ += 10) events_.kernel("layer", at_ns_, 10, correlation_);
    return *this;
  }
  std::int64_t now() const { return at_ns_; }
  EventFixture& events() { return events_; }
  std::shared_ptr<const Trace> build() { return events_.build(); }

  bool with_launches = true;

 private:
  EventFixture events_;
  std::int64_t at_ns_ = 0;
  std::uint32_t correlation_ = 0;
};

Iterations found_in(const std::shared_ptr<const Trace>& trace) { return find_iterations(*trace).iterations; }

}  // namespace

TEST_CASE("results for the host divide the work into iterations") {
  for (const bool with_launches : {true, false}) {
    MadeServer server;
    server.with_launches = with_launches;
    for (int i = 0; i < 4; ++i) server.model(i == 1 ? "flash_fwd_kernel" : "flash_fwd_splitkv").sample();
    const auto trace = server.build();
    const Iterations found = found_in(trace);
    CHECK(found.source == IterationSource::hand_over);
    REQUIRE(found.list.size() == 4);
    for (const Iteration& iteration : found.list) CHECK(iteration.kernels == 82);
    CHECK(found.list[0].phase == IterationPhase::decode);
    CHECK(found.list[0].guessed);
    CHECK(found.list[1].phase == IterationPhase::prefill);
    CHECK_FALSE(found.list[0].requests());
  }
}

TEST_CASE("copies to the host divide the work if no kernel selects tokens") {
  MadeServer server;
  for (int i = 0; i < 4; ++i) server.model().work("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)");
  CHECK(found_in(server.build()).list.size() == 4);
}

TEST_CASE("cut iterations at both ends are dropped") {
  MadeServer server;
  for (int i = 0; i < 9; ++i) server.work("kernel", "nvjet_gemm");
  server.sample();
  for (int i = 0; i < 3; ++i) server.model().sample();
  for (int i = 0; i < 9; ++i) server.work("kernel", "nvjet_gemm");
  const auto trace = server.build();
  const ServingWork work = serving_work(*trace, false);
  CHECK(hand_over_marks(*trace, work).marks.size() == 3);
}

TEST_CASE("too little work, too few stretches and unlike stretches are no iterations") {
  MadeServer few;
  for (int i = 0; i < 2; ++i) few.model().sample();
  CHECK(found_in(few.build()).reason == NoIterations::nothing_found);
  MadeServer unlike;
  for (int i = 0; i < 4; ++i) {
    unlike.sample();
    for (int k = 0; k < 80; ++k) unlike.work("kernel", "nvjet_" + std::to_string(i));
  }
  CHECK(found_in(unlike.build()).list.empty());
}

TEST_CASE("hand-overs without a whole model between them do not count") {
  MadeServer server;
  for (int i = 0; i < 300; ++i) server.work("kernel", "nvjet_gemm").sample();
  CHECK(found_in(server.build()).list.empty());
}

TEST_CASE("training is not divided") {
  MadeServer server;
  for (int i = 0; i < 4; ++i) server.model().sample();
  server.events().op("MmBackward0", 1, 2, "2");
  CHECK(found_in(server.build()).reason == NoIterations::training);
}

TEST_CASE("replays of whole models are separated at waits or at the longest pause") {
  MadeServer server;
  server.replay(8).replay(8, 50);
  server.events().slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", server.now() + 1, 9, "1");
  const std::int64_t wait_end_ns = server.now() + 10;
  server.replay(8, 100);
  const auto trace = server.build();
  const Iterations found = found_in(trace);
  CHECK(found.source == IterationSource::replays);
  REQUIRE(found.list.size() == 3);
  CHECK(found.list[1].launched_by == LaunchedBy::graph);
  CHECK(found.list[2].mark.begin_ns == wait_end_ns - 2);  // times are relative to the first launch, at 2
}

TEST_CASE("pieces of one model without a wait between them stay together") {
  MadeServer server;
  for (int i = 0; i < 8; ++i) server.replay(2);
  const Iterations found = found_in(server.build());
  REQUIRE(found.list.size() == 1);
  CHECK(found.list[0].graph_launches == 8);
  CHECK(found.list[0].launched_by == LaunchedBy::piecewise);
  MadeServer small;
  small.replay(2);
  CHECK(found_in(small.build()).list.empty());
}

TEST_CASE("calls of one compiled graph are iterations if each launches a whole model") {
  const auto made = [](bool whole) {
    MadeServer server;
    for (int i = 0; i < 3; ++i) {
      const std::int64_t begin_ns = server.now();
      if (whole || i < 2) server.model();
      server.work("kernel", "end");
      server.events().slice(TrackClass::cpu, "user_annotation", "## Call CompiledFxGraph abc ##", begin_ns,
                            server.now() - begin_ns, "1");
    }
    return found_in(server.build());
  };
  CHECK(made(true).source == IterationSource::compiled_graph);
  CHECK(made(true).list.size() == 3);
  CHECK(made(false).source == IterationSource::none);
}
