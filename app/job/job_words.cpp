#include "app/job/job_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "app/job/job_picture.hpp"
#include "app/text/core_sentences.hpp"
#include "app/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {

LevelCounts level_counts(const MatchedJob& job) {
  struct Count {
    std::size_t instances = 0;
    std::size_t kernels = 0;
  };
  std::array<std::array<Count, 2>, 4> all{};  // by level, and whether it is complete
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
  return rank < 0 ? std::string(tr(Text::job_rank_unnumbered))
                  : filled(Text::job_rank, {std::to_string(rank)});
}

namespace {

/// "garbage collection 98 %, compute 2 %": what the rank's excess was, the largest first.
std::string causes_words(const RankBlame& blame) {
  constexpr std::size_t kNamed = 3;
  constexpr double kLeastShare = 0.05;
  std::vector<std::pair<std::int64_t, std::string_view>> parts;
  for (int i = 0; i < kStretchPartCount; ++i) {
    if (blame.own_ns[static_cast<std::size_t>(i)] > 0)
      parts.emplace_back(blame.own_ns[static_cast<std::size_t>(i)], text_of(static_cast<StretchPart>(i)));
  }
  if (blame.unknown_ns > 0) parts.emplace_back(blame.unknown_ns, text_of(LateStop::recording_begins));
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](const auto& it) { return it.first; });
  std::int64_t sum = 0;
  for (const auto& [ns, name] : parts) sum += ns;
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, parts.size()); ++i) {
    const double share = static_cast<double>(parts[i].first) / static_cast<double>(sum);
    if (share < kLeastShare) break;
    words += (words.empty() ? "" : ", ") + in_language(parts[i].second) + " " + text_from_share(share);
  }
  return words;
}

/// By how much the same kernels take longer on its GPU, where that is over 3 %; real jobs are within that.
std::optional<double> gpu_slower(const JobAnalysis& job, std::uint32_t rank) {
  constexpr double kUsual = 1.03;
  const std::optional<double> index = job.gpu.ranks.empty() ? std::nullopt : job.gpu.ranks[rank];
  if (!index || *index < kUsual) return std::nullopt;
  return *index - 1;
}

/// What most of its own lateness was.
StretchPart largest_cause(const RankBlame& blame) {
  return static_cast<StretchPart>(std::ranges::max_element(blame.own_ns) - blame.own_ns.begin());
}

bool by_gpu(const JobAnalysis& job, std::uint32_t rank) {
  return largest_cause(job.blame[rank]) == StretchPart::compute && gpu_slower(job, rank);
}

/// "its GPU is 9.9 % slower", "data loader".
std::string cause_in_short(const JobAnalysis& job, std::uint32_t rank) {
  if (by_gpu(job, rank)) return filled(Text::job_why_gpu, {text_from_share(*gpu_slower(job, rank))});
  return in_language(text_of(largest_cause(job.blame[rank])));
}

/// How often it was late says more than what it cost, unless that is most of all waiting.
bool named_by_steps(const JobAnalysis& job, std::uint32_t rank) {
  return job.recurs(rank) && 2 * job.blame[rank].caused_ns < job.waits.waiting_ns();
}

std::string recurring_title(const JobAnalysis& job, std::uint32_t rank) {
  const RankBlame& blame = job.blame[rank];
  const std::string late = text_from_duration(blame.step_late_ns);
  const std::string cause = cause_in_short(job, rank);
  if (blame.steps == job.whole_steps)
    return filled(Text::job_verdict_every_step, {rank_name(job, rank), late, cause});
  return filled(Text::job_verdict_recurring,
                {rank_name(job, rank), late, grouped(blame.steps), grouped(job.whole_steps), cause});
}

/// Others that were late for longer, if only once; at most two.
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
    words += (i == 0 ? "" : "; ") + rank_name(job, others[i]) + " " + lateness_words(job, others[i]) + " (" +
             cause_in_short(job, others[i]) + ")";
  }
  return words.empty() ? words : filled(Text::job_reason_others, {words});
}

/// Who it goes back to where none has half of it: at most three, each with a noticeable part.
std::string several_words(const JobAnalysis& job) {
  constexpr std::size_t kNamed = 3;
  const std::int64_t waiting = job.waits.waiting_ns();
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < job.blame.size(); ++i) {
    if (job.blame[i].caused_ns > waiting / 20) ranks.push_back(i);
  }
  std::ranges::stable_sort(ranks, std::ranges::greater{},
                           [&](std::uint32_t i) { return job.blame[i].caused_ns; });
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, ranks.size()); ++i) {
    const RankBlame& blame = job.blame[ranks[i]];
    const std::string causes = causes_words(blame);
    words += (i == 0 ? "" : "; ") + rank_name(job, ranks[i]) + " (" +
             text_from_share(static_cast<double>(blame.caused_ns) / static_cast<double>(waiting)) +
             (causes.empty() ? "" : ": " + causes) + ")";
  }
  return words.empty() ? words : filled(Text::job_reason_several, {words});
}

}  // namespace

std::string blame_words(const JobAnalysis& job, std::uint32_t index) {
  return causes_words(job.blame[index]);
}

