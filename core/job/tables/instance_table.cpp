#include "core/job/tables/instance_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace kino {
namespace {

constexpr std::string_view kInstanceKeys[] = {"group", "operation", "number"};
constexpr std::string_view kSignatureKeys[] = {"group", "operation", "bytes"};
constexpr std::string_view kMemberKeys[] = {"number", "rank"};
constexpr std::string_view kGroupKeys[] = {"group"};
constexpr TableGroup kInstanceGroups[] = {{"instance", "Each collective", kInstanceKeys},
                                          {"signature", "Operation and size", kSignatureKeys},
                                          {"group", "Process group", kGroupKeys},
                                          {"kernel", "Collective and rank", kMemberKeys}};

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

/// "(1, 3)"; of many ranks the first ones.
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

/// By index of the groups. Groups whose labels repeat have their ranks behind them.
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
  if (index == CollectiveWait::kNobody || job.ranks[index]->rank < 0) return kNoInteger;
  return job.ranks[index]->rank;
}

double absent(double value) { return value < 0 ? kNoNumber : value; }

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

Table begun() {
  Table table;
  table.name = kInstanceTable.name;
  table.title = kInstanceTable.title;
  table.definition =
      "Kernels of several ranks that are one collective. All wait until the last one has come; the transfer "
      "is from then to the last end, and bandwidths are of it, not of the kernels' time.";
  return table;
}

void note_unmatched(Table& table, const JobAnalysis& job) {
  if (!job.matched.alone.empty()) {
    table.notes.push_back("Kernels that no other rank has, or that could not be told apart: " +
                          std::to_string(job.matched.alone.size()));
  }
  const auto rejected =
      std::ranges::count(job.matched.instances, MatchLevel::rejected, &CollectiveInstance::level);
  const auto partial = std::ranges::count(job.matched.instances, false, &CollectiveInstance::complete);
  if (partial > 0) {
    table.notes.push_back(
        "Collectives whose other members are not in the data, so that waiting is a lower bound: " +
        std::to_string(partial));
  }
  if (rejected > 0) {
    table.notes.push_back("Left out, since their kernels cannot be one operation: " +
                          std::to_string(rejected));
  }
}

Table each_instance(const JobAnalysis& job, const std::vector<InstanceRow>& rows) {
  Table table = begun();
  const std::vector<std::string> groups = group_texts(job);
  std::size_t number = 0;
  const std::int64_t begin = job.begin_ns();
  table.integers_of(rows, "number", "No.", Unit::id, "In order of time",
                    [&](const InstanceRow&) { return ++number; });
  table.integers_of(rows, "at_ns", "At", Unit::ns, "The first arrival, since the job's begin",
                    [&](const InstanceRow& row) { return row.call.start_ns - begin; });
  table.texts_of(rows, "operation", "Operation", "What it does",
                 [](const InstanceRow& row) { return std::string(row.call.operation); });
  table.texts_of(rows, "group", "Group", "The process group; ? where the files do not tell",
                 [&](const InstanceRow& row) { return groups[row.instance->group]; });
  table.integers_of(rows, "ranks", "Ranks", Unit::count, "Those whose recording has it",
                    [](const InstanceRow& row) { return row.instance->kernels.size(); });
  table.integers_of(
      rows, "members", "Members", Unit::count, "Ranks of the group; - where the files do not tell",
      [&](const InstanceRow& row) -> std::int64_t {
        const auto members = static_cast<std::int64_t>(job.matched.groups[row.instance->group].members);
        return members == 0 ? kNoInteger : members;
      });
  table.integers_of(rows, "bytes", "Size", Unit::bytes, "Of the whole operation, as nccl-tests count",
                    [](const InstanceRow& row) { return row.call.bytes < 0 ? kNoInteger : row.call.bytes; });
  table.integers_of(rows, "waiting_ns", "Waiting", Unit::ns, "Of all ranks, until the last one has come",
                    [](const InstanceRow& row) { return row.wait->waiting_ns; });
  table.integers_of(rows, "last", "Last", Unit::id,
                    "The rank that came last; none within the doubt of the clocks",
                    [&](const InstanceRow& row) { return rank_of(job, row.wait->last); });
  table.integers_of(rows, "lead_ns", "Later by", Unit::ns, "The last arrival after the one before it",
                    [](const InstanceRow& row) { return row.wait->lead_ns; });
  table.integers_of(rows, "transfer_ns", "Transfer", Unit::ns, "From the last arrival to the last end",
                    [](const InstanceRow& row) { return row.wait->transfer_ns; });
  table.numbers_of(rows, "algorithm_bandwidth", "Algorithm bandwidth", Unit::gb_per_s, "Size over transfer",
                   [](const InstanceRow& row) { return absent(row.call.algorithm_gb_per_s); });
  table.numbers_of(rows, "bus_bandwidth", "Bus bandwidth", Unit::gb_per_s,
                   "Of each link, times nccl-tests' factor for the operation",
                   [](const InstanceRow& row) { return absent(row.call.bus_gb_per_s); });
  table.integers_of(rows, "spread_ns", "Spread of ends", Unit::ns, "Between the first and the last end",
                    [](const InstanceRow& row) { return row.wait->end_spread_ns; });
  table.texts_of(rows, "level", "Match", "A: by number; B: by order, and no other fits; C: by order alone",
                 [](const InstanceRow& row) { return std::string(letter_of(row.instance->level)); });
  note_unmatched(table, job);
  for (const InstanceRow& row : rows) {
    const auto latest = std::ranges::find(row.instance->kernels, row.wait->latest, &RankKernel::rank);
    table.links.emplace_back(job.ranks[latest->rank]->kernels.slice(latest->kernel), latest->rank);
  }
  return table;
}

