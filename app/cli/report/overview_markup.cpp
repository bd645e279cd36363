#include "app/cli/report/overview_markup.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/report/report_page.hpp"
#include "app/ui/tables/step_group_color.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/svg_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/summary/step_groups.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostStepBars = 60;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string group_color(StepGroup group) { return "var(--g-" + std::string(text_of(group)) + ")"; }
std::string kind_color_of(SliceKind kind) {
  return "var(--k-" + std::to_string(static_cast<int>(kind)) + ")";
}

std::string svg_rect(double x, double y, double width, double height, const std::string& style) {
  return "<rect x=\"" + fixed(x, 2) + "\" y=\"" + fixed(y, 2) + "\" width=\"" +
         fixed(std::max(0.0, width), 2) + "\" height=\"" + fixed(std::max(0.0, height), 2) + "\" style=\"" +
         style + "\"/>";
}

/// Returns one bar per step; steps that are not part of the mean are hollow.
std::string step_bars(const FindingBase& base, const Finding& finding) {
  const std::vector<std::int64_t>& times = finding.step_ns;
  if (times.size() < 2 || times.size() > kMostStepBars || times.size() != base.all.size()) return {};
  constexpr double kBar = 9;
  constexpr double kHeight = 36;
  const std::int64_t longest = std::max<std::int64_t>(1, std::ranges::max(times));
  const double width = kBar * static_cast<double>(times.size());
  std::string out = R"(<svg class="bars" role="img" aria-label="Time by step" viewBox="0 0 )" +
                    fixed(width, 0) + " " + fixed(kHeight, 0) + "\" width=\"" + fixed(width, 0) + "\">";
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double height = std::max(1.0, (kHeight - 2) * ratio(times[i], longest));
    const char* const style = base.all[i].used ? "fill:var(--dim)" : "fill:none;stroke:var(--dim)";
    out += svg_rect(kBar * static_cast<double>(i) + 1, kHeight - 1 - height, kBar - 3, height, style);
  }
  return out + "</svg>";
}

/// Returns the picture of the worst example.
std::string picture_markup(const Trace& trace, const ExamplePicture& picture, bool idle) {
  if (picture.lanes.empty()) return {};
  constexpr double kWidth = 240;
  constexpr double kGpuLane = 18;
  constexpr double kThreadLane = 12;
  std::string shapes;
  double y = 0;
  double gpu_bottom = 0;
  for (const PictureLane& lane : picture.lanes) {
    const double height = lane.gpu ? kGpuLane : kThreadLane;
    for (const PictureLane::Piece& piece : lane.pieces) {
      const double left = kWidth * static_cast<double>(piece.from);
      const double width = std::max(0.5, kWidth * static_cast<double>(piece.to) - left);
      shapes += svg_rect(left, y, width, height, "fill:" + kind_color_of(trace.kind(piece.slice)));
    }
    y += height + 1;
    if (lane.gpu) gpu_bottom = y - 1;
  }
  const double left = kWidth * static_cast<double>(picture.from);
  const double width = kWidth * static_cast<double>(picture.to) - left;
  const char* const style = idle ? "fill:var(--g-idle_late);fill-opacity:.35;stroke:var(--g-idle_late)"
                                 : "fill:none;stroke:var(--text)";
  shapes += svg_rect(left, 0, width, gpu_bottom > 0 ? gpu_bottom : y, style);
  return R"(<svg role="img" aria-label="Longest example" viewBox="0 0 )" + fixed(kWidth, 0) + " " +
         fixed(y, 0) + "\" width=\"" + fixed(kWidth, 0) + "\">" + shapes +
         "</svg><span class=\"dim\">longest example, " +
         html_text(text_from_duration(picture.example.length_ns())) + "</span>\n";
}

void add_card(std::string& out, const Trace& trace, const TraceOverview& overview, std::size_t index) {
  const Findings& findings = overview.summary.findings;
  const Finding& finding = findings.list[index];
  std::string time = "Not estimated";
  if (finding.won_ns) {
    time = text_from_duration(*finding.won_ns);
    if (finding.bound != WonBound::neither)
      time = std::string(finding.bound == WonBound::at_most ? "at most " : "at least ") + time;
    time += ", " + text_from_share(finding.share);
  }
  out += "<div class=\"card\"><div><p><b>" + std::to_string(index + 1) + " \xC2\xB7 " +
         html_text(english(text_of(finding.kind))) + "</b> <span class=\"dim\">" +
         html_text(english(text_of(finding.effort))) + "</span> <b>" + html_text(time) + "</b></p>\n<p>" +
         html_text(finding.sentence.str()) + " <span class=\"dim\">" + html_text(finding.fix.str()) +
         "</span></p>\n";
  if (!finding.code.empty()) out += "<pre>" + html_text(finding.code) + "</pre>\n";
  out += "</div><div>" + step_bars(findings.base, finding) +
         picture_markup(trace, overview.pictures[index], finding.kind <= FindingKind::garbage_collection) +
         "</div></div>\n";
}

