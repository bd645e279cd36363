#include "app/pages/serving/serving_verdict.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

#include "app/ui/text/texts.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/serving_texts.hpp"

namespace kino {
namespace {

void append_part(std::string& text, std::string_view part, std::string_view separator) {
  if (!text.empty()) text += separator;
  text += part;
}

std::string count_text(std::int64_t count) {
  return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count)));
}

std::string phase_title(IterationPhase phase) {
  return phase == IterationPhase::unknown ? std::string(tr(Text::serving_unknown_phase))
                                          : in_language(title_of(phase));
}

std::string largest_text(const IterationGroup& group) {
  const IterationPart largest = group.times.largest();
  return filled(
      Text::serving_largest,
      {group_text(group), in_language(title_of(largest)), text_from_duration(group.times[largest]),
       text_from_duration(group.windows.sum_ns), share_text_of(group.times[largest], group.windows.sum_ns)});
}

/// Returns "decode, 12 requests, 12 tokens", as far as it is known.
std::string batch_text(const Iteration& iteration) {
  std::string text = phase_title(iteration.phase);
  if (iteration.guessed) append_part(text, tr(Text::serving_guessed), " ");
  if (const auto requests = all_requests(iteration.sizes))
    append_part(text, filled(Text::serving_hint_requests, {count_text(*requests)}), "\n");
  if (const auto tokens = iteration.tokens())
    append_part(text, filled(Text::serving_hint_tokens, {count_text(*tokens)}), "\n");
  if (iteration.launched_by != LaunchedBy::unknown)
    append_part(text, filled(Text::serving_hint_launched, {text_of(iteration.launched_by)}), "\n");
  return text;
}

/// Adds one line per part that has time, the largest first.
void append_parts(const IterationTimes& times, std::string& text) {
  std::array<std::size_t, kIterationPartCount> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t part) { return times.ns[part]; });
  const std::int64_t total_ns = times.total();
  for (const std::size_t part : order) {
    if (times.ns[part] <= 0) break;
    append_part(text,
                filled(Text::serving_hint_part,
                       {in_language(title_of(static_cast<IterationPart>(part))),
                        text_from_duration(times.ns[part]), share_text_of(times.ns[part], total_ns)}),
                "\n");
  }
}

}  // namespace

std::string requests_text(std::int64_t batch) {
  if (batch <= 0) return {};
  if (batch <= 2) return count_text(batch);
  return count_text(batch / 2 + 1).append("–").append(count_text(batch));
}

std::string group_text(const IterationGroup& group) {
  std::string phase = phase_title(group.phase);
  if (group.batch <= 0) return phase;
  return filled(Text::serving_group, {phase, requests_text(group.batch)});
}

std::string share_text_of(std::int64_t ns, std::int64_t of_ns) {
  return of_ns > 0 ? text_from_share(static_cast<double>(ns) / static_cast<double>(of_ns)) : std::string();
}

std::string serving_headline(const ServingContent& content) {
  switch (content.verdict()) {
    case ServingVerdict::no_iterations:
      return escaped(in_language(source_text(content.iterations, 0)));
    case ServingVerdict::none_used:
      return filled(Text::serving_none_used, {grouped(content.iterations.list.size())});
    case ServingVerdict::no_steady_state:
      return filled(Text::serving_no_steady, {group_text(content.groups[*content.main_group()])});
    case ServingVerdict::stalls:
      return filled(
          Text::serving_stalled,
          {text_from_duration(content.stalled_ns), text_from_duration(content.used_ns),
           share_text_of(content.stalled_ns, content.used_ns), text_from_duration(content.longest_stall_ns)});
    case ServingVerdict::idle:
      return filled(Text::serving_idle,
                    {share_text_of(content.decode_idle_ns, content.decode_ns),
                     text_from_duration(content.decode_idle_ns), text_from_duration(content.decode_ns)});
    case ServingVerdict::largest_part:
      break;
  }
  return largest_text(content.groups[*content.main_group()]);
}

std::string serving_evidence(const ServingContent& content) {
  std::string text;
  const auto main = content.main_group();
  if (!main) return text;
  const IterationGroup& group = content.groups[*main];
  append_part(
      text, filled(Text::serving_median, {group_text(group), text_from_duration(group.windows.p50_ns)}), " ");
  if (!content.has_gpu_work()) {
    append_part(text, tr(Text::serving_cpu_only), " ");
    return text;
  }
  if (content.verdict() != ServingVerdict::largest_part)
    append_part(text, largest_text(group).append("."), " ");
  const std::int64_t idle = idle_ns(group.times);
  if (idle > 0) {
    append_part(text,
                filled(Text::serving_idle_share,
                       {share_text_of(idle, group.windows.sum_ns),
                        share_text_of(group.times[IterationPart::idle_scheduler], group.windows.sum_ns)}),
                " ");
  }
  return text;
}

std::string serving_advice(const ServingContent& content) {
  const NoIterations reason = content.iterations.reason;
  if (reason == NoIterations::profiler_steps || reason == NoIterations::training) return {};
  std::string text = tr(Text::serving_record_marks);
  append_part(text, tr(Text::serving_record_vllm), "\n");
  append_part(text, tr(Text::serving_record_sglang), "\n");
  return text;
}

std::string iteration_text(const ServingContent& content, std::size_t iteration) {
  const Iteration& shown = content.iterations.list[iteration];
  std::string text = filled(Text::serving_hint_title, {grouped(iteration)});
  constexpr std::size_t kMostNameBytes = 400;
  if (shown.slice != kNoSlice)
    append_part(text, escaped(content.trace->name_of(shown.slice).substr(0, kMostNameBytes)), "\n");
  append_part(text, batch_text(shown), "\n");
  if (shown.window) {
    append_part(text,
                filled(Text::serving_hint_window,
                       {text_from_duration(shown.window_ns()), text_from_duration(shown.window->begin_ns)}),
                "\n");
  }
  if (const auto stall = content.stall_of(iteration)) {
    append_part(text, filled(Text::serving_hint_stall, {text_from_duration(content.stalls[*stall].ns)}),
                "\n");
  }
  if (shown.left_out != LeftOut::none) {
    const std::string reason = escaped(in_language(left_out_text(*content.trace, shown)));
    append_part(text, filled(Text::serving_hint_left_out, {reason}), "\n");
  }
  append_parts(shown.times, text);
  append_part(text, tr(Text::serving_hint_click), "\n");
  return text;
}

std::string left_out_lines(const ServingContent& content) {
  constexpr std::array kReasons{Text::serving_left_no_window, Text::serving_left_cut,
                                Text::serving_left_prepares, Text::serving_left_warm_up};
  std::string text;
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    const std::size_t count = content.left_out[i + 1];
    if (count > 0) append_part(text, filled(kReasons[i], {grouped(count)}), "\n");
  }
  return text;
}

}  // namespace kino
