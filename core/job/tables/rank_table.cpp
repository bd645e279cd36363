#include "core/job/tables/rank_table.hpp"

#include <cmath>

#include "core/base/messages/message.hpp"
#include "core/job/rank_times.hpp"

namespace kino {
namespace {

constexpr std::string_view kRankKeys[] = {"rank"};

struct RankRow {
  std::size_t index = 0;
  RankTimes times;
};

/// Adds columns for the GPU index (core/job/README.md).
void add_gpu_columns(Table& table, const JobAnalysis& job, const std::vector<RankRow>& rows) {
  const auto gpu = [&](const RankRow& row) { return job.gpu.empty() ? GpuComparison() : job.gpu[row.index]; };
  table.number_column(rows, "gpu_index", msg::gpu_time, Unit::number, msg::gpu_index_definition,
                      [&](const RankRow& row) { return gpu(row).ratio.value_or(kNoNumber); });
  table.number_column(rows, "gpu_index_low", msg::gpu_time_low, Unit::number, msg::lower_end_of_interval,
                      [&](const RankRow& row) { return gpu(row).ratio ? gpu(row).low : kNoNumber; });
  table.number_column(rows, "gpu_index_high", msg::gpu_time_high, Unit::number, msg::upper_end_of_interval,
                      [&](const RankRow& row) { return gpu(row).ratio ? gpu(row).high : kNoNumber; });
  table.integers_of(rows, "gpu_calls", msg::calls_compared, Unit::count, msg::calls_compared_meaning,
                    [&](const RankRow& row) { return gpu(row).calls; });
  table.text_column(rows, "gpu_claim", msg::gpu, msg::gpu_claim_meaning,
                    [&](const RankRow& row) { return text_of(claim_of(gpu(row))); });
}

/// Adds waiting, communication, compute and idle time.
void add_times(Table& table, const JobAnalysis& job, const std::vector<RankRow>& rows) {
  const auto ns = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  const auto waits = [&](const RankRow& row) -> const RankWaits& { return job.waits.ranks[row.index]; };
  // If no collective was matched, waiting is unknown, not 0.
  const auto if_matched = [&](const RankRow& row, std::int64_t value) {
    return waits(row).collectives > 0 ? value : kNoInteger;
  };
  const auto if_on_gpu = [&](const RankRow& row, std::int64_t value) {
    return row.times.length_ns > 0 && !communicates_on_cpu(*job.ranks[row.index]) ? value : kNoInteger;
  };
  ns("waiting_ns", msg::waiting, msg::waiting_of_rank_meaning,
     [&](const RankRow& row) { return if_matched(row, waits(row).waiting_ns); });
  ns("moving_ns", msg::transfer_sum, msg::their_time_after_wait,
     [&](const RankRow& row) { return if_matched(row, waits(row).transfer_sum_ns); });
  ns("compute_ns", msg::compute, msg::compute_time_meaning,
     [&](const RankRow& row) { return if_on_gpu(row, row.times.compute_ns); });
  ns("communication_ns", msg::communication, msg::communication_time_meaning,
     [&](const RankRow& row) { return row.times.length_ns > 0 ? row.times.communication_ns : kNoInteger; });
  ns("exposed_ns", msg::exposed, msg::exposed_communication_meaning,
     [&](const RankRow& row) { return if_on_gpu(row, row.times.exposed_ns); });
  ns("exposed_waiting_ns", msg::exposed_waiting, msg::exposed_waiting_meaning,
     [&](const RankRow& row) { return if_on_gpu(row, if_matched(row, row.times.exposed_waiting_ns)); });
  ns("copy_ns", msg::copy_only, msg::copy_only_meaning,
     [&](const RankRow& row) { return if_on_gpu(row, row.times.copy_ns); });
  ns("idle_ns", msg::idle, msg::idle_time_of_rank_meaning,
     [&](const RankRow& row) { return if_on_gpu(row, row.times.idle_ns); });
  ns("saved_ns", msg::could_save, msg::others_would_save_if_on_time,
     [&](const RankRow& row) { return if_matched(row, waits(row).saved_ns); });
}

Table rank_table(const JobScope& scope, const TableQuery& /*query*/, const std::stop_token& stop) {
  const JobAnalysis& job = scope.analysis;
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < job.ranks.size() && !stop.stop_requested(); ++i)
    rows.push_back({i, rank_times(*job.ranks[i], job.waits.kernels[i])});
  Table table = titled_table(kRankTable, msg::row_per_rank_waits);
  const auto ns = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  const auto waits = [&](const RankRow& row) -> const RankWaits& { return job.waits.ranks[row.index]; };
  // If no collective was matched, waiting is unknown, not 0.
  const auto if_matched = [&](const RankRow& row, std::int64_t value) {
    return waits(row).collectives > 0 ? value : kNoInteger;
  };
  const auto if_joined = [&](const RankRow& row, double value) {
    return job.clocks.joined(row.index) ? std::llround(value) : kNoInteger;
  };
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::as_stated_in_file,
                    [&](const RankRow& row) { return known_or_none(job.ranks[row.index]->rank); });
  ns("caused_ns", msg::caused, msg::waiting_where_clearly_last,
     [&](const RankRow& row) { return if_matched(row, waits(row).caused_ns); });
  ns("root_ns", msg::root_delay_of_rank, msg::waiting_originating_at_this_rank, [&](const RankRow& row) {
    return if_matched(row, job.blame.empty() ? 0 : job.blame[row.index].caused_ns);
  });
  table.integers_of(
      rows, "times_last", msg::times_last, Unit::count, msg::collectives_where_last,
      [&](const RankRow& row) { return if_matched(row, static_cast<std::int64_t>(waits(row).times_last)); });
  add_gpu_columns(table, job, rows);
  add_times(table, job, rows);
  const PeakColumn peak = peak_column(job.memory_measure);
  table.integers_of(rows, "peak_bytes", peak.title, Unit::bytes, peak.about,
                    [&](const RankRow& row) { return known_or_none(job.memory(row.index).peak_bytes); });
  table.texts_of(rows, "memory_measure", msg::memory_measure, msg::memory_measure_meaning,
                 [&](const RankRow& row) {
                   const bool known = job.memory(row.index).peak_bytes >= 0;
                   return known ? std::string(name_of(job.measure_of(row.index))) : std::string();
                 });
  table.integers_of(rows, "collectives", msg::collectives, Unit::count, msg::matched_collectives_meaning,
                    [&](const RankRow& row) { return waits(row).collectives; });
  ns("offset_ns", msg::clock, msg::clock_offset_from_median,
     [&](const RankRow& row) { return if_joined(row, job.clocks.ranks[row.index].offset_ns); });
  ns("bar_ns", msg::clock_error, msg::true_offset_within_error,
     [&](const RankRow& row) { return if_joined(row, job.clocks.ranks[row.index].error_ns); });
  table.texts_of(rows, "file", msg::file, msg::its_recording, [&](const RankRow& row) {
    return row.index < scope.files.size() ? scope.files[row.index] : std::string();
  });
  for (const RankRow& row : rows)
    table.links.push_back(RowLink::to_recording(static_cast<std::uint32_t>(row.index)));
  return table;
}

}  // namespace

bool is_unattributed(const Table& table, std::size_t column, std::uint32_t row) {
  if (!table.columns[column].key.starts_with("gpu_index")) return false;
  const TableColumn* const claims = table.find("gpu_claim");
  if (claims == nullptr) return false;
  const Message& claim = claims->words[row];
  return claim != text_of(GpuClaim::slower) && claim != text_of(GpuClaim::faster);
}

constexpr TableKind<JobScope> kRankTable{
    {.name = "ranks", .title = msg::job_ranks, .about = msg::about_ranks, .keys = kRankKeys}, &rank_table};

}  // namespace kino
