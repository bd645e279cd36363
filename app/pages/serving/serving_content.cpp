#include "app/pages/serving/serving_content.hpp"

#include <algorithm>
#include <utility>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

bool is_decode(IterationPhase phase) {
  return phase == IterationPhase::decode || phase == IterationPhase::verify;
}

double share_of(std::int64_t ns, std::int64_t of_ns) {
  return of_ns > 0 ? static_cast<double>(ns) / static_cast<double>(of_ns) : 0;
}

void add_sums(ServingContent& content) {
  std::int64_t longest_ns = 0;
  for (const Iteration& iteration : content.iterations.list) {
    ++content.left_out[static_cast<std::size_t>(iteration.left_out)];
    longest_ns = std::max(longest_ns, iteration.window_ns());
    if (iteration.left_out == LeftOut::none)
      content.plot_top_ns = std::max(content.plot_top_ns, iteration.window_ns());
  }
  if (content.used() == 0) content.plot_top_ns = std::max<std::int64_t>(1, longest_ns);
  for (const IterationGroup& group : content.groups) {
    add_saturating(content.used_ns, group.windows.sum_ns);
    if (!is_decode(group.phase)) continue;
    add_saturating(content.decode_ns, group.windows.sum_ns);
    add_saturating(content.decode_idle_ns, idle_ns(group.times));
  }
  for (const Stall& stall : content.stalls) {
    add_saturating(content.stalled_ns, stall.ns);
    content.longest_stall_ns = std::max(content.longest_stall_ns, stall.ns);
  }
}

}  // namespace

std::int64_t idle_ns(const IterationTimes& times) {
  std::int64_t sum_ns = 0;
  for (std::size_t i = 0; i < kIterationPartCount; ++i) {
    if (is_idle(static_cast<IterationPart>(i))) add_saturating(sum_ns, times.ns[i]);
  }
  return sum_ns;
}

bool ServingContent::generates() const { return std::ranges::any_of(iterations.list, &Iteration::generates); }

std::optional<std::size_t> ServingContent::main_group() const {
  if (groups.empty()) return std::nullopt;
  const auto decode = std::ranges::find_if(groups, is_decode, &IterationGroup::phase);
  return decode != groups.end() ? static_cast<std::size_t>(decode - groups.begin()) : 0;
}

std::optional<std::size_t> ServingContent::stall_of(std::size_t iteration) const {
  const auto found = std::ranges::lower_bound(stalls, iteration, {}, &Stall::iteration);
  if (found == stalls.end() || found->iteration != iteration) return std::nullopt;
  return static_cast<std::size_t>(found - stalls.begin());
}

ServingVerdict ServingContent::verdict() const {
  if (empty()) return ServingVerdict::no_iterations;
  const std::optional<std::size_t> main = main_group();
  if (!main) return ServingVerdict::none_used;
  if (groups[*main].steady == SteadyState::missing) return ServingVerdict::no_steady_state;
  if (share_of(stalled_ns, used_ns) > kMostStalled) return ServingVerdict::stalls;
  if (has_gpu_work() && share_of(decode_idle_ns, decode_ns) > kMostIdle) return ServingVerdict::idle;
  return ServingVerdict::largest_part;
}

std::vector<PlotBar> plot_bars(std::span<const Iteration> list, std::size_t most) {
  std::vector<PlotBar> bars;
  if (list.empty() || most == 0) return bars;
  const std::size_t per_bar = (list.size() + most - 1) / most;
  bars.reserve((list.size() + per_bar - 1) / per_bar);
  for (std::size_t first = 0; first < list.size(); first += per_bar) {
    PlotBar bar{first, std::min(first + per_bar, list.size()), first};
    for (std::size_t i = first + 1; i < bar.end; ++i) {
      if (list[i].window_ns() > list[bar.longest].window_ns()) bar.longest = i;
    }
    bars.push_back(bar);
  }
  return bars;
}

std::shared_ptr<const ServingContent> serving_content(const std::shared_ptr<const Trace>& trace,
                                                      const std::stop_token& stop) {
  auto content = std::make_shared<ServingContent>();
  content->trace = trace;
  ServingRun run = find_iterations(*trace, {}, stop);
  if (stop.stop_requested()) return content;
  content->iterations = std::move(run.iterations);
  content->groups = std::move(run.groups);
  content->stalls = find_stalls(content->iterations.list);
  content->between_tokens = time_between_tokens(content->iterations.list);
  content->bars = plot_bars(content->iterations.list);
  add_sums(*content);
  return content;
}

}  // namespace kino
