#include "app/pages/job/job_texts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "app/pages/job/job_picture.hpp"
#include "app/pages/job/rank_layout.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {

LevelCounts level_counts(const MatchedJob& job) {
  struct Count {
    std::size_t instances = 0;
    std::size_t kernels = 0;
  };
  std::array<std::array<Count, 2>, 4> all{};  // by level and completeness
  for (const CollectiveInstance& instance : job.instances) {
    Count& count = all[static_cast<std::size_t>(instance.level)][instance.complete ? 1 : 0];
    ++count.instances;
    count.kernels += instance.kernels.size();
  }
  LevelCounts counts;
  for (std::size_t level = 0; level < all.size(); ++level) {
    for (const bool complete : {false, true}) {
      const Count& count = all[level][complete ? 1 : 0];
      if (count.instances == 0) continue;
      const std::string key =
          std::string(letter_of(static_cast<MatchLevel>(level))) + (complete ? "/complete" : "/partial");
      counts.instances[key] = count.instances;
      counts.kernels[key] = count.kernels;
    }
  }
  if (!job.alone.empty())
    counts.instances["single/alone"] = counts.kernels["single/alone"] = job.alone.size();
  return counts;
}

std::optional<std::string> host_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t end = name.find(".pt.trace.json");
  if (end == std::string::npos) return std::nullopt;
  const auto digits_before = [&](std::size_t at) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
    return begin;
  };
  const std::size_t time = digits_before(end);
  if (time == end || time == 0 || name[time - 1] != '.') return std::nullopt;
  const std::size_t pid = digits_before(time - 1);
  if (pid == time - 1 || pid < 2 || name[pid - 1] != '_') return std::nullopt;
  return name.substr(0, pid - 1);
}

std::string rank_name(const JobAnalysis& job, std::uint32_t index) {
  const std::int64_t rank = job.ranks[index]->rank;
  if (rank >= 0) return filled(Text::job_rank, {std::to_string(rank)});
  if (index >= job.names.size()) return tr(Text::job_rank_unnumbered);
  return filled(Text::job_rank_of_file, {escaped(job.names[index])});
}

namespace {

/// Returns the causes of the waiting for the rank, largest share first: "garbage collection 91 %, compute 7
/// %, not explained 2 %". Empty if no cause is known. The shares add up to 100 % before rounding.
std::string causes_words(const StragglerStats& blame) {
  constexpr std::size_t kNamed = 4;
  constexpr double kLeastShare = 0.05;
  std::vector<std::pair<std::int64_t, msg::Id>> parts;
  for (int i = 0; i < kIntervalPartCount; ++i) {
    if (blame.waited_ns[static_cast<std::size_t>(i)] > 0)
      parts.emplace_back(blame.waited_ns[static_cast<std::size_t>(i)], text_of(static_cast<IntervalPart>(i)));
  }
  for (int i = 0; i < kLateStopReasonCount; ++i) {
    if (blame.waited_unknown_ns[static_cast<std::size_t>(i)] > 0) {
      parts.emplace_back(blame.waited_unknown_ns[static_cast<std::size_t>(i)],
                         text_of(static_cast<LateStopReason>(i)));
    }
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](const auto& entry) { return entry.first; });
  std::int64_t known_ns = 0;
  for (const auto& [ns, name] : parts) known_ns += ns;
  if (known_ns == 0) return {};
  const std::int64_t all_ns = std::max(known_ns, blame.caused_ns);
  const auto share = [&](std::int64_t ns) { return static_cast<double>(ns) / static_cast<double>(all_ns); };
  std::string words;
  std::int64_t named_ns = 0;
  for (std::size_t i = 0; i < std::min(kNamed, parts.size()) && share(parts[i].first) >= kLeastShare; ++i) {
    words += (words.empty() ? "" : ", ") + in_language(parts[i].second) + " " +
             text_from_share(share(parts[i].first));
    named_ns += parts[i].first;
  }
  constexpr double kShown = 0.0005;  // smaller shares would be rounded to 0.0 %
  const auto add_rest = [&](Text text, std::int64_t ns) {
    if (share(ns) < kShown) return;
    words += (words.empty() ? "" : ", ") + std::string(tr(text)) + " " + text_from_share(share(ns));
  };
  add_rest(Text::job_causes_others, known_ns - named_ns);
  add_rest(Text::job_causes_unexplained, all_ns - known_ns);
  return words;
}

