#include "core/tables/gpu/kernel_outliers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <tuple>

#include "core/base/duration_list.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/slice_set.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/gpu/kernel_groups.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kNoStep = 0xffffffffU;

struct PlacedWork {
  std::uint32_t group = 0;
  std::uint32_t step = 0;
  std::uint32_t calls = 0;     // number of calls of the group in the step; 0 if there are no steps
  std::uint32_t position = 0;  // position among these calls
  std::int64_t start_ns = 0;
  SliceId slice = kNoSlice;

  bool peers(const PlacedWork& other) const {
    return group == other.group && calls == other.calls && position == other.position;
  }
};

/// Finds the step in which work was launched, or in which it starts if its launch is unknown.
class StepOfWork {
 public:
  StepOfWork(const Trace& trace, const Steps& steps) : trace_(trace), steps_(steps) {}

  std::uint32_t operator()(SliceId slice) {
    const SliceId launch = trace_.link(slice);
    const std::int64_t time_ns = trace_.start_ns(launch == kNoSlice ? slice : launch);
    if (last_ == Steps::kNone || !holds(last_, time_ns)) last_ = steps_.at(time_ns);
    return last_ == Steps::kNone ? kNoStep : static_cast<std::uint32_t>(last_);
  }

 private:
  bool holds(std::size_t step, std::int64_t time_ns) const {
    const TimeRange& range = steps_.steps[step].range;
    return time_ns >= range.begin_ns && time_ns < range.end_ns;
  }
  const Trace& trace_;
  const Steps& steps_;
  std::size_t last_ = Steps::kNone;
};

/// Returns the work of the trace that may have peers, with peers adjacent and sorted by start. Omits
/// communication, whole graphs and work of doubtful duration. Sets `by_position` if there are at least two
/// steps, and then omits work outside of steps. If there are fewer, omits work that is not comparable.
std::vector<PlacedWork> placed_work(const Trace& trace, bool& by_position, const std::stop_token& stop) {
  const Steps steps = find_steps(trace, stop);
  by_position = steps.steps.size() > 1;
  KernelGroups groups(trace, KernelGrouping::call);
  StepOfWork step_of(trace, steps);
  std::vector<PlacedWork> all;
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  SliceSet doubtful(trace.slice_count());
  for (const DoubtfulWork& piece : doubtful_work(trace, stop)) doubtful.insert(index_of(piece.slice));
  all.reserve(work.size());
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (all.size() % kCancelStride == 0 && stop.stop_requested()) return {};
      if (doubtful.contains(index_of(slice))) continue;
      // A collective's duration depends on when the last rank joins it.
      if (trace.kind(slice) == SliceKind::communication) continue;
      if (!groups.takes(slice) || (!by_position && !groups.is_comparable_work(slice))) continue;
      const std::uint32_t step = by_position ? step_of(slice) : 0;
      if (step != kNoStep) all.push_back({groups.of(slice), step, 0, 0, trace.start_ns(slice), slice});
    }
  }
  std::ranges::sort(all, {}, [](const PlacedWork& work_item) {
    return std::tuple(work_item.group, work_item.step, work_item.start_ns, work_item.slice);
  });
  if (!by_position) return all;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && all[end].group == all[first].group && all[end].step == all[first].step) ++end;
    for (std::size_t i = first; i < end; ++i) {
      all[i].calls = static_cast<std::uint32_t>(end - first);
      all[i].position = static_cast<std::uint32_t>(i - first);
    }
    first = end;
  }
  std::ranges::sort(all, {}, [](const PlacedWork& work_item) {
    return std::tuple(work_item.group, work_item.calls, work_item.position, work_item.start_ns,
                      work_item.slice);
  });
  return all;
}

/// Calls body(peers) for each set of peers.
template <class Body>
void for_each_peers(const std::vector<PlacedWork>& all, const Body& body) {
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && all[end].peers(all[first])) ++end;
    body(std::span(all).subspan(first, end - first));
    first = end;
  }
}

}  // namespace

