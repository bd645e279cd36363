#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/job/tables/collective_call.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {
namespace {

constexpr std::string_view kInstanceKeys[] = {"group", "operation", "number"};
constexpr std::string_view kSignatureKeys[] = {"group", "operation", "bytes"};
constexpr std::string_view kMemberKeys[] = {"number", "rank"};
constexpr std::string_view kGroupKeys[] = {"group"};
constexpr TableGroup kInstanceGroups[] = {{"instance", msg::each_collective, kInstanceKeys},
                                          {"signature", msg::operation_and_size, kSignatureKeys},
                                          {"group", msg::process_group, kGroupKeys},
                                          {"kernel", msg::collective_and_rank, kMemberKeys}};

std::string label_of(const MatchedGroup& group) {
  switch (group.kind) {
    case MatchedGroupKind::known:
      return group.description.empty() || group.description == "undefined" ? group.name : group.description;
    case MatchedGroupKind::messages:
      return std::to_string(group.source) + " → " + std::to_string(group.target);
    case MatchedGroupKind::unlabelled:
    case MatchedGroupKind::custom:
      return "?";
  }
  return {};
}

/// Returns a list such as "(1, 3)". If there are more than 8 ranks, the list has the lowest 8 and "...".
std::string ranks_text(const JobAnalysis& job, const MatchedGroup& group) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::int64_t> ranks;
  for (const std::uint32_t index : group.present) ranks.push_back(job.ranks[index]->rank);
  std::ranges::sort(ranks);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, ranks.size()); ++i)
    text += (i == 0 ? "(" : ", ") + std::to_string(ranks[i]);
  return text + (ranks.size() > kNamed ? ", ...)" : ")");
}

/// Returns labels by index of the groups. If a label repeats, the ranks follow it.
std::vector<std::string> group_texts(const JobAnalysis& job) {
  std::vector<std::string> texts;
  std::map<std::string_view, std::size_t> counts;
  for (const MatchedGroup& group : job.matched.groups) texts.push_back(label_of(group));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (job.matched.groups[i].kind == MatchedGroupKind::known) ++counts[texts[i]];
  }
  std::vector<std::string> named = texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const MatchedGroup& group = job.matched.groups[i];
    if (group.kind == MatchedGroupKind::known && counts[texts[i]] > 1)
      named[i] += " " + ranks_text(job, group);
  }
  return named;
}

std::int64_t rank_of(const JobAnalysis& job, std::uint32_t index) {
  if (index == CollectiveWait::kNoRank || job.ranks[index]->rank < 0) return kNoInteger;
  return job.ranks[index]->rank;
}

struct InstanceRow {
  const CollectiveWait* wait = nullptr;
  const CollectiveInstance* instance = nullptr;
  CollectiveCall call;
};

std::vector<InstanceRow> instance_rows(const JobAnalysis& job, const std::stop_token& stop) {
  std::vector<InstanceRow> rows;
  rows.reserve(job.waits.collectives.size());
  for (const CollectiveWait& wait : job.waits.collectives) {
    if (rows.size() % 4096 == 0 && stop.stop_requested()) break;
    rows.push_back({&wait, &job.matched.instances[wait.instance], call_of(job, wait)});
  }
  std::ranges::stable_sort(rows, {}, [](const InstanceRow& row) { return row.call.start_ns; });
  return rows;
}

Table begun() { return titled_table(kInstanceTable, msg::row_per_matched_collective); }

void note_unmatched(Table& table, const JobAnalysis& job) {
  if (!job.matched.alone.empty())
    table.notes.emplace_back(msg::unmatched_kernels, std::to_string(job.matched.alone.size()));
  const auto rejected =
      std::ranges::count(job.matched.instances, MatchLevel::rejected, &CollectiveInstance::level);
  const auto partial = std::ranges::count(job.matched.instances, false, &CollectiveInstance::complete);
  if (partial > 0) table.notes.emplace_back(msg::collectives_with_missing_members, std::to_string(partial));
  if (rejected > 0) table.notes.emplace_back(msg::excluded_as_no_operation, std::to_string(rejected));
}

