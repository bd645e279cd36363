// Covers: job_panel
// The verdict on a job is that on all its ranks.
#include "app/pages/job/job_panel.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/job/job_state.hpp"
#include "app/pages/job/job_texts.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/formats/contained_traces.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

/// Writes the trace of a rank with an all-reduce per ms, which the last rank enters late.
void write_rank(const std::filesystem::path& file, int rank, int world) {
  std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                     std::to_string(rank) + R"(, "world_size": )" + std::to_string(world) +
                     R"(}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)";
  for (int i = 0; i < 8; ++i) {
    const int late_us = rank + 1 == world ? 300 : 0;
    text +=
        std::string(i == 0 ? "" : ",") + R"({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "name": )" +
        R"("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ts": )" +
        std::to_string(1000 * i + 37 * (i * i % 7) + late_us) + R"(, "dur": )" +
        std::to_string(400 - late_us) +
        R"(, "args": {"device": 0, "stream": 7, "Collective name": "allreduce", "In msg nelems": 1000, )" +
        R"("Out msg nelems": 1000, "dtype": "Float", "Process Group Name": "0", "Group size": )" +
        std::to_string(world) + "}}";
  }
  std::ofstream(file) << text << "]}";
}

}  // namespace

TEST_CASE("a job has a headline and traces only once the analysis of all its ranks is shown") {
  constexpr int kRanks = 12;
  const kino_test::TemporaryFolder folder;
  for (int rank = 0; rank < kRanks; ++rank)
    write_rank(folder.path() / ("r" + std::to_string(rank) + ".json"), rank, kRanks);
  const auto contained = kino::traces_in_folder(folder.path(), {});
  REQUIRE(contained.ok());
  REQUIRE(contained.value().traces.size() == kRanks);
  kino::WorkerPool pool(1);
  kino::OpenOptions options;
  options.cache_directory = folder.path() / "cache";
  kino::JobPanel panel(folder.path(), contained.value().traces, options, pool, [] {});
  CHECK(panel.analyzing());
  while (panel.analyzing()) {
    CHECK(panel.headline().empty());
    CHECK(panel.traces().files.empty());
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    panel.poll();
  }
  REQUIRE(panel.shown().picture != nullptr);
  CHECK(panel.shown().picture->ranks.size() == kRanks);
  CHECK_FALSE(panel.headline().empty());
  CHECK(panel.headline() == kino::verdict_title(*panel.shown().job()));
  CHECK(panel.traces().files.size() == std::size_t{kRanks});
  CHECK(panel.traces().verdict == panel.headline());
}
