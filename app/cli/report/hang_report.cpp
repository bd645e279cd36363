#include "app/cli/report/hang_report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/cli/report/report_page.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/job/flight/hang_tables.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostRanks = 512;
constexpr std::size_t kMostGroups = 64;

bool has(const std::vector<std::int64_t>& ranks, std::int64_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

std::string number(std::int64_t value) { return value < 0 ? "?" : std::to_string(value); }

bool is_straggler(const HangAnalysis& analysis, std::int64_t rank) {
  return analysis.missing.contains(rank) || analysis.stuck.contains(rank);
}

const char* state_of(const HangAnalysis& analysis, std::int64_t rank) {
  if (analysis.missing.contains(rank)) return "missing";
  if (analysis.stuck.contains(rank)) return "stuck";
  if (has(analysis.silent, rank)) return "no operation in its dump";
  return has(analysis.idle, rank) ? "nothing outstanding" : "waiting";
}

void add_figures(std::string& out, const HangRecording& hang) {
  const HangAnalysis& analysis = hang.analysis;
  const auto figure = [&](std::string_view value, std::string_view name, std::string_view detail) {
    out += "<div class=\"figure\"><b>" + html_text(value) + "</b><span>" + html_text(name) +
           "</span><span title=\"" + html_text(detail) + "\">" + html_text(detail) + "</span></div>\n";
  };
  out += "<div class=\"figures\">\n";
  const std::vector<std::int64_t> suspects = analysis.suspects();
  figure(suspects.empty() ? "none" : ranks_text(suspects).str(), "suspect",
         suspects.empty()           ? "no rank is suspect"
         : analysis.missing.empty() ? "stuck: other ranks have completed the operation"
         : analysis.stuck.empty()   ? "missing: never entered the operation that other ranks wait in"
                                    : "missing or stuck");
  const bool single = hang.dumps.size() == 1;
  figure(grouped(hang.dumps.size()), single ? "dump" : "dumps",
         analysis.no_dump.empty() ? "of all ranks of the groups"
                                  : "no dump of " + ranks_with_noun(analysis.no_dump).str());
  figure(grouped(analysis.outstanding.size()), "outstanding operations",
         "in " + counted_noun(analysis.outstanding_groups, "group"));
  if (!analysis.outstanding.empty()) {
    const Outstanding& oldest = analysis.outstanding.front();
    const std::int64_t created = hang.dumps[oldest.dump].entries[oldest.entry].created_ns;
    if (created > 0) {
      figure(text_from_duration(analysis.newest_ns - created), "from oldest to newest",
             single ? "from the oldest outstanding operation to the newest entry of this rank"
                    : "from the oldest outstanding operation to the newest entry of all ranks");
    }
    if (analysis.time.basis != HangTime::Basis::unknown)
      figure(text_from_duration(analysis.time.hung_ns), "without progress", hang_time_text(analysis).str());
  }
  out += "</div>\n";
}

/// Adds a table cell with a rank's state in a group: its last completed and enqueued collective, and the
/// number outstanding.
void add_cell(std::string& out, const WaitingGroup& group, const GroupCell& cell, std::int64_t rank) {
  if (!cell.member) {
    out += "<td></td>";
    return;
  }
  const bool missing = has(group.missing, rank);
  const bool stuck = has(group.stuck, rank);
  std::string text = number(cell.last_completed) + " / " + number(cell.last_enqueued);
  if (cell.outstanding > 0) text += " +" + grouped(cell.outstanding);
  if (missing) text += ", missing";
  if (stuck) text += ", stuck";
  out += std::string("<td class=\"n") + (missing || stuck ? " bad" : "") + "\">" + html_text(text) + "</td>";
}

void add_matrix(std::string& out, const HangRecording& hang) {
  const HangAnalysis& analysis = hang.analysis;
  std::vector<std::size_t> dumps;
  std::vector<std::size_t> groups;
  for (const bool blamed : {true, false}) {
    for (std::size_t d = 0; d < hang.dumps.size() && dumps.size() < kMostRanks; ++d) {
      if (is_straggler(analysis, hang.dumps[d].rank) == blamed) dumps.push_back(d);
    }
    for (std::size_t g = 0; g < analysis.groups.size() && groups.size() < kMostGroups; ++g) {
      const WaitingGroup& group = analysis.groups[g];
      if ((group.missing.empty() && group.stuck.empty()) != blamed) groups.push_back(g);
    }
  }
  out +=
      "<h2 id=\"ranks\">Ranks by process group</h2>\n<p class=\"dim\">Groups that wait in a collective. A "
      "cell contains the last completed / last enqueued collective of the rank, and + the number of "
      "outstanding collectives.</p>\n"
      "<div class=\"scroll\"><table><thead><tr><th class=\"n\">Rank</th><th>State</th>";
  for (const std::size_t g : groups) {
    const WaitingGroup& group = analysis.groups[g];
    out += R"(<th class="n" title=")" + html_text(group.operation + " " + number(group.sequence)) + "\">" +
           html_text((group.description.empty() ? "?" : group.description) + " [" +
                     ranks_text(group.ranks).str() + "]") +
           "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const std::size_t d : dumps) {
    const FlightDump& dump = hang.dumps[d];
    const std::vector<GroupCell> cells = group_cells(dump, analysis.groups);
    out += std::string("<tr><td class=\"n") + (is_straggler(analysis, dump.rank) ? " bad" : "") + "\">" +
           number(dump.rank) + "</td><td>" + state_of(analysis, dump.rank) + "</td>";
    for (const std::size_t g : groups) add_cell(out, analysis.groups[g], cells[g], dump.rank);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (dumps.size() < hang.dumps.size() || groups.size() < analysis.groups.size()) {
    out += "<p class=\"dim\">" + grouped(dumps.size()) + " of " + grouped(hang.dumps.size()) + " ranks and " +
           grouped(groups.size()) + " of " + grouped(analysis.groups.size()) +
           " groups, those with a suspect first.</p>\n";
  }
}

void add_mismatches(std::string& out, const HangAnalysis& analysis) {
  if (analysis.mismatches.empty()) return;
  out += "<h2 id=\"mismatches\">Ranks that differ</h2>\n<ul class=\"findings\">\n";
  for (const Mismatch& mismatch : analysis.mismatches) {
    std::string text;
    for (const auto& [what, ranks] : mismatch.ranks)
      text += (text.empty() ? "" : "; ") + what + " on " + ranks_text(ranks).str();
    out += "<li>Different " + html_text(english(text_of(mismatch.kind))) + " in " +
           html_text(mismatch.description) + " " + number(mismatch.sequence) + ": " + html_text(text) +
           "</li>\n";
  }
  out += "</ul>\n";
}

}  // namespace