/// Returns the text with the word for the job's devices.
std::string device_words(Text text, const JobAnalysis& job) { return device_text(text, job.device_word()); }

bool gpu_slower(const JobAnalysis& job, std::uint32_t rank) {
  return !job.gpu.empty() && job.gpu[rank].slower();
}

/// Returns the confidence interval and the number of samples: "95 %: 14.8 % to 15.1 %, n = 1 152".
std::string interval_words(const GpuComparison& gpu) {
  return filled(Text::job_gpu_interval,
                {text_from_share(gpu.low - 1), text_from_share(gpu.high - 1), grouped(gpu.calls)});
}

/// Returns a sentence on how much slower the rank's GPU is than the median. In a job of two ranks, the
/// sentence names the other rank, because there is no median.
std::string slower_gpu_words(const JobAnalysis& job, std::uint32_t rank) {
  const GpuComparison& gpu = job.gpu[rank];
  const std::string longer = text_from_share(*gpu.ratio - 1);
  if (gpu.only_other) {
    return filled(device_words(Text::job_reason_gpu_of_two, job),
                  {longer, rank_name(job, *gpu.only_other), interval_words(gpu)});
  }
  return filled(device_words(Text::job_reason_gpu, job), {longer, interval_words(gpu)});
}

/// Returns the largest cause of the rank's own lateness.
IntervalPart largest_cause(const StragglerStats& blame) {
  return static_cast<IntervalPart>(std::ranges::max_element(blame.own_ns) - blame.own_ns.begin());
}

bool by_gpu(const JobAnalysis& job, std::uint32_t rank) {
  return largest_cause(job.blame[rank]) == IntervalPart::compute && gpu_slower(job, rank);
}

/// Returns the cause of the rank's lateness: "its GPU is 9.9 % slower (95 %: 9.8 % to 10 %, n = 640)", or
/// "data loader".
std::string cause_in_short(const JobAnalysis& job, std::uint32_t rank) {
  if (by_gpu(job, rank)) {
    const GpuComparison& gpu = job.gpu[rank];
    return filled(device_words(Text::job_why_gpu, job),
                  {text_from_share(*gpu.ratio - 1), interval_words(gpu)});
  }
  return in_language(text_of(largest_cause(job.blame[rank])));
}

/// Returns whether the verdict states the number of late steps instead of the waiting caused. This is so if
/// the rank is late repeatedly, unless it caused at least half of all waiting.
bool named_by_steps(const JobAnalysis& job, std::uint32_t rank) {
  return job.recurs(rank) && 2 * job.blame[rank].caused_ns < job.waits.recorded_waiting_ns();
}

std::string recurring_title(const JobAnalysis& job, std::uint32_t rank) {
  const StragglerStats& blame = job.blame[rank];
  const std::string late = text_from_duration(blame.step_late_ns);
  const std::string cause = cause_in_short(job, rank);
  if (blame.steps == job.whole_steps)
    return filled(Text::job_verdict_every_step, {rank_name(job, rank), late, cause});
  return filled(Text::job_verdict_recurring,
                {rank_name(job, rank), late, grouped(blame.steps), grouped(job.whole_steps), cause});
}

/// Names at most two other ranks whose largest delay exceeds the recurring delay of `first`, even if they
/// were late only once.
std::string others_words(const JobAnalysis& job, std::uint32_t first) {
  constexpr std::size_t kNamed = 2;
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < job.blame.size(); ++i) {
    if (i != first && job.blame[i].most_late_ns > job.blame[first].step_late_ns) others.push_back(i);
  }
  std::ranges::stable_sort(others, std::ranges::greater{},
                           [&](std::uint32_t i) { return job.blame[i].most_late_ns; });
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, others.size()); ++i) {
    words += (i == 0 ? "" : "; ") + rank_name(job, others[i]) + " " + lateness_text(job, others[i]) + " (" +
             cause_in_short(job, others[i]) + ")";
  }
  return words.empty() ? words : filled(Text::job_reason_others, {words});
}

