#include "app/cli/report/report_page.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "app/cli/info_lines.hpp"
#include "app/cli/report/overview_markup.hpp"
#include "app/shell/settings/version.hpp"
#include "app/ui/tables/split_bar.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/table_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/name_stats/nsys_reports.hpp"
#include "core/tables/summary/trace_overview.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kBars = 60;

std::string css_color(std::uint32_t abgr) {
  char text[48];
  std::snprintf(text, sizeof text, "rgba(%u,%u,%u,%.2f)", abgr & 0xffU, abgr >> 8 & 0xffU, abgr >> 16 & 0xffU,
                static_cast<double>(abgr >> 24) / 255);
  return text;
}

/// Returns CSS custom properties with the colors of the roles, as in the window.
std::string role_colors(bool dark) {
  std::string css;
  for (std::size_t i = 0; i < kStepRoleCount; ++i) {
    const std::string_view role = text_of(static_cast<StepRole>(i));
    css += "--" + std::string(role) + ":" + css_color(role_color(role, Theme::make(dark))) + ";";
  }
  return css;
}

void add_legend(std::string& out) {
  out += "<p class=\"legend\">";
  for (std::size_t i = 0; i < kStepRoleCount; ++i) {
    const auto role = static_cast<StepRole>(i);
    out += "<span><i style=\"background:var(--" + std::string(text_of(role)) + ")\"></i>" +
           html_text(english(shown_name(role))) + "</span>";
  }
  out += "</p>\n";
}

}  // namespace

void add_report_chart(std::string& out, const std::vector<ReportBar>& bars, std::string_view title) {
  constexpr double kLabel = 290;
  constexpr double kWidth = 820;
  constexpr double kValue = 120;
  constexpr double kLine = 22;
  const double height = kLine * static_cast<double>(bars.size());
  out += R"(<svg role="img" aria-label=")" + html_text(title) + R"(" viewBox="0 0 )" +
         fixed(kLabel + kWidth + kValue, 2) + " " + fixed(height, 2) + "\" width=\"" +
         fixed(kLabel + kWidth + kValue, 2) + "\">\n";
  double y = 0;
  for (const ReportBar& bar : bars) {
    constexpr std::size_t kMostLabel = 42;
    std::string label = bar.label;
    if (label.size() > kMostLabel) label = label.substr(0, kMostLabel - 3) + "...";
    out += "<text x=\"" + fixed(kLabel - 8, 2) + "\" y=\"" + fixed(y + 15, 2) + R"(" text-anchor="end">)" +
           html_text(label) + "<title>" + html_text(bar.label) + "</title></text>\n";
    double x = kLabel;
    for (const ReportBar::Piece& piece : bar.pieces) {
      const double width = std::max(0.0, piece.share) * kWidth;
      out += "<rect x=\"" + fixed(x, 2) + "\" y=\"" + fixed(y + 3, 2) + "\" width=\"" + fixed(width, 2) +
             "\" height=\"" + fixed(kLine - 6, 2) + "\" style=\"fill:" + piece.color + "\"><title>" +
             html_text(piece.tip) + "</title></rect>\n";
      x += width;
    }
    out += "<text x=\"" + fixed(x + 8, 2) + "\" y=\"" + fixed(y + 15, 2) + "\">" + html_text(bar.value) +
           "</text>\n";
    y += kLine;
  }
  out += "</svg>\n";
}

