#include "core/job_tables/rank_table.hpp"

#include <cmath>

#include "core/job/rank_times.hpp"

namespace kino {
namespace {

constexpr std::string_view kRankKeys[] = {"rank"};

struct RankRow {
  std::size_t index = 0;
  RankTimes times;
};

Table rank_table(const JobScope& scope, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < job.ranks.size() && !stop.stop_requested(); ++i)
    rows.push_back({i, rank_times(*job.ranks[i], job.waits.kernels[i])});
  Table table;
  table.name = kRankTable.name;
  table.title = kRankTable.title;
  table.definition =
      "A row a rank. A kernel that communicates waits until the last rank has begun the same collective, and "
      "moves data from then on. The rank with the least communication is the suspect, not the best one: "
      "it comes last, so it never waits.";
  const auto ns = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  const auto waits = [&](const RankRow& row) -> const RankWaits& { return job.waits.ranks[row.index]; };
  table.integers_of(rows, "rank", "Rank", Unit::id, "As the file says", [&](const RankRow& row) {
    const std::int64_t rank = job.ranks[row.index]->rank;
    return rank < 0 ? kNoInteger : rank;
  });
  ns("caused_ns", "Caused", "What all others waited for it where it came last beyond doubt",
     [&](const RankRow& row) { return waits(row).caused_ns; });
  ns("root_ns", "Goes back to it", "What all others waited in collectives whose lateness goes back to it",
     [&](const RankRow& row) { return job.blame.empty() ? 0 : job.blame[row.index].caused_ns; });
  table.integers_of(rows, "times_last", "Times last", Unit::count,
                    "Collectives in which it came last, by more than the clocks are in doubt",
                    [&](const RankRow& row) { return waits(row).times_last; });
  table.numbers_of(
      rows, "gpu_index", "GPU time", Unit::number,
      "Of kernels that ran beside no communication, as many times the median rank's; above 1 is slower",
      [&](const RankRow& row) {
        return job.gpu.ranks.empty() ? kNoNumber : job.gpu.ranks[row.index].value_or(kNoNumber);
      });
  ns("waiting_ns", "Waiting", "Of all its kernels that communicate, until the last rank has come",
     [&](const RankRow& row) { return waits(row).waiting_ns; });
  ns("moving_ns", "Moving", "The rest of their time",
     [&](const RankRow& row) { return waits(row).moving_ns; });
  ns("compute_ns", "Compute", "Time in which a kernel runs that does not communicate",
     [](const RankRow& row) { return row.times.compute_ns; });
  ns("communication_ns", "Communication", "Time in which a kernel runs that communicates",
     [](const RankRow& row) { return row.times.communication_ns; });
  ns("exposed_ns", "Exposed", "Of the communication, what no kernel that computes covers",
     [](const RankRow& row) { return row.times.exposed_ns; });
  ns("exposed_waiting_ns", "Exposed waiting", "Of what is exposed, until the last rank has come",
     [](const RankRow& row) { return row.times.exposed_waiting_ns; });
  ns("copy_ns", "Copy alone", "Time in which only copies run",
     [](const RankRow& row) { return row.times.copy_ns; });
  ns("idle_ns", "Idle", "Time without any work, between the first and the last",
     [](const RankRow& row) { return row.times.idle_ns; });
  ns("saved_ns", "Could save", "What its punctuality alone would save the others",
     [&](const RankRow& row) { return waits(row).saved_ns; });
  table.integers_of(rows, "peak_bytes", "Peak memory", Unit::bytes,
                    "The most that was allocated at once on its GPU, as far as its recording tells",
                    [&](const RankRow& row) {
                      const std::int64_t peak = job.memory(row.index).peak_bytes;
                      return peak < 0 ? kNoInteger : peak;
                    });
  table.integers_of(rows, "collectives", "Collectives", Unit::count,
                    "Those that were matched with other ranks",
                    [&](const RankRow& row) { return waits(row).collectives; });
  ns("offset_ns", "Clock", "What its clock shows more than the median rank's",
     [&](const RankRow& row) { return std::llround(job.clocks.ranks[row.index].offset_ns); });
  ns("bar_ns", "Clock doubt", "The true offset lies within it, to both sides",
     [&](const RankRow& row) { return std::llround(job.clocks.ranks[row.index].error_ns); });
  table.texts_of(rows, "file", "File", "Its recording", [&](const RankRow& row) {
    return row.index < scope.files.size() ? scope.files[row.index] : std::string();
  });
  for (const RankRow& row : rows)
    table.links.push_back(RowLink::to_recording(static_cast<std::uint32_t>(row.index)));
  return table;
}

}  // namespace

constexpr TableKind kRankTable{
    .name = "ranks",
    .title = "Ranks",
    .heading = "",
    .about = "Of a job: a row a rank, and who makes the others wait",
    .keys = kRankKeys,
    .compute = [](const JobScope& scope, std::size_t, const std::stop_token& stop) -> Table {
      return rank_table(scope, stop);
    }};

}  // namespace kino
