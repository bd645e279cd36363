#include "app/job/job_words.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/job/job_picture.hpp"
#include "app/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {

LevelCounts level_counts(const MatchedJob& job) {
  LevelCounts counts;
  for (const CollectiveInstance& instance : job.instances) {
    const std::string level =
        std::string(letter_of(instance.level)) + (instance.complete ? "/complete" : "/partial");
    ++counts.instances[level];
    counts.kernels[level] += instance.kernels.size();
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

std::string verdict_title(const JobAnalysis& job) {
  if (job.waits.collectives.empty()) return tr(Text::job_verdict_unmatched);
  const std::int64_t waiting = job.waits.waiting_ns();
  const std::optional<std::uint32_t> culprit = job.culprit();
  if (!culprit) return filled(Text::job_verdict_none, {text_from_duration(waiting)});
  const std::int64_t caused = job.waits.ranks[*culprit].caused_ns;
  return filled(job.missing.empty() ? Text::job_verdict_culprit : Text::job_verdict_at_least,
                {rank_name(job, *culprit), text_from_duration(caused), text_from_duration(waiting),
                 text_from_share(static_cast<double>(caused) / static_cast<double>(waiting))});
}

std::string verdict_reason(const JobAnalysis& job) {
  if (job.waits.collectives.empty()) return {};
  const std::int64_t waiting = job.waits.waiting_ns();
  const std::int64_t all = waiting + job.waits.moving_ns();
  std::string words;
  if (const std::optional<std::uint32_t> culprit = job.culprit()) {
    words = filled(Text::job_reason_last,
                   {grouped(job.waits.ranks[*culprit].times_last), grouped(job.waits.collectives.size())}) +
            " ";
  }
  if (all == 0) return words;
  return words + filled(Text::job_reason_share,
                        {text_from_share(static_cast<double>(waiting) / static_cast<double>(all))});
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

std::string clock_check_words(const JobAnalysis& job) {
  return filled(Text::job_clocks_checked,
                {grouped(job.clocks.raw.violated), grouped(job.clocks.fitted.violated),
                 grouped(job.clocks.raw.checked)});
}

}  // namespace kino
