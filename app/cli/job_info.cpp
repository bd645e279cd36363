#include "app/cli/job_info.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the title and the reason of the verdict.
std::string verdict_of(const JobAnalysis& job) {
  const std::string reason = verdict_reason(job);
  return verdict_title(job) + (reason.empty() ? "" : ". " + reason);
}

Json json_of(const CausalityCheck& check) {
  return {{"checked", check.checked}, {"violated", check.violated}, {"worst_ns", check.worst_ns}};
}

/// Returns the bounds of the rank's clock offset, with null for an unbounded side. Returns null if both sides
/// are unbounded.
Json hard_interval_json(const RankClock& clock) {
  if (!clock.least_ns && !clock.most_ns) return {};
  return {clock.least_ns ? Json(*clock.least_ns) : Json(), clock.most_ns ? Json(*clock.most_ns) : Json()};
}

Json json_of(const JobAnalysis& job, const GpuComparison& gpu) {
  const bool compared = gpu.ratio.has_value();
  return {{"ratio", compared ? Json(*gpu.ratio) : Json()},
          {"interval", compared ? Json({gpu.low, gpu.high}) : Json()},
          {"calls", gpu.calls},
          {"time_ns", gpu.time_ns},
          {"other_ranks", gpu.others},
          {"other_rank", gpu.only_other ? Json(job.ranks[*gpu.only_other]->rank) : Json()},
          {"claim", english(text_of(claim_of(gpu)))}};
}

/// Returns a text such as "1.149 [1.148, 1.151] n 1 152"; if there is no ratio, only the number of calls.
std::string gpu_text(const GpuComparison& gpu) {
  std::string text;
  if (gpu.ratio) text = fixed(*gpu.ratio, 3) + " [" + fixed(gpu.low, 3) + ", " + fixed(gpu.high, 3) + "] ";
  return text + "n " + grouped(gpu.calls);
}

/// Returns the waiting time that the rank caused, and its reasons, as in the verdict.
Json blame_json(const JobAnalysis& job, std::uint32_t index) {
  const StragglerStats& blame = job.blame[index];
  const std::optional<IntervalPart> cause = blame.main_part();
  return {{"caused_ns", blame.caused_ns},
          {"collectives", blame.collectives},
          {"cause", cause ? Json(english(text_of(*cause))) : Json()},
          {"late_steps", blame.steps},
          {"step_late_ns", blame.step_late_ns},
          {"worst_step", blame.worst_step < 0 ? Json() : Json(blame.worst_step)},
          {"worst_step_late_ns", blame.most_late_ns},
          {"recurs", job.recurs(index)},
          {"gpu_index", json_of(job, job.gpu[index])}};
}

/// Returns the verdict as values: its kind, and the rank it names.
Json verdict_json(const JobAnalysis& job) {
  constexpr std::array<std::string_view, 6> kReasons{"doubled",     "unmatched",    "rejected",
                                                     "not_waiting", "not_together", "before_recording"};
  Json json = {{"kind", "nobody"},
               {"waiting_ns", job.waits.recorded_waiting_ns()},
               {"moving_ns", job.waits.recorded_transfer_sum_ns()},
               {"whole_steps", job.whole_steps}};
  if (const std::optional<NoVerdict> why = job.no_verdict()) {
    json["kind"] = kReasons[static_cast<std::size_t>(*why)];
    return json;
  }
  const std::optional<std::uint32_t> straggler = job.straggler();
  if (!straggler) return json;
  json["kind"] = "rank";
  json["rank"] = job.ranks[*straggler]->rank;
  json.update(blame_json(job, *straggler));
  return json;
}

