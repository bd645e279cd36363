#include <cmath>

#include "core/base/messages/message.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {
namespace {

constexpr std::string_view kClockKeys[] = {"rank"};

Table clock_table(const JobScope& scope, const TableQuery& /*query*/, const std::stop_token& /*stop*/) {
  const JobAnalysis& job = scope.analysis;
  const std::vector<RankClock>& rows = job.clocks.ranks;
  const auto index = [&](const RankClock& row) { return static_cast<std::size_t>(&row - rows.data()); };
  Table table = titled_table(kClockTable, msg::row_per_rank_clocks);
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::as_stated_in_file,
                    [&](const RankClock& row) { return known_or_none(job.ranks[index(row)]->rank); });
  table.integers_of(rows, "offset_ns", msg::offset, Unit::ns, msg::clock_offset_from_median_or_empty,
                    [&](const RankClock& row) {
                      return job.clocks.joined(index(row)) ? std::llround(row.offset_ns) : kNoInteger;
                    });
  table.integers_of(rows, "bar_ns", msg::error_bar, Unit::ns, msg::true_offset_within_error,
                    [&](const RankClock& row) {
                      return job.clocks.joined(index(row)) ? std::llround(row.error_ns) : kNoInteger;
                    });
  table.number_column(rows, "drift_ppm", msg::drift_in_ppm, Unit::number, msg::drift_meaning,
                      [](const RankClock& row) { return row.drift_ppb / 1000; });
  table.integers_of(rows, "least_ns", msg::at_least_other, Unit::ns, msg::offset_cannot_be_smaller,
                    [](const RankClock& row) { return row.least_ns.value_or(kNoInteger); });
  table.integers_of(rows, "most_ns", msg::at_most_other, Unit::ns, msg::offset_cannot_be_larger,
                    [](const RankClock& row) { return row.most_ns.value_or(kNoInteger); });
  table.integers_of(rows, "part", msg::clock_component, Unit::id, msg::components_never_shared_collective,
                    &RankClock::component);
  for (std::uint32_t i = 0; i < rows.size(); ++i) table.links.push_back(RowLink::to_recording(i));
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kClockTable{
    {.name = "clocks", .title = msg::clocks, .about = msg::about_clocks, .keys = kClockKeys}, &clock_table};

}  // namespace kino