/// Returns the name of a group: "The data-parallel group".
std::string group_words(const MatchedGroup& group) {
  constexpr std::array<std::pair<std::string_view, Text>, 5> kKnown{{{"dp", Text::job_group_dp},
                                                                     {"tp", Text::job_group_tp},
                                                                     {"pp", Text::job_group_pp},
                                                                     {"cp", Text::job_group_cp},
                                                                     {"ep", Text::job_group_ep}}};
  const std::string name = short_description(group.description);
  const auto* const known = std::ranges::find(kKnown, name, &std::pair<std::string_view, Text>::first);
  if (known != kKnown.end()) return tr(known->second);
  return filled(Text::job_group_named, {escaped(name.empty() ? group.name : group.description)});
}

std::string speed_words(double gb_per_s) { return filled(Text::job_speed, {fixed(gb_per_s, 1)}); }

/// Describes a slow link: "The data-parallel group of ranks 1, 3 transfers data at 15 GB/s, other groups of
/// this kind at 96 GB/s (...)".
std::string slow_link_words(const JobAnalysis& job, const LinkSpeed& link) {
  constexpr std::size_t kNamed = 8;
  const MatchedGroup& group = job.matched.groups[link.group];
  const std::string interval =
      filled(Text::job_gpu_interval,
             {speed_words(link.own.low), speed_words(link.own.high), grouped(link.transfers)});
  const std::string own = speed_words(link.own.gb_per_s);
  const std::string others = speed_words(link.of_others.gb_per_s);
  if (group.kind == MatchedGroupKind::messages) {
    return filled(link.others == 1 ? Text::job_slow_pair_of_two : Text::job_slow_pair,
                  {std::to_string(group.source), std::to_string(group.target), own, others, interval});
  }
  std::string ranks;
  for (std::size_t i = 0; i < std::min(kNamed, link.ranks.size()); ++i)
    ranks += (i == 0 ? "" : ", ") + std::to_string(link.ranks[i]);
  if (link.ranks.size() > kNamed)
    ranks += ", " + filled(Text::and_more, {grouped(link.ranks.size() - kNamed)});
  return filled(link.others == 1 ? Text::job_slow_group_of_two : Text::job_slow_group,
                {group_words(group), ranks, own, others, interval});
}

/// Describes the slow links from index `first`, at most up to the third, and the number of the others; empty
/// if there are none.
std::string slow_links_words(const JobAnalysis& job, std::size_t first) {
  constexpr std::size_t kNamed = 3;
  const std::vector<const LinkSpeed*> slow = job.slow_links();
  std::string words;
  for (std::size_t i = first; i < std::min(kNamed, slow.size()); ++i)
    words += (words.empty() ? "" : " ") + filled(Text::job_sentence, {slow_link_words(job, *slow[i])});
  if (slow.size() > kNamed) words += " " + filled(Text::job_slow_more, {grouped(slow.size() - kNamed)});
  return words;
}

/// Names at most three ranks that each caused more than a twentieth of the waiting. Used if there is no
/// straggler.
std::string several_words(const JobAnalysis& job) {
  constexpr std::size_t kNamed = 3;
  const std::int64_t waiting = job.waits.recorded_waiting_ns();
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < job.blame.size(); ++i) {
    if (job.blame[i].caused_ns > waiting / 20) ranks.push_back(i);
  }
  std::ranges::stable_sort(ranks, std::ranges::greater{},
                           [&](std::uint32_t i) { return job.blame[i].caused_ns; });
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, ranks.size()); ++i) {
    const StragglerStats& blame = job.blame[ranks[i]];
    const std::string causes = causes_words(blame);
    words += (i == 0 ? "" : "; ") + rank_name(job, ranks[i]) + " (" +
             text_from_share(static_cast<double>(blame.caused_ns) / static_cast<double>(waiting)) +
             (causes.empty() ? "" : ": " + causes) + ")";
  }
  return words.empty() ? words : filled(Text::job_reason_root_causes, {words});
}