Json rank_json(const NamedJob& job, std::size_t i) {
  const JobAnalysis& analysis = *job.analysis;
  const RankDigest& digest = *analysis.ranks[i];
  const RankClock& clock = analysis.clocks.ranks[i];
  const RankWaits& waits = analysis.waits.ranks[i];
  const std::optional<std::string> host = host_of(job.files[i]);
  // If no collective was matched, the waiting times are unknown.
  const auto if_matched = [&](std::int64_t ns) { return waits.collectives > 0 ? Json(ns) : Json(); };
  return {{"rank", digest.rank < 0 ? Json() : Json(digest.rank)},
          {"file", job.files[i].string()},
          {"host", host ? Json(*host) : Json()},
          {"first_ns", digest.first_ns},
          {"last_ns", digest.last_ns},
          {"communication_kernels", digest.kernels.size()},
          {"offset_ns", analysis.clocks.joined(i) ? Json(std::llround(clock.offset_ns)) : Json()},
          {"drift_ppb", std::llround(clock.drift_ppb)},
          {"bar_ns", analysis.clocks.joined(i) ? Json(std::llround(clock.error_ns)) : Json()},
          {"hard_interval_ns", hard_interval_json(clock)},
          {"clock_component", clock.component},
          {"waiting_ns", if_matched(waits.waiting_ns)},
          {"moving_ns", if_matched(waits.transfer_sum_ns)},
          {"caused_ns", if_matched(waits.caused_ns)},
          {"saved_ns", if_matched(waits.saved_ns)},
          {"root_ns", if_matched(analysis.blame.empty() ? 0 : analysis.blame[i].caused_ns)},
          {"blame", analysis.blame.empty() ? Json() : blame_json(analysis, static_cast<std::uint32_t>(i))},
          {"collectives", waits.collectives},
          {"times_last", waits.times_last},
          {"gpu_index", json_of(analysis, analysis.gpu[i])}};
}

Json speed_json(const MedianSpeed& speed) {
  return {{"gb_per_s", speed.gb_per_s}, {"interval", Json({speed.low, speed.high})}};
}

Json slow_links_json(const JobAnalysis& job) {
  Json links = Json::array();
  for (const LinkSpeed* const link : job.slow_links()) {
    const MatchedGroup& group = job.matched.groups[link->group];
    links.push_back({{"kind", group.kind == MatchedGroupKind::messages ? "pair" : "group"},
                     {"group", group.name},
                     {"description", group.description},
                     {"ranks", link->ranks},
                     {"operation", link->operation},
                     {"bytes", link->bytes},
                     {"transfers", link->transfers},
                     {"own", speed_json(link->own)},
                     {"others", speed_json(link->of_others)},
                     {"compared_with", link->others},
                     {"lost_ns", link->lost_ns}});
  }
  return links;
}

Json json_of(const NamedJob& job) {
  const JobAnalysis& analysis = *job.analysis;
  const LevelCounts counts = level_counts(analysis.matched);
  Json ranks = Json::array();
  for (std::size_t i = 0; i < analysis.ranks.size(); ++i) ranks.push_back(rank_json(job, i));
  return {{"ranks", ranks},
          {"world", analysis.world_size > 0 ? Json(analysis.world_size) : Json()},
          {"missing", analysis.missing},
          {"doubled", analysis.doubled},
          {"kernels_by_level", counts.kernels},
          {"instances", counts.instances},
          {"violations_raw", json_of(analysis.clocks.raw)},
          {"violations_fit", json_of(analysis.clocks.fitted)},
          {"tolerance_ns", analysis.waits.tolerance_ns},
          {"waiting_ns", analysis.waits.waiting_ns()},
          {"moving_ns", analysis.waits.transfer_sum_ns()},
          {"slow_links", slow_links_json(analysis)},
          {"recorded_ns", {analysis.waits.recorded.begin_ns, analysis.waits.recorded.end_ns}},
          {"outside_collectives", analysis.waits.outside_collectives},
          {"outside_waiting_ns", analysis.waits.outside_waiting_ns},
          {"not_waiting_collectives", analysis.waits.not_waiting},
          {"verdict", verdict_of(analysis)},
          {"verdict_values", verdict_json(analysis)}};
}