Table each_instance(const JobAnalysis& job, const std::vector<InstanceRow>& rows) {
  Table table = begun();
  const std::vector<std::string> groups = group_texts(job);
  std::size_t number = 0;
  const std::int64_t begin = job.begin_ns();
  table.integers_of(rows, "number", msg::no_sentence, Unit::id, msg::in_order_of_time,
                    [&](const InstanceRow&) { return ++number; });
  table.integers_of(rows, "at_ns", msg::at, Unit::ns, msg::first_arrival_in_job,
                    [&](const InstanceRow& row) { return row.call.start_ns - begin; });
  table.texts_of(rows, "operation", msg::operation, msg::kind_of_operation,
                 [](const InstanceRow& row) { return std::string(row.call.operation); });
  table.texts_of(rows, "group", msg::group, msg::process_group_or_question_mark,
                 [&](const InstanceRow& row) { return groups[row.instance->group]; });
  table.integers_of(rows, "ranks", msg::ranks, Unit::count, msg::ranks_whose_recording_contains_it,
                    [](const InstanceRow& row) { return row.instance->kernels.size(); });
  table.integers_of(rows, "members", msg::members, Unit::count, msg::group_size_or_dash,
                    [&](const InstanceRow& row) -> std::int64_t {
                      const auto members =
                          static_cast<std::int64_t>(job.matched.groups[row.instance->group].members);
                      return members == 0 ? kNoInteger : members;
                    });
  table.integers_of(rows, "bytes", msg::size, Unit::bytes, msg::operation_size_meaning,
                    [](const InstanceRow& row) { return known_or_none(row.call.bytes); });
  table.integers_of(rows, "waiting_ns", msg::waiting, Unit::ns, msg::waiting_of_all_ranks_meaning,
                    [](const InstanceRow& row) { return row.wait->waiting_ns; });
  table.integers_of(rows, "last", msg::last, Unit::id, msg::last_rank_or_empty,
                    [&](const InstanceRow& row) { return rank_of(job, row.wait->last); });
  table.integers_of(rows, "lead_ns", msg::gap_to_previous_rank, Unit::ns, msg::gap_before_last_arrival,
                    [](const InstanceRow& row) { return row.wait->arrival_gap_ns; });
  table.integers_of(rows, "transfer_ns", msg::transfer, Unit::ns, msg::from_last_arrival_to_last_end,
                    [](const InstanceRow& row) { return row.wait->transfer_ns; });
  table.number_column(rows, "algorithm_bandwidth", msg::algorithm_bandwidth, Unit::gb_per_s,
                      msg::algorithm_bandwidth_meaning,
                      [](const InstanceRow& row) { return known_or_none(row.call.algorithm_gb_per_s); });
  table.number_column(rows, "bus_bandwidth", msg::bus_bandwidth, Unit::gb_per_s, msg::bus_bandwidth_meaning,
                      [](const InstanceRow& row) { return known_or_none(row.call.bus_gb_per_s); });
  table.integers_of(rows, "spread_ns", msg::spread_of_ends, Unit::ns, msg::from_first_end_to_last_end,
                    [](const InstanceRow& row) { return row.wait->end_spread_ns; });
  table.texts_of(rows, "level", msg::match, msg::levels_of_matching,
                 [](const InstanceRow& row) { return std::string(letter_of(row.instance->level)); });
  note_unmatched(table, job);
  for (const InstanceRow& row : rows) table.links.push_back(link_to_latest(job, *row.wait));
  return table;
}