/// Returns the verdict if no rank is a straggler. Names the rank that caused at least a quarter of the
/// waiting, because tables and rows show it as a cause. The reason states the waiting that the total excludes.
std::string no_straggler_title(const JobAnalysis& job) {
  const std::int64_t waiting = job.waits.recorded_waiting_ns();
  const std::int64_t outside = job.waits.outside_waiting_ns;
  const std::vector<std::uint32_t> notable = job.notable_stragglers();
  const std::int64_t caused = notable.empty() ? 0 : job.blame[notable.front()].caused_ns;
  if (caused == 0 || caused < waiting / 4) {
    return filled(outside > 0 ? Text::job_verdict_no_straggler_recorded : Text::job_verdict_no_straggler,
                  {text_from_duration(waiting)});
  }
  return filled(Text::job_verdict_most_waiting,
                {rank_name(job, notable.front()), text_from_duration(caused), text_from_duration(waiting),
                 text_from_share(static_cast<double>(caused) / static_cast<double>(waiting))});
}

std::string no_verdict_title(const JobAnalysis& job, NoVerdict why) {
  switch (why) {
    case NoVerdict::doubled: {
      std::string ranks;
      for (const std::int64_t rank : job.doubled) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
      return filled(Text::job_verdict_recorded_twice, {ranks});
    }
    case NoVerdict::rejected:
      return filled(Text::job_verdict_rejected, {grouped(job.waits.rejected)});
    case NoVerdict::not_waiting:
      return filled(Text::job_verdict_not_waiting, {grouped(job.waits.not_waiting)});
    case NoVerdict::not_together:
      return tr(Text::job_verdict_no_common_time);
    case NoVerdict::before: {
      const std::uint32_t last = *job.late_most();
      return filled(Text::job_verdict_late_start,
                    {rank_name(job, last), text_from_duration(job.blame[last].caused_ns),
                     text_from_duration(job.waits.recorded_waiting_ns())});
    }
    case NoVerdict::unmatched:
      break;
  }
  return tr(Text::job_verdict_unmatched);
}

std::string no_verdict_reason(NoVerdict why) {
  if (why == NoVerdict::doubled) return tr(Text::job_reason_recorded_twice);
  if (why == NoVerdict::not_waiting) return tr(Text::job_reason_not_waiting);
  return {};
}

/// Returns the shares of the waiting that no rank caused, or that were caused before the recording. Omits
/// small shares.
std::string nobody_words(const JobAnalysis& job) {
  constexpr double kLeastShare = 0.05;
  const auto waiting = static_cast<double>(job.waits.recorded_waiting_ns());
  const auto words = [&](Text text, std::int64_t ns) {
    const double share = waiting > 0 ? static_cast<double>(ns) / waiting : 0;
    return share < kLeastShare ? std::string() : filled(text, {text_from_share(share)});
  };
  std::string text = words(Text::job_reason_no_straggler, job.unnamed_ns());
  const std::string before = words(Text::job_reason_unrecorded, job.unrecorded_ns);
  return text + (text.empty() || before.empty() ? "" : " ") + before;
}

/// Reports the collectives that the verdict leaves out.
std::string limits_words(const JobAnalysis& job) {
  const JobWaits& waits = job.waits;
  std::string words;
  if (waits.outside_waiting_ns > waits.waiting_ns() / 100) {
    words = filled(Text::job_reason_recorded,
                   {text_from_duration(waits.recorded.length_ns()),
                    text_from_duration(waits.outside_waiting_ns), grouped(waits.outside_collectives)});
  }
  if (waits.not_waiting > 0)
    words += (words.empty() ? "" : " ") + filled(Text::job_reason_excluded, {grouped(waits.not_waiting)});
  return words;
}

}  // namespace