Table each_kernel(const JobAnalysis& job, const std::vector<InstanceRow>& instances) {
  struct Row {
    std::int64_t number = 0;
    const InstanceRow* of = nullptr;
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
    for (const RankKernel& it : instance.instance->kernels) {
      const std::int64_t own = job.ranks[it.rank]->kernels.start_ns(it.kernel);
      rows.push_back({number, &instance, it, job.clocks.common_ns(it.rank, own) - begin,
                      job.waits.kernels[it.rank][it.kernel].waiting_ns});
    }
  }
  Table table = begun();
  table.integers_of(rows, "number", "No.", Unit::id, "In order of time", &Row::number);
  table.texts_of(rows, "operation", "Operation", "What it does",
                 [](const Row& row) { return std::string(row.of->call.operation); });
  table.texts_of(rows, "group", "Group", "The process group; ? where the files do not tell",
                 [&](const Row& row) { return groups[row.of->instance->group]; });
  table.integers_of(rows, "rank", "Rank", Unit::id, "As the file says",
                    [&](const Row& row) { return rank_of(job, row.kernel.rank); });
  table.integers_of(rows, "at_ns", "At", Unit::ns, "Its arrival, since the job's begin by the common clock",
                    &Row::start_ns);
  table.integers_of(rows, "waiting_ns", "Waiting", Unit::ns, "Until the last rank has come",
                    &Row::waiting_ns);
  table.integers_of(rows, "moving_ns", "Moving", Unit::ns, "The rest of its time", [&](const Row& row) {
    return kernels_of(row).duration_ns(row.kernel.kernel) - row.waiting_ns;
  });
  table.integers_of(rows, "behind_ns", "Behind the first", Unit::ns, "After the rank that arrived first",
                    [&](const Row& row) { return row.start_ns + begin - row.of->call.start_ns; });
  table.integers_of(rows, "unix_ns", "Unix time", Unit::ns, "Its arrival by the rank's own clock",
                    [&](const Row& row) { return kernels_of(row).start_ns(row.kernel.kernel); });
  table.texts_of(rows, "level", "Match", "A: by number; B: by order, and no other fits; C: by order alone",
                 [](const Row& row) { return std::string(letter_of(row.of->instance->level)); });
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
  std::int64_t moving_ns = 0;
  std::vector<std::int64_t> transfers;
  std::vector<double> bus;
  std::map<std::int64_t, std::int64_t> caused_by;  ///< rank to waiting

  std::int64_t culprit() const {
    const auto most = std::ranges::max_element(caused_by, {}, [](const auto& it) { return it.second; });
    return most == caused_by.end() ? kNoInteger : most->first;
  }
};

// Nearest rank of `share`, of numbers that are not empty.
template <class Number>
Number at_share(std::vector<Number> numbers, double share) {
  const auto place = static_cast<std::size_t>(std::llround(share * static_cast<double>(numbers.size() - 1)));
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(place));
  return numbers[place];
}