std::string lateness_words(const JobAnalysis& job, std::uint32_t index) {
  const RankBlame& blame = job.blame[index];
  if (job.recurs(index)) {
    return filled(Text::job_late_in_steps,
                  {text_from_duration(blame.step_late_ns), grouped(blame.steps), grouped(job.whole_steps)});
  }
  if (blame.worst_step < 0) return {};
  return filled(Text::job_late_in_step,
                {text_from_duration(blame.most_late_ns), std::to_string(blame.worst_step)});
}

std::string verdict_title(const JobAnalysis& job) {
  if (job.waits.collectives.empty()) return tr(Text::job_verdict_unmatched);
  const std::int64_t waiting = job.waits.waiting_ns();
  const std::optional<std::uint32_t> culprit = job.culprit();
  if (!culprit) return filled(Text::job_verdict_none, {text_from_duration(waiting)});
  if (named_by_steps(job, *culprit)) return recurring_title(job, *culprit);
  const std::int64_t caused = job.blame[*culprit].caused_ns;
  return filled(job.missing.empty() ? Text::job_verdict_culprit : Text::job_verdict_at_least,
                {rank_name(job, *culprit), text_from_duration(caused), text_from_duration(waiting),
                 text_from_share(static_cast<double>(caused) / static_cast<double>(waiting))});
}

std::string verdict_reason(const JobAnalysis& job) {
  if (job.waits.collectives.empty()) return {};
  const std::int64_t waiting = job.waits.waiting_ns();
  const std::int64_t all = waiting + job.waits.moving_ns();
  std::vector<std::string> sentences;
  if (const std::optional<std::uint32_t> culprit = job.culprit()) {
    const RankBlame& blame = job.blame[*culprit];
    const bool by_steps = named_by_steps(job, *culprit);
    const std::string causes = causes_words(blame);
    if (!by_steps) {
      sentences.push_back(
          filled(Text::job_reason_last, {grouped(blame.collectives), grouped(job.waits.collectives.size())}));
      if (blame.steps > 0 && job.whole_steps > 1) {
        sentences.push_back(filled(Text::job_reason_steps, {grouped(blame.steps), grouped(job.whole_steps)}));
      }
    } else {
      sentences.push_back(filled(job.missing.empty() ? Text::job_reason_cost : Text::job_reason_cost_at_least,
                                 {text_from_duration(blame.caused_ns), text_from_duration(waiting)}));
      sentences.push_back(others_words(job, *culprit));
    }
    if (!causes.empty()) sentences.push_back(filled(Text::job_reason_why, {causes}));
    if (const std::optional<double> slower = gpu_slower(job, *culprit);
        slower && (!by_steps || !by_gpu(job, *culprit)))
      sentences.push_back(filled(Text::job_reason_gpu, {text_from_share(*slower)}));
  } else {
    sentences.push_back(several_words(job));
  }
  const auto share = [&](std::int64_t part) {
    return text_from_share(static_cast<double>(part) / static_cast<double>(all));
  };
  if (all > 0) sentences.push_back(filled(Text::job_reason_share, {share(waiting)}));
  if (job.pipeline_ns() > all / 100)
    sentences.push_back(filled(Text::job_reason_pipeline, {share(job.pipeline_ns())}));
  std::string words;
  for (const std::string& it : sentences) words += (words.empty() || it.empty() ? "" : " ") + it;
  return words;
}

std::string cause_words(const JobAnalysis& job, std::uint32_t collective) {
  constexpr std::size_t kNamed = 3;
  const LateCause* const cause = job.cause_of(collective);
  if (cause == nullptr) return {};
  std::string words = rank_name(job, cause->root) + ": ";
  if (cause->stop != LateStop::own) return words + in_language(text_of(cause->stop));
  std::vector<std::pair<std::int64_t, StretchPart>> parts;
  parts.reserve(kStretchPartCount);
  for (int i = 0; i < kStretchPartCount; ++i) {
    const auto part = static_cast<StretchPart>(i);
    const std::int64_t ahead_ns = part == StretchPart::compute ? cause->ahead_ns : 0;
    parts.emplace_back(cause->excess[static_cast<std::size_t>(i)] - ahead_ns, part);
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](const auto& it) { return it.first; });
  for (std::size_t i = 0; i < kNamed && parts[i].first * 10 > cause->own_ns; ++i) {
    words += (i == 0 ? "" : ", ") + in_language(text_of(parts[i].second)) + " +" +
             text_from_duration(parts[i].first);
  }
  return words;
}

std::string clocks_words(const JobAnalysis& job) {
  double largest = 0;
  double error = 0;
  for (const RankClock& clock : job.clocks.ranks) {
    largest = std::max(largest, std::abs(clock.offset_ns));
    error = std::max(error, clock.error_ns);
  }
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

std::string clock_check_words(const JobAnalysis& job) {
  return filled(Text::job_clocks_checked,
                {grouped(job.clocks.raw.violated), grouped(job.clocks.fitted.violated),
                 grouped(job.clocks.raw.checked)});
}

}  // namespace kino
