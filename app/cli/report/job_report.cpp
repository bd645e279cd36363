#include "app/cli/report/job_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "app/cli/report/report_page.hpp"
#include "app/pages/job/job_texts.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "core/base/ascii.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/rank_times.hpp"
#include "core/job/step_waits.hpp"
#include "core/job/tables/job_tables.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostChartRanks = 128;
constexpr std::size_t kMostChartSteps = 200;

/// Returns the ranks in the charts: all ranks of a small job, or those of a larger job for which others
/// waited longest.
std::vector<std::uint32_t> charted_ranks(const JobAnalysis& job) {
  std::vector<std::uint32_t> ranks(job.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0U);
  if (ranks.size() <= kMostChartRanks) return ranks;
  std::ranges::stable_sort(ranks, std::ranges::greater{},
                           [&](std::uint32_t i) { return job.blame[i].caused_ns; });
  ranks.resize(kMostChartRanks);
  return ranks;
}

void add_time_chart(std::string& out, const JobAnalysis& job, const std::vector<std::uint32_t>& ranks) {
  std::vector<RankTimes> times;
  std::int64_t longest = 1;
  for (const std::uint32_t rank : ranks) {
    longest = std::max(longest,
                       times.emplace_back(rank_times(*job.ranks[rank], job.waits.kernels[rank])).length_ns);
  }
  std::vector<ReportBar> bars;
  bool any_on_cpu = false;
  bool all_on_cpu = true;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ReportBar& bar = bars.emplace_back();
    bar.label = rank_name(job, ranks[i]);
    const bool on_cpu = communicates_on_cpu(*job.ranks[ranks[i]]);
    any_on_cpu = any_on_cpu || on_cpu;
    all_on_cpu = all_on_cpu && on_cpu;
    const RankTimes& spent = times[i];
    const auto piece = [&](const char* color, std::int64_t ns, const char* what) {
      if (ns <= 0) return;
      bar.pieces.push_back({color, static_cast<double>(ns) / static_cast<double>(longest),
                            what + (": " + text_from_duration(ns))});
    };
    if (on_cpu) {
      const std::int64_t waiting_ns = std::min(spent.communication_ns, job.waits.ranks[ranks[i]].waiting_ns);
      piece("var(--communication)", spent.communication_ns - waiting_ns, "Transfer on CPU threads");
      piece("var(--communication);opacity:.4", waiting_ns, "Waiting for other ranks on CPU threads");
      bar.value = "waits " + text_from_duration(waiting_ns);
      continue;
    }
    piece("var(--compute)", spent.compute_ns, "Compute");
    piece("var(--communication)", spent.exposed_ns - spent.exposed_waiting_ns, "Exposed transfer");
    piece("var(--communication);opacity:.4", spent.exposed_waiting_ns, "Exposed waiting for other ranks");
    piece("var(--memcpy)", spent.copy_ns, "Copies only");
    bar.value = "waits " + text_from_duration(spent.exposed_waiting_ns);
  }
  const std::string title =
      all_on_cpu ? "Time of each rank's collectives" : "Time of each rank's " + job.device_word();
  const std::string exposed = all_on_cpu ? "" : ", exposed";
  out += "<h2 id=\"time\">" + title + "</h2>\n<p class=\"legend\">";
  if (!all_on_cpu) out += "<span><i style=\"background:var(--compute)\"></i>compute</span>";
  out += "<span><i style=\"background:var(--communication)\"></i>transfer" + exposed +
         "</span>"
         "<span><i style=\"background:var(--communication);opacity:.4\"></i>waiting for other ranks" +
         exposed + "</span>";
  if (!all_on_cpu) out += "<span><i style=\"background:var(--memcpy)\"></i>copies only</span>";
  out += "</p>\n";
  if (any_on_cpu) {
    out += "<p class=\"dim\">" + std::string(all_on_cpu ? "The" : "Some ranks'") +
           " collectives ran on CPU threads, so their overlap with compute is unknown.</p>\n";
  }
  add_report_chart(out, bars, title);
}

/// Returns "Rank 3"; for a rank without a number, as much of its file name as fits next to the chart.
std::string heat_label(const JobAnalysis& job, std::uint32_t rank) {
  constexpr std::size_t kMostLabel = 13;
  if (job.ranks[rank]->rank >= 0 || rank >= job.names.size()) return rank_name(job, rank);
  std::string name = escaped(job.names[rank]);
  if (name.size() <= kMostLabel) return name;
  std::size_t end = kMostLabel - 1;
  while (end > 0 && continues_character(name[end])) --end;
  return name.substr(0, end) + "…";
}