Table each_kernel(const JobAnalysis& job, const std::vector<InstanceRow>& instances) {
  struct Row {
    std::int64_t number = 0;
    const InstanceRow* instance = nullptr;
    RankKernel kernel;
    std::int64_t start_ns = 0;
    std::int64_t waiting_ns = 0;
  };
  std::vector<Row> rows;
  const std::vector<std::string> groups = group_texts(job);
  const std::int64_t begin = job.begin_ns();
  const auto kernels_of = [&](const Row& row) -> const CommunicationKernels& {
    return job.ranks[row.kernel.rank]->kernels;
  };
  std::int64_t number = 0;
  for (const InstanceRow& instance : instances) {
    ++number;
    for (const RankKernel& member : instance.instance->kernels) {
      const std::int64_t own = job.ranks[member.rank]->kernels.start_ns(member.kernel);
      rows.push_back({number, &instance, member, job.clocks.common_ns(member.rank, own) - begin,
                      job.waits.kernels[member.rank][member.kernel].waiting_ns});
    }
  }
  Table table = begun();
  table.integers_of(rows, "number", msg::no_sentence, Unit::id, msg::in_order_of_time, &Row::number);
  table.texts_of(rows, "operation", msg::operation, msg::kind_of_operation,
                 [](const Row& row) { return std::string(row.instance->call.operation); });
  table.texts_of(rows, "group", msg::group, msg::process_group_or_question_mark,
                 [&](const Row& row) { return groups[row.instance->instance->group]; });
  table.integers_of(rows, "rank", msg::rank, Unit::id, msg::as_stated_in_file,
                    [&](const Row& row) { return rank_of(job, row.kernel.rank); });
  table.integers_of(rows, "at_ns", msg::at, Unit::ns, msg::arrival_by_common_clock, &Row::start_ns);
  table.integers_of(rows, "waiting_ns", msg::waiting, Unit::ns, msg::until_last_rank_arrives,
                    &Row::waiting_ns);
  table.integers_of(
      rows, "moving_ns", msg::transfer_sum, Unit::ns, msg::its_time_after_wait,
      [&](const Row& row) { return kernels_of(row).duration_ns(row.kernel.kernel) - row.waiting_ns; });
  table.integers_of(rows, "behind_ns", msg::after_the_first, Unit::ns, msg::after_the_rank_that_arrived_first,
                    [&](const Row& row) { return row.start_ns + begin - row.instance->call.start_ns; });
  table.integers_of(rows, "unix_ns", msg::unix_time, Unit::ns, msg::arrival_by_own_clock,
                    [&](const Row& row) { return kernels_of(row).start_ns(row.kernel.kernel); });
  table.texts_of(rows, "level", msg::match, msg::levels_of_matching,
                 [](const Row& row) { return std::string(letter_of(row.instance->instance->level)); });
  note_unmatched(table, job);
  for (const Row& row : rows)
    table.links.emplace_back(kernels_of(row).slice(row.kernel.kernel), row.kernel.rank);
  return table;
}

/// Collectives of one operation and size, or of one group.
struct SummedCalls {
  std::string group;
  const LinkSpeed* link = nullptr;
  std::string operation;
  std::int64_t bytes = -1;
  std::uint64_t calls = 0;
  std::int64_t waiting_ns = 0;
  std::int64_t transfer_sum_ns = 0;
  std::vector<std::int64_t> transfers;
  std::vector<double> bus;
  std::map<std::int64_t, std::int64_t> caused_by;  ///< waiting time, keyed by the rank that caused it

  std::int64_t straggler() const {
    const auto most = std::ranges::max_element(caused_by, {}, [](const auto& entry) { return entry.second; });
    return most == caused_by.end() ? kNoInteger : most->first;
  }
};

// Returns the quantile `share` of `numbers`, as the nearest value. `numbers` is not empty.
template <class Number>
Number at_share(std::vector<Number> numbers, double share) {
  const auto index = static_cast<std::size_t>(std::llround(share * static_cast<double>(numbers.size() - 1)));
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(index));
  return numbers[index];
}

/// Adds the comparison of each group with similar ones.
void add_link_columns(Table& table, const std::vector<SummedCalls>& rows) {
  const auto numbers = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.number_column(rows, key, title, Unit::gb_per_s, about, [&](const SummedCalls& row) {
      return row.link == nullptr || row.link->others == 0 ? kNoNumber : get(*row.link);
    });
  };
  numbers("compared_bandwidth", msg::compared, msg::median_bus_bandwidth_of_one_operation,
          [](const LinkSpeed& link) { return link.own.gb_per_s; });
  numbers("compared_low", msg::compared_low, msg::lower_end_of_interval,
          [](const LinkSpeed& link) { return link.own.low; });
  numbers("compared_high", msg::compared_high, msg::upper_end_of_interval,
          [](const LinkSpeed& link) { return link.own.high; });
  numbers("others_bandwidth", msg::others, msg::median_of_other_groups,
          [](const LinkSpeed& link) { return link.of_others.gb_per_s; });
  table.text_column(rows, "link", msg::link, msg::slow_group_rule, [](const SummedCalls& row) {
    return row.link == nullptr ? msg::nothing : text_of(*row.link);
  });
}