ReportBar bar_of(std::string label, const GroupTimes& times, std::int64_t longest_ns) {
  ReportBar bar;
  bar.label = std::move(label);
  bar.value = text_from_duration(times.total());
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const auto group = static_cast<StepGroup>(i);
    if (times[group] <= 0) continue;
    bar.pieces.push_back({group_color(group), ratio(times[group], longest_ns),
                          std::string(english(title_of(group))) + ": " + text_from_duration(times[group])});
  }
  return bar;
}

void add_group_legend(std::string& out, const std::vector<GroupTimes>& parts) {
  out += "<p class=\"legend\">";
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const auto group = static_cast<StepGroup>(i);
    if (std::ranges::none_of(parts, [&](const GroupTimes& times) { return times[group] > 0; })) continue;
    out += "<span><i style=\"background:" + group_color(group) + "\"></i>" +
           html_text(english(title_of(group))) + "</span>";
  }
  out += "</p>\n";
}

void add_gpus(std::string& out, const TraceOverview& overview) {
  if (overview.gpus.size() < 2) return;
  std::int64_t longest_ns = 1;
  for (const OverviewGpu& gpu : overview.gpus) longest_ns = std::max(longest_ns, gpu.mean.total());
  std::vector<ReportBar> bars;
  bars.reserve(overview.gpus.size());
  for (const OverviewGpu& gpu : overview.gpus) bars.push_back(bar_of(gpu.title, gpu.mean, longest_ns));
  const std::string device = html_text(overview.summary.findings.device);
  out += "<h3>Mean step of each " + device + "</h3>\n";
  add_report_chart(out, bars, "Mean step of each " + device);
  if (overview.gpu_count > overview.gpus.size()) {
    out += "<p class=\"dim\">The first " + std::to_string(overview.gpus.size()) + " of " +
           std::to_string(overview.gpu_count) + " " + device + "s.</p>\n";
  }
}

void add_steps(std::string& out, const TraceOverview& overview) {
  const FindingBase& base = overview.summary.findings.base;
  const OverviewGpu& gpu = overview.gpus.front();
  std::int64_t longest_ns = 1;
  for (const GroupTimes& times : gpu.parts) longest_ns = std::max(longest_ns, times.total());
  std::vector<ReportBar> bars;
  for (std::size_t i = 0; i < gpu.parts.size() && bars.size() < kMostStepBars; ++i) {
    std::string label = base.all[i].name.empty() ? "Whole time" : "Step " + base.all[i].name;
    if (!base.all[i].used) label += " (not in the mean)";
    if (overview.outliers[i]) label += " (outlier)";
    bars.push_back(bar_of(std::move(label), gpu.parts[i], longest_ns));
  }
  out += "<h3>Steps</h3>\n";
  if (!gpu.title.empty() && overview.gpus.size() > 1)
    out += "<p class=\"dim\">" + html_text(gpu.title) + "</p>\n";
  add_group_legend(out, gpu.parts);
  add_report_chart(out, bars, "Time of each step by cause");
  if (gpu.parts.size() > bars.size()) {
    out += "<p class=\"dim\">The first " + std::to_string(bars.size()) + " of " +
           grouped(std::max<std::uint64_t>(base.steps, gpu.parts.size())) + " steps.</p>\n";
  }
}

void add_mean(std::string& out, const TraceOverview& overview) {
  const OverviewGpu& gpu = overview.gpus.front();
  const FindingBase& base = overview.summary.findings.base;
  out += "<div><h3>" + std::string(base.kind == FindingBase::Kind::steps ? "Mean step" : "Whole time") +
         "</h3>\n<p class=\"dim\">Sums to " + html_text(text_from_duration(gpu.mean.total())) +
         ".</p>\n<table><tbody>\n";
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const auto group = static_cast<StepGroup>(i);
    const std::int64_t ns = gpu.mean[group];
    if (ns <= 0) continue;
    out += "<tr><td>" + html_text(english(title_of(group))) + "</td><td class=\"n\">" +
           html_text(text_from_duration(ns)) + "</td><td class=\"n\">" +
           html_text(text_from_share(ratio(ns, gpu.mean.total()))) + "</td></tr>\n";
  }
  out += "</tbody></table></div>\n";
}

