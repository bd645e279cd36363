#include "app/pages/inspector/view_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "app/pages/timeline_drawer/trace_verdict.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"

namespace kino {
namespace {

/// Sums of the parts. The order of the members is that of the bar.
struct SplitSums {
  std::array<std::int64_t, kSliceKindCount> running_ns{};
  std::array<std::int64_t, kFindingKindCount> idle_ns{};
  std::int64_t before_ns = 0;  // before the first work, except for known causes
  std::int64_t tail_ns = 0;
  std::int64_t unlaunched_ns = 0;
  std::int64_t unrecorded_ns = 0;

  void add(FindingKind kind, std::int64_t ns) { idle_ns[static_cast<std::size_t>(kind)] += ns; }
  std::vector<TimePart> parts() const {
    std::vector<TimePart> parts;
    const auto add_part = [&](auto cause, std::int64_t ns) {
      if (ns > 0) parts.push_back({cause, ns});
    };
    for (std::size_t i = 0; i < kSliceKindCount; ++i) add_part(static_cast<SliceKind>(i), running_ns[i]);
    for (std::size_t i = 0; i < kFindingKindCount; ++i) add_part(static_cast<FindingKind>(i), idle_ns[i]);
    add_part(Text::inspector_idle_before, before_ns);
    add_part(Text::inspector_idle_tail, tail_ns);
    add_part(Text::inspector_idle_unknown, unlaunched_ns);
    add_part(Text::inspector_unrecorded, unrecorded_ns);
    return parts;
  }
};

/// Adds a part of idle time by the rules of find_findings(): the next work is late until its launch call
/// returns. Before the first work, only data loading and blocking calls are causes, since the program may
/// just have started. Time of host causes is added to `host_ns`.
void add_idle(const Trace& trace, TimeRange part, TimeCategory cause, SliceId next, bool before_first,
              SplitSums& sums, std::int64_t& host_ns) {
  const std::int64_t ns = part.length_ns();
  if (cause == TimeCategory::idle_loader) return sums.add(FindingKind::data_loading, ns);
  if (cause == TimeCategory::idle_tail) {
    sums.tail_ns += ns;
  } else if (before_first && cause == TimeCategory::idle_launch) {
    sums.before_ns += ns;
  } else if (cause == TimeCategory::idle_launch) {
    const std::int64_t launched_ns = launched_at(trace, next, part.begin_ns, part.end_ns);
    sums.add(FindingKind::launch_bound, launched_ns - part.begin_ns);
    sums.add(FindingKind::launch_gaps, part.end_ns - launched_ns);
  } else if (next == kNoSlice || trace.link(next) == kNoSlice) {
    (before_first ? sums.before_ns : sums.unlaunched_ns) += ns;
  } else {
    host_ns += ns;
  }
}

/// Splits `host_ns` among the causes on the host in `range`. Time of locks and of other causes is added to
/// `rest_ns`.
void add_host(const ViewBase& base, TimeRange range, std::int64_t host_ns, SplitSums& sums,
              std::int64_t& rest_ns) {
  if (range.length_ns() <= 0) return;
  const HostTimes host = base.hosts.times(range, host_ns);
  const auto ns_of = [&](HostCause cause) { return host[static_cast<std::size_t>(cause)]; };
  sums.add(FindingKind::waiting, ns_of(HostCause::synchronize));
  sums.add(FindingKind::driver_memory, ns_of(HostCause::allocate));
  sums.add(FindingKind::garbage_collection, ns_of(HostCause::collect));
  rest_ns += ns_of(HostCause::lock) + ns_of(HostCause::other);
}

std::vector<TimePart> split_of(const Trace& trace, const ViewBase& base, TimeRange range) {
  SplitSums sums;
  const std::int64_t first_ns = base.split.extent().begin_ns;
  std::int64_t before_host_ns = 0;
  std::int64_t host_ns = 0;
  base.split.for_each(
      range, [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory cause, SliceId slice) {
        const bool idle = is_idle(cause);
        const bool unrecorded = base.split.of_gpu() ? idle && base.idle_unknown : slice == kNoSlice;
        if (unrecorded) {
          sums.unrecorded_ns += end_ns - begin_ns;
        } else if (idle) {
          const bool before_first = end_ns <= first_ns;
          add_idle(trace, {begin_ns, end_ns}, cause, slice, before_first, sums,
                   before_first ? before_host_ns : host_ns);
        } else {
          const SliceKind kind = cause == TimeCategory::comm      ? SliceKind::communication
                                 : cause == TimeCategory::compute ? SliceKind::compute
                                 : cause == TimeCategory::copy    ? SliceKind::copy
                                                                  : trace.kind(slice);
          sums.running_ns[static_cast<std::size_t>(kind)] += end_ns - begin_ns;
        }
      });
  if (base.idle_unknown) return sums.parts();
  const std::int64_t edge_ns = std::clamp(first_ns, range.begin_ns, range.end_ns);
  add_host(base, {range.begin_ns, edge_ns}, before_host_ns, sums, sums.before_ns);
  std::int64_t late_ns = 0;
  add_host(base, {edge_ns, range.end_ns}, host_ns, sums, late_ns);
  sums.add(FindingKind::launch_bound, late_ns);
  return sums.parts();
}

double share_of(std::int64_t ns, std::int64_t sum_ns) {
  return sum_ns > 0 ? static_cast<double>(ns) / static_cast<double>(sum_ns) : 0;
}

TopNames top_kernels(const std::vector<KernelRow>& rows, std::size_t all) {
  TopNames top{.names = {}, .all = all};
  std::int64_t sum_ns = 0;
  for (const KernelRow& row : rows) add_saturating(sum_ns, row.spread.total_ns);
  for (const KernelRow& row : rows) {
    if (top.names.size() == kTopNames || row.spread.total_ns <= 0) break;
    const std::int64_t ns = row.spread.total_ns;
    top.names.push_back({row.name, row.kind, ns, share_of(ns, sum_ns), row.longest});
  }
  return top;
}

TopNames top_operators(const RangeAnalysis& part, bool of_gpu, std::size_t all, const std::stop_token& stop) {
  TopNames top{.names = {}, .all = all};
  const std::vector<OperatorRow>& rows = part.operators(stop);
  const auto ns_of = [&](const OperatorRow& row) { return of_gpu ? row.device_self_ns : row.host_self_ns; };
  std::int64_t sum_ns = of_gpu ? part.coverage(stop).all_ns : 0;
  if (!of_gpu) {
    for (const OperatorRow& row : rows) add_saturating(sum_ns, row.host_self_ns);
  }
  for (const OperatorRow& row : rows) {
    if (top.names.size() == kTopNames || ns_of(row) <= 0) break;
    const SliceKind kind = row.longest != kNoSlice ? part.trace().kind(row.longest) : SliceKind::cpu_op;
    top.names.push_back({row.name, kind, ns_of(row), share_of(ns_of(row), sum_ns), row.longest});
  }
  return top;
}

}  // namespace

std::string TimePart::label() const {
  if (const auto* const text = std::get_if<Text>(&cause)) return tr(*text);
  if (const auto* const finding = std::get_if<FindingKind>(&cause))
    return filled(Text::inspector_idle, {in_language(text_of(*finding))});
  const SliceKind kind = std::get<SliceKind>(cause);
  return in_language(kind == SliceKind::communication ? msg::Id(msg::word_exposed_communication)
                                                      : shown_name(kind));
}

std::string TimePart::hint() const {
  if (const auto* const text = std::get_if<Text>(&cause))
    return *text == Text::inspector_idle_before ? tr(Text::inspector_idle_before_hint) : std::string();
  const auto* const finding = std::get_if<FindingKind>(&cause);
  if (finding == nullptr) return {};
  if (*finding == FindingKind::launch_bound) return tr(Text::idle_launch_bound_hint);
  return *finding == FindingKind::launch_gaps ? tr(Text::idle_launch_gaps_hint) : std::string();
}

std::uint32_t TimePart::color(const Theme& theme) const {
  if (const auto* const kind = std::get_if<SliceKind>(&cause)) return kind_color(*kind, theme);
  const auto* const finding = std::get_if<FindingKind>(&cause);
  return finding != nullptr ? finding_color(*finding, theme) : theme.text_dim;
}

TimeRange visible_range(const Trace& trace, const TimeView& view) {
  const TimeRange whole = whole_range(trace);
  const auto inside = [&](double ns) {
    return static_cast<std::int64_t>(
        std::clamp(std::round(ns), static_cast<double>(whole.begin_ns), static_cast<double>(whole.end_ns)));
  };
  return {inside(view.begin_ns), inside(view.end_ns())};
}

ViewBase view_base(const RangeAnalyses& analyses, const std::stop_token& stop) {
  const Trace& trace = analyses.trace();
  const std::shared_ptr<const RangeAnalysis> whole = analyses.of(whole_range(trace));
  ViewBase base;
  base.split = TimeAttribution(trace, std::nullopt, stop, AttributedCollectives::all);
  base.hosts = HostCauses(trace, base.split, find_blocking_calls(trace, stop), stop);
  base.idle_unknown = count_launches(trace, whole_range(trace), stop).idle_unknown();
  base.kernels = whole->kernels(stop).size();
  if (trace.slice_count() <= kMostSlicesSummed) base.operators = whole->operators(stop).size();
  return base;
}

ViewSums view_sums(const RangeAnalyses& analyses, const ViewBase& base, TimeRange range,
                   const std::stop_token& stop) {
  const Trace& trace = analyses.trace();
  std::shared_ptr<const RangeAnalysis> part = analyses.of(whole_range(trace));
  // Views are not cached, because they would displace the ranges of the tables.
  if (range != whole_range(trace)) part = std::make_shared<const RangeAnalysis>(trace, range, part.get());
  ViewSums sums;
  sums.range = range;
  for (const StepWindow& step : part->steps(stop)) {
    if (step.marked() && step.range.begin_ns < range.end_ns && step.range.end_ns > range.begin_ns)
      ++sums.steps;
  }
  sums.of_gpu = base.split.of_gpu();
  sums.parts = split_of(trace, base, range);
  sums.kernels = top_kernels(part->kernels(stop), base.kernels);
  if (base.operators) sums.operators = top_operators(*part, sums.of_gpu, *base.operators, stop);
  return sums;
}

}  // namespace kino