Table summed(const JobAnalysis& job, const std::vector<InstanceRow>& all, bool by_signature) {
  const std::vector<std::string> groups = group_texts(job);
  std::map<std::tuple<std::uint32_t, std::string_view, std::int64_t>, SummedCalls> sums;
  for (const InstanceRow& row : all) {
    const auto key = by_signature ? std::tuple(row.instance->group, row.call.operation, row.call.bytes)
                                  : std::tuple(row.instance->group, std::string_view(), std::int64_t{-1});
    SummedCalls& sum = sums[key];
    sum.group = groups[row.instance->group];
    sum.link = job.link_of(row.instance->group);
    sum.operation = row.call.operation;
    sum.bytes = row.call.bytes;
    ++sum.calls;
    sum.waiting_ns += row.wait->waiting_ns;
    sum.transfer_sum_ns += row.wait->transfer_sum_ns;
    sum.transfers.push_back(row.wait->transfer_ns);
    if (row.call.bus_gb_per_s >= 0) sum.bus.push_back(row.call.bus_gb_per_s);
    if (row.wait->last != CollectiveWait::kNoRank && job.ranks[row.wait->last]->rank >= 0)
      sum.caused_by[job.ranks[row.wait->last]->rank] += row.wait->waiting_ns;
  }
  std::vector<SummedCalls> rows;
  rows.reserve(sums.size());
  for (auto& [key, sum] : sums) rows.push_back(std::move(sum));
  std::ranges::stable_sort(rows, std::ranges::greater{}, &SummedCalls::waiting_ns);
  Table table = begun();
  table.texts_of(rows, "group", msg::group, msg::process_group_or_question_mark, &SummedCalls::group);
  if (by_signature) {
    table.texts_of(rows, "operation", msg::operation, msg::kind_of_operation, &SummedCalls::operation);
    table.integers_of(rows, "bytes", msg::size, Unit::bytes, msg::operation_size_meaning,
                      [](const SummedCalls& row) { return known_or_none(row.bytes); });
  }
  table.integers_of(rows, "calls", msg::collectives, Unit::count, msg::number_of_them, &SummedCalls::calls);
  table.integers_of(rows, "waiting_ns", msg::waiting, Unit::ns, msg::waiting_of_all_ranks_meaning,
                    &SummedCalls::waiting_ns);
  table.integers_of(rows, "moving_ns", msg::transfer_sum, Unit::ns, msg::all_ranks_time_after_wait,
                    &SummedCalls::transfer_sum_ns);
  table.integers_of(
      rows, "total_ns", msg::total, Unit::ns, msg::waiting_and_transfer_of_all_ranks,
      [](const SummedCalls& row) { return saturating_add(row.waiting_ns, row.transfer_sum_ns); });
  table.integers_of(rows, "culprit", msg::most_waited_for, Unit::id, msg::rank_causing_most_waiting,
                    &SummedCalls::straggler);
  table.integers_of(rows, "transfer_p50_ns", msg::transfer_median, Unit::ns,
                    msg::from_last_arrival_to_last_end,
                    [](const SummedCalls& row) { return at_share(row.transfers, 0.5); });
  table.integers_of(rows, "transfer_p99_ns", msg::transfer_99_percent, Unit::ns,
                    msg::ninety_nine_percent_take_at_most_long,
                    [](const SummedCalls& row) { return at_share(row.transfers, 0.99); });
  table.number_column(
      rows, "bus_bandwidth", msg::bus_bandwidth_median, Unit::gb_per_s, msg::bus_bandwidth_meaning,
      [](const SummedCalls& row) { return row.bus.empty() ? kNoNumber : at_share(row.bus, 0.5); });
  if (!by_signature) add_link_columns(table, rows);
  note_unmatched(table, job);
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kInstanceTable{
    {.name = "collectives",
     .title = msg::collectives,
     .about = msg::about_job_collectives,
     .groups = kInstanceGroups},
    [](const JobScope& scope, const TableQuery& query, const std::stop_token& stop) -> Table {
      const std::vector<InstanceRow> rows = instance_rows(scope.analysis, stop);
      if (query.group == 0) return each_instance(scope.analysis, rows);
      if (query.group == 3) return each_kernel(scope.analysis, rows);
      return summed(scope.analysis, rows, query.group == 1);
    }};

}  // namespace kino