namespace {

void add_steps_chart(std::string& out, const std::vector<StepBreakdown>& steps) {
  std::int64_t longest_ns = 1;
  for (const StepBreakdown& step : steps) longest_ns = std::max(longest_ns, step.split.window.length_ns());
  std::vector<ReportBar> bars;
  for (const StepBreakdown& step : steps) {
    if (bars.size() == kBars) break;
    ReportBar bar;
    bar.label = step.slice == kNoSlice ? "Whole trace" : "Step " + step.name;
    bar.value = text_from_duration(step.split.window.length_ns());
    for (std::size_t i = 0; i < kStepRoleCount; ++i) {
      const auto role = static_cast<StepRole>(i);
      if (step.split[role] <= 0) continue;
      bar.pieces.push_back(
          {"var(--" + std::string(text_of(role)) + ")",
           static_cast<double>(step.split[role]) / static_cast<double>(longest_ns),
           std::string(english(shown_name(role))) + ": " + text_from_duration(step.split[role])});
    }
    bars.push_back(std::move(bar));
  }
  out += "<h2 id=\"time\">Time by kind of work</h2>\n";
  if (std::ranges::none_of(steps, [](const StepBreakdown& step) { return step.split.known(); })) {
    out += "<p class=\"dim\">This trace contains no operators, runtime calls or GPU work.</p>\n";
    return;
  }
  add_legend(out);
  if (steps.size() > 1) {
    out += "<p class=\"dim\">Each bar is one step. The longest step, " + text_from_duration(longest_ns) +
           ", has the full width.</p>\n";
  }
  add_report_chart(out, bars, "Time of each step by kind of work");
  if (steps.size() > bars.size()) {
    out += "<p class=\"dim\">The first " + std::to_string(bars.size()) + " of " +
           std::to_string(steps.size()) + " steps.</p>\n";
  }
}

void add_kernels_chart(std::string& out, const Trace& trace, const std::vector<KernelRow>& rows) {
  constexpr std::size_t kTop = 12;
  if (rows.empty()) return;
  std::int64_t all_ns = 0;
  for (const KernelRow& row : rows) all_ns += row.spread.total_ns;
  std::vector<ReportBar> bars;
  const auto longest = static_cast<double>(std::max<std::int64_t>(1, rows.front().spread.total_ns));
  std::vector<std::string_view> names;
  std::vector<std::string> shown;
  for (const KernelRow& row : rows) {
    if (names.size() == kTop) break;
    names.push_back(trace.name_text(row.name));
    shown.push_back(short_name(names.back()));
  }
  shown = disambiguated(names, std::move(shown));
  for (const KernelRow& row : rows) {
    if (bars.size() == kTop) break;
    const std::string_view role = row.kind == SliceKind::compute         ? "compute"
                                  : row.kind == SliceKind::communication ? "communication"
                                                                         : "memcpy";
    const std::string time = text_from_duration(row.spread.total_ns);
    const std::string share = text_from_share(static_cast<double>(row.spread.total_ns) /
                                              static_cast<double>(std::max<std::int64_t>(1, all_ns)));
    const double width = 0.8 * static_cast<double>(row.spread.total_ns) / longest;
    std::string text = time;
    text.append(" \xC2\xB7 ").append(share);
    bars.push_back({shown[bars.size()], {{"var(--" + std::string(role) + ")", width, text}}, text});
  }
  const std::string device = device_word(trace);
  out += "<h2 id=\"top\">Kernels and copies by " + device + " time</h2>\n";
  add_report_chart(out, bars, "Kernels and copies with the most " + device + " time");
}

}  // namespace