std::string level_words(const std::string& level) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords{
      {{"A", "by sequence number"},
       {"B", "by order, and no other order fits the times"},
       {"C", "by order only"},
       {"X", "but excluded: they cannot be one operation"},
       {"s", "unmatched kernels: not found on other ranks"}}};
  const auto* const found =
      std::ranges::find(kWords, level.substr(0, 1), &std::pair<std::string_view, std::string_view>::first);
  return std::string(found != kWords.end() ? found->second : "") +
         (level.ends_with("/partial") ? ", with ranks missing" : "");
}

/// Lists the ranks by the waiting that they caused as the root cause, largest first: ten ranks, or all. (The
/// last rank in a collective may only have passed on a delay.)
std::string rank_lines(const NamedJob& job, bool all) {
  constexpr std::size_t kMostRanks = 10;
  const JobAnalysis& analysis = *job.analysis;
  const auto root_ns = [&](std::size_t i) {
    return analysis.blame.empty() ? 0 : analysis.blame[i].caused_ns;
  };
  std::vector<std::size_t> order(analysis.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, root_ns);
  // The column "As last" is omitted if it would equal "As root": no delay was passed on.
  const bool handed_on = std::ranges::any_of(
      order, [&](std::size_t i) { return root_ns(i) != analysis.waits.ranks[i].caused_ns; });
  std::string out = padded_left("Rank", 8) + padded_left("As root", 12) +
                    (handed_on ? padded_left("As last", 12) : "") + padded_left("Last", 8) +
                    padded_left("Waiting", 12) + padded_left("Transfer", 12) + padded_left("Clock", 14) +
                    padded_left("GPU time [95 %]", 32) + "  File\n";
  const std::size_t shown = all ? order.size() : std::min(kMostRanks, order.size());
  for (const std::size_t i : std::span(order).first(shown)) {
    const RankWaits& waits = analysis.waits.ranks[i];
    const std::int64_t rank = analysis.ranks[i]->rank;
    const auto if_matched = [&](const std::string& text) { return waits.collectives > 0 ? text : "unknown"; };
    const auto waited = [&](std::int64_t ns) { return padded_left(if_matched(text_from_duration(ns)), 12); };
    const std::string offset = text_from_duration(std::llround(analysis.clocks.ranks[i].offset_ns));
    out +=
        padded_left(rank < 0 ? "?" : std::to_string(rank), 8) + waited(root_ns(i)) +
        (handed_on ? waited(waits.caused_ns) : "") +
        padded_left(waits.collectives > 0 ? grouped(waits.times_last) : "?", 8) + waited(waits.waiting_ns) +
        waited(waits.transfer_sum_ns) + padded_left(analysis.clocks.joined(i) ? offset : "unknown", 14) +
        padded_left(gpu_text(analysis.gpu[i]), 32) + "  " + escaped(job.files[i].filename().string()) + "\n";
  }
  if (shown < order.size())
    out += "and " + grouped(order.size() - shown) + " more ranks (--all prints all)\n";
  out += "As root: waiting of the other ranks with this rank as the root cause.";
  if (handed_on)
    out += " As last: waiting of the other ranks when this rank arrived last, whatever the root cause.";
  out += "\n";
  if (analysis.waits.outside_waiting_ns > 0) {
    out += "Waiting and Transfer cover all collectives. The verdict excludes " +
           text_from_duration(analysis.waits.outside_waiting_ns) +
           " of waiting in collectives that began before all ranks were recording.\n";
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
                          const std::vector<std::string>& problems, bool all_ranks) {
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
    add_line(out, "Clocks", clocks_text(analysis));
    if (const std::string checked = clock_check_text(analysis); !checked.empty()) add_line(out, "", checked);
    std::string_view label = "Collectives";
    for (const auto& [level, count] : level_counts(analysis.matched).instances) {
      add_line(out, label, grouped(count) + (level[0] == 's' ? " " : " matched ") + level_words(level));
      label = "";
    }
    out += "\n" + rank_lines(job, all_ranks);
  }
  for (const std::string& problem : problems) out += escaped(problem) + "\n";
  return out;
}

}  // namespace kino