std::vector<KernelOutlier> kernel_outliers(const Trace& trace, const GpuWork& work,
                                           const std::stop_token& stop) {
  bool by_position = false;
  const std::vector<PlacedWork> all = placed_work(trace, by_position, stop);
  const OutlierLimits& limits = by_position ? kPositionOutliers : kCallOutliers;
  SliceSet requested(trace.slice_count());
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) requested.insert(index_of(slice));
  }
  std::vector<KernelOutlier> outliers;
  std::vector<std::int64_t> durations;
  for_each_peers(all, [&](std::span<const PlacedWork> peers) {
    if (peers.size() < limits.least_peers || stop.stop_requested()) return;
    durations.clear();
    for (const PlacedWork& peer : peers) durations.push_back(trace.duration_ns(peer.slice));
    const std::int64_t median = duration_stats(durations).median_ns;
    if (median <= 0) return;
    for (std::int64_t& ns : durations) ns = std::abs(ns - median);
    const double least_ns =
        std::max({(limits.ratio - 1) * static_cast<double>(median),
                  kOutlierDeviations * static_cast<double>(duration_stats(durations).median_ns),
                  static_cast<double>(limits.least_excess_ns)});
    for (const PlacedWork& peer : peers) {
      const std::int64_t duration = trace.duration_ns(peer.slice);
      if (static_cast<double>(duration - median) <= least_ns || !requested.contains(index_of(peer.slice)))
        continue;
      outliers.push_back(
          {peer.slice, duration, median, static_cast<double>(duration) / static_cast<double>(median)});
    }
  });
  if (stop.stop_requested()) return {};
  std::ranges::stable_sort(outliers, std::ranges::greater(), &KernelOutlier::excess_ns);
  return outliers;
}

std::vector<SliceId> outlier_peers(const Trace& trace, SliceId example, const std::stop_token& stop) {
  bool by_position = false;
  const std::vector<PlacedWork> all = placed_work(trace, by_position, stop);
  std::vector<SliceId> found;
  const auto own = std::ranges::find(all, example, &PlacedWork::slice);
  if (own == all.end()) return found;
  for (const PlacedWork& piece : all) {
    if (piece.peers(*own)) found.push_back(piece.slice);
  }
  return found;
}

Table outlier_table(const Trace& trace, const std::vector<KernelOutlier>& outliers) {
  Table table{.name = "outliers", .title = msg::outliers, .definition = msg::outliers_definition};
  table.texts_of(outliers, "name", msg::name, msg::the_full_name,
                 [&](const KernelOutlier& row) { return std::string(trace.name_of(row.slice)); });
  table.integers_of(outliers, "start_ns", msg::start, Unit::ns, msg::from_start_of_trace,
                    [&](const KernelOutlier& row) { return trace.start_ns(row.slice); });
  table.integers_of(outliers, "duration_ns", msg::duration, Unit::ns, msg::duration_of_this_call,
                    &KernelOutlier::duration_ns);
  table.integers_of(outliers, "median_ns", msg::median, Unit::ns, msg::median_of_the_peers,
                    &KernelOutlier::median_ns);
  table.integers_of(outliers, "excess_ns", msg::excess, Unit::ns, msg::duration_less_the_median,
                    &KernelOutlier::excess_ns);
  table.number_column(outliers, "ratio", msg::times_the_median, Unit::number,
                      msg::duration_divided_by_the_median, &KernelOutlier::ratio);
  for (const KernelOutlier& row : outliers) table.links.emplace_back(row.slice);
  return table;
}

constexpr TableKind<GpuParts> kOutlierTable{
    {.name = "outliers", .title = msg::outliers, .heading = msg::gpu, .about = msg::about_outliers},
    [](const GpuParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return outlier_table(parts.trace(), parts.outliers(stop));
    },
    // The instances of a row are the peers with which the outlier is compared.
    [](const GpuParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return outlier_peers(parts.trace(), query.example, stop);
    }};

}  // namespace kino