std::string cause_shares_text(const JobAnalysis& job, std::uint32_t index) {
  return causes_words(job.blame[index]);
}

std::string cpu_untraced_note(std::string_view causes) {
  if (causes.find(in_language(msg::cpu_untraced)) == std::string_view::npos) return {};
  return filled(Text::job_sentence, {in_language(msg::cpu_untraced_meaning)});
}

std::string gpu_text(const JobAnalysis& job, std::uint32_t index) {
  if (index >= job.gpu.size() || job.ranks.size() < 2) return {};
  const GpuComparison& gpu = job.gpu[index];
  if (!gpu.ratio) {
    const bool few = claim_of(gpu) == GpuClaim::too_few_calls;
    return filled(device_words(few ? Text::job_gpu_few : Text::job_gpu_short, job), {grouped(gpu.calls)});
  }
  const std::string claim = in_language(text_of(claim_of(gpu)));
  return filled(device_words(Text::job_gpu_card, job),
                {fixed(*gpu.ratio, 3), fixed(gpu.low, 3), fixed(gpu.high, 3), grouped(gpu.calls), claim});
}

std::string lateness_text(const JobAnalysis& job, std::uint32_t index) {
  const StragglerStats& blame = job.blame[index];
  if (job.recurs(index)) {
    return filled(Text::job_late_in_steps,
                  {text_from_duration(blame.step_late_ns), grouped(blame.steps), grouped(job.whole_steps)});
  }
  if (blame.worst_step < 0) return {};
  return filled(Text::job_late_in_step,
                {text_from_duration(blame.most_late_ns), std::to_string(blame.worst_step)});
}

std::string verdict_title(const JobAnalysis& job) {
  if (const std::optional<NoVerdict> why = job.no_verdict()) return no_verdict_title(job, *why);
  const std::int64_t waiting = job.waits.recorded_waiting_ns();
  const std::optional<std::uint32_t> straggler = job.straggler();
  if (!straggler) {
    const std::vector<const LinkSpeed*> slow = job.slow_links();
    if (!slow.empty()) return slow_link_words(job, *slow.front());
    return no_straggler_title(job);
  }
  if (named_by_steps(job, *straggler)) return recurring_title(job, *straggler);
  const std::int64_t caused = job.blame[*straggler].caused_ns;
  return filled(job.missing.empty() ? Text::job_verdict_straggler : Text::job_verdict_at_least,
                {rank_name(job, *straggler), text_from_duration(caused), text_from_duration(waiting),
                 text_from_share(static_cast<double>(caused) / static_cast<double>(waiting))});
}

std::string verdict_reason(const JobAnalysis& job) {
  if (const std::optional<NoVerdict> why = job.no_verdict()) return no_verdict_reason(*why);
  const std::int64_t waiting = job.waits.recorded_waiting_ns();
  const std::int64_t all = waiting + job.waits.recorded_transfer_sum_ns();
  std::vector<std::string> sentences;
  if (const std::optional<std::uint32_t> straggler = job.straggler()) {
    const StragglerStats& blame = job.blame[*straggler];
    const bool by_steps = named_by_steps(job, *straggler);
    const std::string causes = causes_words(blame);
    if (!by_steps) {
      sentences.push_back(filled(Text::job_reason_root_cause,
                                 {grouped(blame.collectives),
                                  grouped(job.waits.collectives.size() - job.waits.outside_collectives)}));
      if (blame.steps > 0 && job.whole_steps > 1) {
        sentences.push_back(filled(Text::job_reason_steps, {grouped(blame.steps), grouped(job.whole_steps)}));
      }
    } else {
      sentences.push_back(filled(job.missing.empty() ? Text::job_reason_cost : Text::job_reason_cost_at_least,
                                 {text_from_duration(blame.caused_ns), text_from_duration(waiting)}));
      sentences.push_back(others_words(job, *straggler));
    }
    if (!causes.empty()) sentences.push_back(filled(Text::job_reason_why, {causes}));
    if (gpu_slower(job, *straggler) && (!by_steps || !by_gpu(job, *straggler)))
      sentences.push_back(slower_gpu_words(job, *straggler));
  } else {
    // The total of the title excludes this time, so the reason comes first.
    sentences.push_back(limits_words(job));
    sentences.push_back(several_words(job));
  }
  sentences.push_back(slow_links_words(job, job.straggler() ? 0 : 1));
  const auto share = [&](std::int64_t part) {
    return text_from_share(static_cast<double>(part) / static_cast<double>(all));
  };
  if (all > 0) sentences.push_back(filled(Text::job_reason_share, {share(waiting)}));
  if (job.pipeline_ns() > all / 100)
    sentences.push_back(filled(Text::job_reason_pipeline, {share(job.pipeline_ns())}));
  sentences.push_back(nobody_words(job));
  if (job.straggler()) sentences.push_back(limits_words(job));
  std::string words;
  for (const std::string& sentence : sentences)
    words += (words.empty() || sentence.empty() ? "" : " ") + sentence;
  return words;
}