std::string hang_report(const HangRecording& hang, std::string_view name) {
  const HangAnalysis& analysis = hang.analysis;
  std::string body = "<h2>" + html_text(hang_verdict(analysis).str()) + "</h2>\n";
  if (!analysis.statuses.empty()) {
    body += "<ul class=\"findings\">\n";
    for (const Message& line : status_lines(analysis.statuses)) {
      body.append("<li>").append(html_text(line.str())).append("</li>\n");
    }
    body += "</ul>\n";
  }
  for (const std::string& problem : hang.problems) body += "<p>" + html_text(problem) + "</p>\n";
  if (!hang.beside.empty()) {
    body += "<p>In the folder of the dumps, but not in this report: " + html_text(hang.beside.front());
    if (hang.beside.size() > 1) body += " and " + grouped(hang.beside.size() - 1) + " more";
    body += "</p>\n";
  }
  add_figures(body, hang);
  std::string links;
  if (!analysis.mismatches.empty()) links += R"(<a href="#mismatches">Mismatches</a>)";
  add_mismatches(body, analysis);
  if (!analysis.groups.empty()) {
    links += R"(<a href="#ranks">Ranks by group</a>)";
    add_matrix(body, hang);
  }
  for (const TableInfo* const kind : hang_table_kinds()) {
    TableRequest request;
    request.name = kind->name;
    const Result<Table> table = hang_table(hang, request);
    if (!table.ok() || table.value().row_count() == 0) continue;
    links += "<a href=\"#" + std::string(kind->name) + "\">" + html_text(english(kind->title)) + "</a>";
    add_report_table(body, table.value());
  }
  return report_document(name, "NCCL flight recorder of " + counted_noun(hang.dumps.size(), "rank"), links,
                         body);
}

}  // namespace kino