/// Adds a heat map of ranks and steps: the darker a cell, the longer other ranks waited for the rank.
void add_heat_chart(std::string& out, const JobAnalysis& job, const std::vector<std::uint32_t>& ranks) {
  std::vector<JobStep> steps = steps_of(job);
  std::erase_if(steps, [](const JobStep& step) { return step.number < 0; });
  if (steps.empty()) return;
  const bool cut = steps.size() > kMostChartSteps;
  if (cut) steps.resize(kMostChartSteps);
  std::int64_t most = 0;
  for (const JobStep& step : steps) {
    for (const std::uint32_t rank : ranks) most = std::max(most, step.ranks[rank].root_ns);
  }
  if (most == 0) return;
  constexpr double kLabelPx = 90;
  constexpr double kLinePx = 16;
  const double cell = std::clamp(900.0 / static_cast<double>(steps.size()), 5.0, 40.0);
  const double width = kLabelPx + cell * static_cast<double>(steps.size());
  const double height = kLinePx * static_cast<double>(ranks.size() + 1);
  out += "<h2 id=\"heat\">Delay that each rank caused, by step</h2>\n";
  if (cut) out += "<p class=\"dim\">The first " + std::to_string(kMostChartSteps) + " steps.</p>\n";
  const auto rounded = [](double value) { return fixed(value, 1); };
  out += R"(<svg role="img" aria-label="Delay caused by rank and step" viewBox="0 0 )" + rounded(width) +
         " " + rounded(height) + "\" width=\"" + rounded(width) + "\">\n";
  double free = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const double x = kLabelPx + cell * (static_cast<double>(s) + 0.5);
    if (x < free) continue;
    out += "<text x=\"" + rounded(x) + R"(" y="12" text-anchor="middle">)" + std::to_string(steps[s].number) +
           "</text>\n";
    free = x + 30;
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double y = kLinePx * static_cast<double>(i + 1);
    out += "<text x=\"" + rounded(kLabelPx - 8) + "\" y=\"" + rounded(y + 12) + R"(" text-anchor="end">)" +
           html_text(heat_label(job, ranks[i])) + "</text>\n";
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::int64_t ns = steps[s].ranks[ranks[i]].root_ns;
      constexpr std::int64_t kNothingNs = 100'000;
      if (ns < kNothingNs) continue;
      const double strength = std::pow(static_cast<double>(ns) / static_cast<double>(most), 0.4);
      out += "<rect x=\"" + rounded(kLabelPx + cell * static_cast<double>(s)) + "\" y=\"" + rounded(y + 1) +
             "\" width=\"" + rounded(cell - 1) + "\" height=\"" + rounded(kLinePx - 2) +
             "\" style=\"fill:var(--communication);opacity:" + rounded(std::max(0.1, strength)) +
             "\"><title>" +
             html_text(rank_name(job, ranks[i]) + ", step " + std::to_string(steps[s].number) + ": " +
                       text_from_duration(ns)) +
             "</title></rect>\n";
    }
  }
  out += "</svg>\n";
}

}  // namespace

std::string job_report(const NamedJob& job, std::string_view name, const std::vector<std::string>& problems) {
  const JobAnalysis& analysis = *job.analysis;
  std::vector<std::string> files;
  for (const std::filesystem::path& file : job.files) files.push_back(file.filename().string());
  const std::string checked = clock_check_text(analysis);
  std::string body = "<h2>" + html_text(verdict_title(analysis)) + "</h2>\n<p>" +
                     html_text(verdict_reason(analysis)) + "</p>\n<p class=\"dim\">" +
                     html_text(clocks_text(analysis) + (checked.empty() ? "" : ". " + checked)) + "</p>\n";
  if (!analysis.missing.empty()) {
    body +=
        "<p>Missing ranks: " + grouped(analysis.missing.size()) + "; delays caused are lower bounds.</p>\n";
  }
  for (const std::string& problem : problems) body += "<p>" + html_text(problem) + "</p>\n";
  std::string links = R"(<a href="#time">Time of each rank</a><a href="#heat">By step</a>)";
  const std::vector<std::uint32_t> ranks = charted_ranks(analysis);
  if (ranks.size() < analysis.ranks.size())
    body += "<p class=\"dim\">The charts show the ranks that caused the most delay.</p>\n";
  add_heat_chart(body, analysis, ranks);
  add_time_chart(body, analysis, ranks);
  for (const TableInfo* const kind : job_table_kinds()) {
    TableRequest request;
    request.name = kind->name;
    const Result<Table> table = job_table({analysis, files}, request);
    if (!table.ok() || table.value().row_count() == 0) continue;
    links += "<a href=\"#" + std::string(kind->name) + "\">" + html_text(english(kind->title)) + "</a>";
    add_report_table(body, table.value());
  }
  const std::string facts =
      grouped(analysis.ranks.size()) + " ranks" +
      (analysis.world_size > 0 ? " of " + grouped(static_cast<std::uint64_t>(analysis.world_size))
                               : std::string());
  return report_document(name, facts, links, body);
}

}  // namespace kino