std::string cause_text(const JobAnalysis& job, std::uint32_t collective) {
  constexpr std::size_t kNamed = 3;
  const LateCause* const cause = job.cause_of(collective);
  if (cause == nullptr) return {};
  std::string words = rank_name(job, cause->root) + ": ";
  if (cause->stop != LateStopReason::own) return words + in_language(text_of(cause->stop));
  std::vector<std::pair<std::int64_t, IntervalPart>> parts;
  parts.reserve(kIntervalPartCount);
  for (int i = 0; i < kIntervalPartCount; ++i) {
    const auto part = static_cast<IntervalPart>(i);
    const std::int64_t overlapped_before_ns = part == IntervalPart::compute ? cause->overlapped_before_ns : 0;
    parts.emplace_back(cause->excess[static_cast<std::size_t>(i)] - overlapped_before_ns, part);
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](const auto& entry) { return entry.first; });
  for (std::size_t i = 0; i < kNamed && parts[i].first * 10 > cause->own_ns; ++i) {
    words += (i == 0 ? "" : ", ") + in_language(text_of(parts[i].second)) + " +" +
             text_from_duration(parts[i].first);
  }
  return words;
}

std::string unnamed_last_text(const JobAnalysis& job, std::uint32_t collective) {
  const CollectiveWait& wait = job.waits.collectives[collective];
  if (wait.outside) return tr(Text::job_last_not_recorded);
  return filled(Text::job_last_within_tolerance,
                {text_from_duration(wait.arrival_gap_ns), text_from_duration(job.waits.tolerance_ns)});
}

std::string clocks_text(const JobAnalysis& job) {
  const double largest = job.clocks.max_deviation_ns();
  double error = 0;
  for (const RankClock& clock : job.clocks.ranks) error = std::max(error, clock.error_ns);
  if (job.waits.collectives.empty()) return tr(Text::job_clocks_unknown);
  return filled(clocks_differ(job) ? Text::job_clocks_differ : Text::job_clocks_agree,
                {text_from_duration(std::llround(clocks_differ(job) ? largest : std::max(largest, error))),
                 text_from_duration(std::llround(error))});
}

std::string clocks_in_brief(const JobAnalysis& job) {
  if (job.waits.collectives.empty()) return tr(Text::job_clocks_unknown);
  double error = 0;
  for (const RankClock& clock : job.clocks.ranks) error = std::max(error, clock.error_ns);
  return filled(Text::job_clocks_error, {text_from_duration(std::llround(error))});
}

std::string clock_check_text(const JobAnalysis& job) {
  // If there are as many components as ranks, no two clocks were compared.
  if (job.clocks.components >= job.ranks.size()) {
    if (job.clocks.raw.checked == 0) return {};
    return filled(Text::job_clocks_checked_raw,
                  {grouped(job.clocks.raw.violated), grouped(job.clocks.raw.checked)});
  }
  return filled(Text::job_clocks_checked,
                {grouped(job.clocks.raw.violated), grouped(job.clocks.fitted.violated),
                 grouped(job.clocks.raw.checked)});
}

}  // namespace kino