/// Each group compared with its like.
void add_link_columns(Table& table, const std::vector<SummedCalls>& rows) {
  const auto numbers = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.numbers_of(rows, key, title, Unit::gb_per_s, about, [&](const SummedCalls& row) {
      return row.link == nullptr || row.link->others == 0 ? kNoNumber : get(*row.link);
    });
  };
  numbers("compared_bandwidth", "Compared", "Median bus bandwidth of one operation and size",
          [](const LinkSpeed& link) { return link.own.gb_per_s; });
  numbers("compared_low", "Compared, low", "The low end of its 95 % interval",
          [](const LinkSpeed& link) { return link.own.low; });
  numbers("compared_high", "Compared, high", "The high end of its 95 % interval",
          [](const LinkSpeed& link) { return link.own.high; });
  numbers("others_bandwidth", "Others", "The same of the other groups of its kind and size, their median",
          [](const LinkSpeed& link) { return link.of_others.gb_per_s; });
  table.texts_of(
      rows, "link", "Link",
      "Slow where the intervals are a factor of 1.5 apart, of 2 where there is only one other group",
      [](const SummedCalls& row) { return std::string(row.link == nullptr ? "" : text_of(*row.link)); });
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
    sum.moving_ns += row.wait->moving_ns;
    sum.transfers.push_back(row.wait->transfer_ns);
    if (row.call.bus_gb_per_s >= 0) sum.bus.push_back(row.call.bus_gb_per_s);
    if (row.wait->last != CollectiveWait::kNobody && job.ranks[row.wait->last]->rank >= 0)
      sum.caused_by[job.ranks[row.wait->last]->rank] += row.wait->waiting_ns;
  }
  std::vector<SummedCalls> rows;
  rows.reserve(sums.size());
  for (auto& [key, sum] : sums) rows.push_back(std::move(sum));
  std::ranges::stable_sort(rows, std::ranges::greater{}, &SummedCalls::waiting_ns);
  Table table = begun();
  table.texts_of(rows, "group", "Group", "The process group; ? where the files do not tell",
                 &SummedCalls::group);
  if (by_signature) {
    table.texts_of(rows, "operation", "Operation", "What it does", &SummedCalls::operation);
    table.integers_of(rows, "bytes", "Size", Unit::bytes, "Of the whole operation, as nccl-tests count",
                      [](const SummedCalls& row) { return row.bytes < 0 ? kNoInteger : row.bytes; });
  }
  table.integers_of(rows, "calls", "Collectives", Unit::count, "How many", &SummedCalls::calls);
  table.integers_of(rows, "waiting_ns", "Waiting", Unit::ns, "Of all ranks, until the last one has come",
                    &SummedCalls::waiting_ns);
  table.integers_of(rows, "moving_ns", "Moving", Unit::ns, "The rest of all ranks' time",
                    &SummedCalls::moving_ns);
  table.integers_of(rows, "culprit", "Waited for most", Unit::id, "The rank that caused the most waiting",
                    &SummedCalls::culprit);
  table.integers_of(rows, "transfer_p50_ns", "Transfer, median", Unit::ns,
                    "From the last arrival to the last end",
                    [](const SummedCalls& row) { return at_share(row.transfers, 0.5); });
  table.integers_of(rows, "transfer_p99_ns", "Transfer, 99 %", Unit::ns, "99 of 100 take at most so long",
                    [](const SummedCalls& row) { return at_share(row.transfers, 0.99); });
  table.numbers_of(rows, "bus_bandwidth", "Bus bandwidth, median", Unit::gb_per_s,
                   "Of each link, times nccl-tests' factor for the operation", [](const SummedCalls& row) {
                     return row.bus.empty() ? kNoNumber : at_share(row.bus, 0.5);
                   });
  if (!by_signature) add_link_columns(table, rows);
  note_unmatched(table, job);
  return table;
}

}  // namespace

constexpr TableKind<JobScope> kInstanceTable{
    {.name = "collectives",
     .title = "Collectives",
     .heading = "",
     .about = "Of a job: each collective over all of its ranks, who came last, true bandwidth",
     .groups = kInstanceGroups},
    [](const JobScope& scope, const TableQuery& query, const std::stop_token& stop) -> Table {
      const std::vector<InstanceRow> rows = instance_rows(scope.analysis, stop);
      if (query.group == 0) return each_instance(scope.analysis, rows);
      if (query.group == 3) return each_kernel(scope.analysis, rows);
      return summed(scope.analysis, rows, query.group == 1);
    }};

}  // namespace kino
