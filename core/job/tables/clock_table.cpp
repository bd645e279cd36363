#include "core/job/tables/clock_table.hpp"

#include <cmath>

namespace kino {
namespace {

constexpr std::string_view kClockKeys[] = {"rank"};

Table clock_table(const JobScope& scope) {
  const JobAnalysis& job = scope.analysis;
  const std::vector<RankClock>& rows = job.clocks.ranks;
  const auto index = [&](const RankClock& row) { return static_cast<std::size_t>(&row - rows.data()); };
  Table table;
  table.name = kClockTable.name;
  table.title = kClockTable.title;
  table.definition =
      "A row a rank. Nobody leaves a collective before all have come, and all leave it at nearly the same "
      "time: by that the clocks are laid over each other.";
  table.integers_of(rows, "rank", "Rank", Unit::id, "As the file says", [&](const RankClock& row) {
    const std::int64_t rank = job.ranks[index(row)]->rank;
    return rank < 0 ? kNoInteger : rank;
  });
  table.integers_of(
      rows, "offset_ns", "Offset", Unit::ns,
      "What its clock shows more than the median rank's; empty where no collective joins it with another",
      [&](const RankClock& row) {
        return job.clocks.joined(index(row)) ? std::llround(row.offset_ns) : kNoInteger;
      });
  table.integers_of(rows, "bar_ns", "Doubt", Unit::ns, "The true offset lies within it, to both sides",
                    [&](const RankClock& row) {
                      return job.clocks.joined(index(row)) ? std::llround(row.error_ns) : kNoInteger;
                    });
  table.numbers_of(rows, "drift_ppm", "Drift in ppm", Unit::number, "Microseconds that it gains in a second",
                   [](const RankClock& row) { return row.drift_ppb / 1000; });
  table.integers_of(rows, "least_ns", "At least", Unit::ns,
                    "The offset cannot be less: somebody would have left before another had come",
                    [](const RankClock& row) { return row.least_ns.value_or(kNoInteger); });
  table.integers_of(rows, "most_ns", "At most", Unit::ns, "Nor more, for the same reason",
                    [](const RankClock& row) { return row.most_ns.value_or(kNoInteger); });
  table.integers_of(rows, "part", "Joined with", Unit::id,
                    "Ranks of different numbers were never in one collective: nothing joins their clocks",
                    &RankClock::component);
  for (std::uint32_t i = 0; i < rows.size(); ++i) table.links.push_back(RowLink::to_recording(i));
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kClockTable{{.name = "clocks",
                                           .title = "Clocks",
                                           .heading = "",
                                           .about = "Of a job: a row a rank, and how far its clock is off",
                                           .keys = kClockKeys},
                                          [](const JobScope& scope, const TableQuery&,
                                             const std::stop_token&) -> Table { return clock_table(scope); }};

}  // namespace kino
