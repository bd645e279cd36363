#include "core/tables/analysis/known_shares.hpp"

#include <cmath>

#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/table.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

constexpr double kMinShown = 0.0005;  // smaller shares are shown as "< 0.1 %"

}  // namespace

KnownShares::KnownShares(const Trace& trace, const LaunchCounts& launches,
                         std::span<const DoubtfulWork> doubtful, std::span<const TimeRange> windows)
    : recorded_(recorded_kinds(trace)), lost_(launches.idle_unknown()), doubtful_(!doubtful.empty()) {
  std::int64_t whole_ns = 0;
  for (const TimeRange& window : windows) add_saturating(whole_ns, window.length_ns());
  mostly_doubtful_ = doubtful_ && is_mostly_doubtful(doubtful_ns(trace, doubtful, windows), whole_ns);
  const auto graphs_ns = static_cast<double>(whole_graph_ns(trace, windows));
  whole_graphs_ = graphs_ns >= kMinShown * static_cast<double>(whole_ns) && graphs_ns > 0;
}

ShownShare KnownShares::bounded(double share, bool of_work, bool too_busy) const {
  if (std::isnan(share) || (!lost_ && !too_busy)) return {share, {}};
  if (mostly_doubtful_ || (lost_ && too_busy)) return {kNoNumber, {}};
  const bool least = lost_ == of_work;
  // "At least 0 %" has no information, and "at most 0 %" is the value 0.
  if (share < kMinShown) return least ? ShownShare{kNoNumber, {}} : ShownShare{share, {}};
  return {share, {least ? msg::at_least : msg::at_most, text_from_share(share)}};
}

ShownShare KnownShares::of_role(StepRole role, double share) const {
  if (!is_recorded(role, recorded_)) return {kNoNumber, msg::not_recorded};
  const bool on_gpu = role <= StepRole::memset;
  // Lost kernels may have run at the same time, so the exposed parts of other GPU roles have no bound.
  if (lost_ && on_gpu && role != StepRole::compute) return {share > 0 && !doubtful_ ? share : kNoNumber, {}};
  // A graph recorded without its kernels counts as compute, including its copies and communication. So it
  // only affects the bounds of compute and of the roles off the GPU.
  const bool too_busy = doubtful_ || (whole_graphs_ && (!on_gpu || role == StepRole::compute));
  return bounded(share, on_gpu, too_busy);
}

}  // namespace kino