void add_top(std::string& out, const Trace& trace, const TraceOverview& overview, const OverviewTop& top,
             std::string_view title) {
  if (top.rows.empty()) return;
  const FindingBase& base = overview.summary.findings.base;
  const bool of_steps = base.kind == FindingBase::Kind::steps;
  const std::string of = Message(msg::base_named, base.brief(overview.summary.findings.device)).str();
  out += "<div><h3>" + html_text(title) + "</h3>\n<p class=\"dim\">" + html_text(of) +
         "</p>\n<table><thead><tr><th>Name</th><th class=\"n\">" + (of_steps ? "per step" : "count") +
         "</th><th class=\"n\">" + (of_steps ? "time per step" : "time") + "</th><th class=\"n\">" +
         (overview.of_gpu ? "of " + html_text(overview.summary.findings.device) : "of time") +
         "</th></tr></thead><tbody>\n";
  for (const OverviewWork& row : top.rows) {
    const std::string name = html_text(trace.name_text(row.name));
    out.append(R"(<tr><td class="t" title=")").append(name).append("\">").append(name);
    out.append(R"(</td><td class="n">)").append(formatted("%.4g", row.per_window));
    out.append(R"(</td><td class="n">)").append(html_text(text_from_duration(row.mean_ns)));
    out.append(R"(</td><td class="n">)").append(html_text(text_from_share(row.share)));
    out += "</td></tr>\n";
  }
  out += "</tbody></table></div>\n";
}

/// Returns the curve of allocated bytes.
std::string curve_markup(const MemoryColumns& curve) {
  if (curve.bytes.empty() || curve.peak_bytes <= 0) return {};
  constexpr double kHeight = 46;
  std::string out = R"(<svg role="img" aria-label="Allocated memory over time" viewBox="0 0 )" +
                    std::to_string(curve.bytes.size()) + " " + fixed(kHeight, 0) + "\" width=\"" +
                    std::to_string(curve.bytes.size()) + "\">";
  for (std::size_t i = 0; i < curve.bytes.size(); ++i) {
    const double height = kHeight * std::max(0.0, curve.bytes[i]) / curve.peak_bytes;
    out += svg_rect(static_cast<double>(i), kHeight - height, 1, height, "fill:var(--dim)");
  }
  return out + "</svg>\n";
}

void add_section(std::string& out, std::string_view title, const OverviewSection& section,
                 const std::string& picture = {}) {
  out += "<div><h3>" + html_text(title) + "</h3>\n" + picture + "<table><tbody>\n";
  for (const OverviewLine& line : section.lines) {
    out += "<tr><td>" + html_text(as_label(line.label.str())) + "</td><td class=\"n\"><b>" +
           html_text(line.value.str()) + "</b></td><td class=\"dim\">" + html_text(line.note.str()) +
           "</td></tr>\n";
  }
  out += "</tbody></table>\n";
  for (const Message& note : section.notes) out += "<p class=\"dim\">" + html_text(note.str()) + "</p>\n";
  if (!section.code.empty()) out += "<pre>" + html_text(section.code) + "</pre>\n";
  out += "</div>\n";
}

}  // namespace

std::string overview_colors(bool dark) {
  const Theme theme = Theme::make(dark);
  std::string css;
  for (std::size_t i = 0; i < kStepGroupCount; ++i) {
    const auto group = static_cast<StepGroup>(i);
    css += "--g-" + std::string(text_of(group)) + ":" + svg_color(step_group_color(group, theme)) + ";";
  }
  for (int i = 0; i < kSliceKindCount; ++i) {
    css += "--k-" + std::to_string(i) + ":" + svg_color(kind_color(static_cast<SliceKind>(i), theme)) + ";";
  }
  return css;
}

void add_finding_cards(std::string& out, const Trace& trace, const TraceOverview& overview) {
  for (std::size_t i = 0; i < overview.summary.findings.list.size(); ++i) add_card(out, trace, overview, i);
}

void add_overview_sections(std::string& out, const Trace& trace, const TraceOverview& overview) {
  if (overview.gpus.empty()) return;
  add_gpus(out, overview);
  add_steps(out, overview);
  out += "<div class=\"sections\">\n";
  add_mean(out, overview);
  add_top(out, trace, overview, overview.kernels, "Top kernels");
  add_top(out, trace, overview, overview.operators,
          overview.of_gpu ? "Top operators by " + overview.summary.findings.device + " time"
                          : "Top operators by CPU self time");
  if (overview.of_gpu) add_section(out, "Utilization", overview.gpus.front().utilization);
  add_section(out, "Memory", overview.memory, curve_markup(overview.curve));
  add_section(out, "Recorded events", overview.quality);
  out += "</div>\n";
}

}  // namespace kino
