#include "app/cli/job_info.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "app/job/job_words.hpp"
#include "app/text/columns_of_text.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

/// Title and reason of the verdict.
std::string verdict_of(const JobAnalysis& job) {
  const std::string reason = verdict_reason(job);
  return verdict_title(job) + (reason.empty() ? "" : ". " + reason);
}

Json json_of(const CausalityCheck& check) {
  return {{"checked", check.checked}, {"violated", check.violated}, {"worst_ns", check.worst_ns}};
}

Json rank_json(const NamedJob& job, std::size_t i) {
  const JobAnalysis& analysis = *job.analysis;
  const RankDigest& digest = *analysis.ranks[i];
  const RankClock& clock = analysis.clocks.ranks[i];
  const RankWaits& waits = analysis.waits.ranks[i];
  const std::optional<std::string> host = host_of(job.files[i]);
  return {{"rank", digest.rank < 0 ? Json() : Json(digest.rank)},
          {"file", job.files[i].string()},
          {"host", host ? Json(*host) : Json()},
          {"first_ns", digest.first_ns},
          {"last_ns", digest.last_ns},
          {"communication_kernels", digest.kernels.size()},
          {"offset_ns", std::llround(clock.offset_ns)},
          {"drift_ppb", std::llround(clock.drift_ppb)},
          {"bar_ns", std::llround(clock.error_ns)},
          {"hard_interval_ns", clock.bounded ? Json({clock.least_ns, clock.most_ns}) : Json()},
          {"clock_component", clock.component},
          {"waiting_ns", waits.waiting_ns},
          {"moving_ns", waits.moving_ns},
          {"caused_ns", waits.caused_ns},
          {"saved_ns", waits.saved_ns},
          {"collectives", waits.collectives},
          {"times_last", waits.times_last}};
}

Json json_of(const NamedJob& job) {
  const JobAnalysis& analysis = *job.analysis;
  const LevelCounts counts = level_counts(analysis.matched);
  Json ranks = Json::array();
  for (std::size_t i = 0; i < analysis.ranks.size(); ++i) ranks.push_back(rank_json(job, i));
  return {{"ranks", ranks},
          {"world", analysis.world_size > 0 ? Json(analysis.world_size) : Json()},
          {"missing", analysis.missing},
          {"kernels_by_level", counts.kernels},
          {"instances", counts.instances},
          {"violations_raw", json_of(analysis.clocks.raw)},
          {"violations_fit", json_of(analysis.clocks.fitted)},
          {"tolerance_ns", analysis.waits.tolerance_ns},
          {"waiting_ns", analysis.waits.waiting_ns()},
          {"moving_ns", analysis.waits.moving_ns()},
          {"verdict", verdict_of(analysis)}};
}

std::string level_words(const std::string& level) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords{
      {{"A", "by their number"},
       {"B", "by their order, and no other fits the times"},
       {"C", "by their order alone"},
       {"X", "that cannot be one operation: left out"},
       {"s", "alone: no other rank has them"}}};
  const auto* const found =
      std::ranges::find(kWords, level.substr(0, 1), &std::pair<std::string_view, std::string_view>::first);
  return std::string(found != kWords.end() ? found->second : "") +
         (level.ends_with("/partial") ? ", not of all ranks" : "");
}

std::string rank_lines(const NamedJob& job) {
  const JobAnalysis& analysis = *job.analysis;
  std::string out = padded_left("Rank", 8) + padded_left("Waited", 12) + padded_left("Moved", 12) +
                    padded_left("Caused", 12) + padded_left("Last", 8) + padded_left("Clock", 14) +
                    "  File\n";
  for (std::size_t i = 0; i < analysis.ranks.size(); ++i) {
    const RankWaits& waits = analysis.waits.ranks[i];
    const std::int64_t rank = analysis.ranks[i]->rank;
    out += padded_left(rank < 0 ? "?" : std::to_string(rank), 8) +
           padded_left(text_from_duration(waits.waiting_ns), 12) +
           padded_left(text_from_duration(waits.moving_ns), 12) +
           padded_left(text_from_duration(waits.caused_ns), 12) + padded_left(grouped(waits.times_last), 8) +
           padded_left(text_from_duration(std::llround(analysis.clocks.ranks[i].offset_ns)), 14) + "  " +
           escaped(job.files[i].filename().string()) + "\n";
  }
  return out;
}

}  // namespace

std::string job_info_json(const std::filesystem::path& path, const std::vector<NamedJob>& jobs,
                          const std::vector<std::string>& problems) {
  Json list = Json::array();
  for (const NamedJob& job : jobs) list.push_back(json_of(job));
  Json json = {{"schema", kInfoSchema},
               {"kind", "job"},
               {"file", path.string()},
               {"job", jobs.size() == 1 ? list.front() : Json()}};
  json["jobs"] = std::move(list);
  json["problems"] = problems;
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string job_info_text(const std::filesystem::path& path, const std::vector<NamedJob>& jobs,
                          const std::vector<std::string>& problems) {
  std::string out;
  for (const NamedJob& job : jobs) {
    const JobAnalysis& analysis = *job.analysis;
    if (!out.empty()) out += "\n";
    std::string name = escaped(path.string());
    if (jobs.size() > 1)
      name += " (" + std::to_string(&job - jobs.data() + 1) + " of " + std::to_string(jobs.size()) + ")";
    add_line(out, "Job", name);
    std::string ranks =
        grouped(analysis.ranks.size()) + " of " +
        (analysis.world_size > 0 ? grouped(static_cast<std::uint64_t>(analysis.world_size)) : "?");
    constexpr std::size_t kNamed = 16;
    for (std::size_t i = 0; i < std::min(kNamed, analysis.missing.size()); ++i)
      ranks += (i == 0 ? "; missing: " : ", ") + std::to_string(analysis.missing[i]);
    if (analysis.missing.size() > kNamed)
      ranks += " and " + grouped(analysis.missing.size() - kNamed) + " more";
    add_line(out, "Ranks", ranks);
    add_line(out, "Verdict", verdict_of(analysis));
    add_line(out, "Clocks", clocks_words(analysis));
    add_line(out, "", clock_check_words(analysis));
    std::string_view label = "Collectives";
    for (const auto& [level, count] : level_counts(analysis.matched).instances) {
      add_line(out, label, grouped(count) + (level[0] == 's' ? " " : " matched ") + level_words(level));
      label = "";
    }
    out += "\n" + rank_lines(job);
  }
  for (const std::string& problem : problems) out += escaped(problem) + "\n";
  return out;
}

}  // namespace kino