void add_report_table(std::string& out, const Table& table, std::string_view id) {
  const std::string_view anchor = id.empty() ? std::string_view(table.name) : id;
  out += "<h2 id=\"" + html_text(anchor) + "\">" + html_text(table.title.str()) + "</h2>\n<p class=\"dim\">" +
         html_text(table.definition.str()) + "</p>\n";
  if (table.row_count() == 0) {
    out += "<p>No rows.</p>\n";
  } else {
    out += "<div class=\"scroll\"><table><thead><tr>";
    for (const TableColumn& column : table.columns) {
      if (column.export_only) continue;
      out += std::string("<th") + (column.is_text() ? "" : " class=\"n\"") + " title=\"" +
             html_text(column.definition.str()) + "\">" + html_text(column.title.str()) + "</th>";
    }
    out += "</tr></thead><tbody>\n";
    const auto rows = static_cast<std::uint32_t>(std::min(table.row_count(), kReportRows));
    for (std::uint32_t row = 0; row < rows; ++row) {
      out += "<tr>";
      bool first = true;
      for (const TableColumn& column : table.columns) {
        if (column.export_only) continue;
        const std::string cell = html_text(cell_text(column, row));
        if (!column.is_text()) {
          out += "<td class=\"n\">" + cell + "</td>";
        } else {
          const bool indented = std::exchange(first, false) && row < table.depths.size();
          const std::string indent =
              indented ? " style=\"padding-left:" + std::to_string(10 + 16 * table.depths[row]) + "px\"" : "";
          out.append("<td class=\"t\"").append(indent).append(" title=\"").append(cell).append("\">");
          out.append(cell).append("</td>");
        }
      }
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (rows < table.row_count())
      out += "<p class=\"dim\">" + grouped(table.row_count() - rows) + " more rows.</p>\n";
  }
  for (const Message& note : table.notes) out += "<p class=\"dim\">" + html_text(note.str()) + "</p>\n";
}

namespace {

/// Adds the first page: the findings and sections of the overview, and the figures and the base of the shares
/// from the table `summary`, which is made from the overview. Adds nothing if the table has none of them.
void add_summary(std::string& out, const Trace& trace, const TraceOverview& overview, const Table& summary) {
  const auto texts_of = [&](std::string_view key) -> const TableColumn::Texts& {
    return std::get<TableColumn::Texts>(summary.find(key)->values);
  };
  const std::vector<Message>& items = summary.find("item")->words;
  const auto& subjects = texts_of("of");
  const auto& texts = texts_of("text");
  const auto& bases = texts_of("share_of");
  const auto found = [&](msg::Id item) {
    return std::ranges::find(items, std::optional(item), &Message::id);
  };
  const auto first = [&](msg::Id item) {
    const auto at = found(item);
    return at == items.end() ? std::string() : texts[static_cast<std::size_t>(at - items.begin())];
  };
  const std::string verdict = first(msg::verdict);
  const bool to_fix = !verdict.empty() || found(msg::finding) != items.end();
  constexpr std::array kElsewhere{msg::finding,    msg::word_time, msg::base,       msg::verdict,  msg::order,
                                  msg::top_kernel, msg::top_copy,  msg::top_memset, msg::top_graph};
  std::string figures;
  for (std::size_t row = 0; row < items.size(); ++row) {
    if (std::ranges::find(kElsewhere, items[row].id()) != kElsewhere.end()) continue;
    figures += "<div class=\"figure\"><b>" + html_text(texts[row]) + "</b><span>" +
               html_text(items[row].str()) + "</span><span title=\"" + html_text(subjects[row]) + "\">" +
               html_text(subjects[row]) + "</span>";
    if (!bases[row].empty()) figures += "<span>of " + html_text(bases[row]) + "</span>";
    figures += "</div>\n";
  }
  const auto base = found(msg::base);
  if (!to_fix && figures.empty() && base == items.end()) return;
  out += std::string("<h2 id=\"summary\">") + (to_fix ? "What to fix" : "Summary") + "</h2>\n";
  if (!verdict.empty()) out += "<p><b>" + html_text(verdict) + "</b></p>\n";
  if (const std::string order = first(msg::order); !order.empty())
    out += "<p class=\"dim\">" + html_text(order) + "</p>\n";
  add_finding_cards(out, trace, overview);
  if (base != items.end()) {
    out += "<p class=\"dim\">Shares of time refer to " +
           html_text(texts[static_cast<std::size_t>(base - items.begin())]) + ".";
    for (const Message& note : summary.notes) out += " " + html_text(note.str());
    out += "</p>\n";
  }
  if (!figures.empty()) out += "<div class=\"figures\">\n" + figures + "</div>\n";
  add_overview_sections(out, trace, overview);
}

void add_quality_list(std::string& out, std::string_view title, const std::vector<QualityLine>& lines) {
  if (lines.empty()) return;
  out.append("<h3>").append(html_text(title)).append("</h3>\n<ul class=\"findings\">\n");
  for (const QualityLine& line : lines) {
    out.append("<li>");
    if (!line.count.empty()) out.append("<b>").append(html_text(line.count)).append("</b> ");
    out.append(html_text(line.text));
    if (!line.detail.empty())
      out.append(" <span class=\"dim\">").append(html_text(line.detail)).append("</span>");
    out.append("</li>\n");
  }
  out += "</ul>\n";
}

struct QualitySection {
  std::string markup;       ///< empty if the data has no issue
  std::size_t damages = 0;  ///< kinds of damage
};

/// Returns the section on the quality of the data: the lines on damage, interpretation and issues that
/// `kinetoscope info` prints.
QualitySection quality_section(const Trace& trace) {
  const DataQualityReport trust = data_quality_report(trace);
  const std::string device = device_word(trace);
  const DamageLog log = trace.damage.without(DamageReason::overlap_spilled, trust.spilled);
  const std::vector<QualityLine> damages = damage_lines(log, false, trace.counts.total());
  std::string lists;
  add_quality_list(lists, "Damage", damages);
  add_quality_list(lists, "Interpretation", damage_lines(log, true, trace.counts.total()));
  for (const Message& note : trust.notes) lists.append("<p>").append(html_text(note.str())).append("</p>\n");
  add_quality_list(lists, "Issues", quality_lines(trust, device));
  if (lists.empty()) return {};
  std::string markup = "<h2 id=\"quality\">Data quality</h2>\n";
  if (const std::string covered = covered_text(trust, device); !covered.empty())
    markup += "<p class=\"dim\">" + html_text(covered) + ".</p>\n";
  return {markup + lists, damages.size()};
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

namespace {

/// Returns the name of the first named device and the number of other named devices; empty if none has a
/// name.
std::string devices_text(const Trace& trace) {
  const std::vector<std::string>& all = trace.job.device_names;
  const auto named = std::ranges::count_if(all, [](const std::string& name) { return !name.empty(); });
  if (named == 0) return {};
  const std::string& first =
      *std::ranges::find_if(all, [](const std::string& name) { return !name.empty(); });
  return named == 1 ? first : first + " and " + std::to_string(named - 1) + " more";
}

}  // namespace

std::string report_page(const RangeAnalyses& analyses, std::string_view file, std::string_view picture,
                        std::string_view no_picture) {
  const Trace& trace = analyses.trace();
  const auto whole = analyses.of(whole_range(trace));
  const bool made_by_nsys =
      table_of(kNsysRangeReport, *whole).row_count() + table_of(kNsysSystemCallReport, *whole).row_count() >
      0;
  std::string body;
  const QualitySection quality = quality_section(trace);
  std::string links;
  for (const TableInfo* const kind : table_kinds()) {
    if (kind == &kSummaryTable) {
      const TraceOverview overview = trace_overview(*whole, byte_units());
      add_summary(body, trace, overview, summary_table(trace, overview.summary, byte_units()));
      if (!body.empty()) links += R"(<a href="#summary">Summary</a>)";
      body += quality.markup;
      if (!quality.markup.empty()) links += R"(<a href="#quality">Data quality</a>)";
      links += R"(<a href="#time">Time</a>)";
      add_steps_chart(body, whole->steps_in_range());
      body += "<h2 id=\"timeline\">Timeline</h2>\n";
      if (!picture.empty()) {
        body += R"(<img alt="The timeline of the whole trace" src="data:image/png;base64,)" +
                base64(picture) + "\">\n";
      } else {
        body += "<p class=\"dim\">" + html_text(no_picture) + "</p>\n";
      }
      add_kernels_chart(body, trace, whole->kernels());
      continue;
    }
    // In recordings of other tools, these tables repeat the tables of kernels, calls and copies.
    if (kind->heading == kNsysHeading && !made_by_nsys) continue;
    const Table table = table_of(*kind, *whole);
    if (table.row_count() == 0) continue;
    links += "<a href=\"#" + html_text(table.name) + "\">" + html_text(table.title.str()) + "</a>";
    add_report_table(body, table);
  }
  std::string facts =
      text_from_duration(trace.range.length_ns()) + " \xC2\xB7 " + counted_noun(trace.slice_count(), "slice");
  if (const std::string devices = devices_text(trace); !devices.empty()) facts += " \xC2\xB7 " + devices;
  if (trace.job.rank >= 0) facts += " \xC2\xB7 rank " + std::to_string(trace.job.rank);
  if (quality.damages > 0) {
    facts += " \xC2\xB7 " + counted_noun(quality.damages, "kind of damage", "kinds of damage") +
             ", see Data quality";
  }
  return report_document(file, facts, links, body);
}

std::string report_document(std::string_view file, std::string_view facts, std::string_view links,
                            std::string_view body) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  page +=
      html_text(file) + "</title>\n<style>" + std::string(report_style()) + ":root{" + role_colors(false) +
      overview_colors(false) +
      "}\n@media screen and (prefers-color-scheme:dark){:root{--back:#16181c;--panel:#212429;--line:#33373e;"
      "--text:#e6e8eb;--dim:#98a1ae;" +
      role_colors(true) + overview_colors(true) + "}}\n</style>\n</head>\n<body>\n<h1>" + html_text(file) +
      "</h1>\n<p class=\"dim\">" + html_text(facts) + "</p>\n<nav>" + std::string(links) + "</nav>\n";
  return page + std::string(body) + "<p class=\"dim\">Made by Kinetoscope " + std::string(program_version()) +
         ".</p>\n</body>\n</html>\n";
}

}  // namespace kino
