#include "app/cli/info_lines.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/shell/settings/kernel_categories.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/ascii.hpp"
#include "core/base/result.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/verdict_text.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {

constexpr std::size_t kMostLineColumns = 100;

std::string shown_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 4 * kMostLineColumns;  // a character has at most four bytes
  std::string text = escaped(name.substr(0, kMostBytes));
  if (name.size() <= kMostBytes && columns_of(text) <= kMostLineColumns) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && ++columns == kMostLineColumns) break;
  }
  return text.substr(0, end) + "…";
}

void add_line(std::string& out, std::string_view label, std::string_view value) {
  out += padded_right(std::string(label) + " ", 12);
  out += value;
  out += '\n';
}

std::vector<QualityLine> damage_lines(const DamageLog& damage, bool notes, std::uint64_t events) {
  std::vector<QualityLine> lines;
  lines.reserve(damage.entries().size());
  for (const Damage& entry : damage.entries()) {
    if (is_reading_note(entry.reason) != notes) continue;
    QualityLine line{grouped(entry.count), std::string(english(text_of(entry.reason, entry.count))),
                     escaped(without_line_breaks(entry.sample))};
    if (has_all_events(entry.reason) && events > 0)
      line.text.append(" (").append(grouped(events)).append(")");
    if (entry.first_offset != kNoOffset) {
      line.text.append(has_all_events(entry.reason) ? ", at byte " : ", first at byte ");
      line.text.append(grouped(entry.first_offset));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<QualityLine> quality_lines(const DataQualityReport& report, const std::string& device) {
  std::vector<QualityLine> lines;
  lines.reserve(report.lines.size());
  for (const DataQualityLine& trust_line : report.lines) {
    // The finding no_rank applies once or not at all, so it has no count.
    QualityLine line{
        trust_line.finding == QualityFinding::no_rank ? std::string() : grouped(trust_line.count),
        with_device_word(std::string(english(text_of(trust_line.finding, trust_line.count))), device),
        with_device_word(std::string(english(meaning_of(trust_line.finding, report))), device)};
    if (trust_line.of > 0) line.text.append(", of ").append(grouped(trust_line.of));
    if (trust_line.duration_ns > 0) line.text.append(", ").append(text_from_duration(trust_line.duration_ns));
    lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

/// Returns the reason why no share of launches can be given.
std::string_view launches_text(LaunchSide side) {
  constexpr std::array<std::string_view, 4> kTexts{"", "all launches in the trace were captured into graphs",
                                                   "no call in the trace is a known launch",
                                                   "the trace contains no launches"};
  return kTexts[static_cast<std::size_t>(side)];
}

}  // namespace

std::string covered_text(const DataQualityReport& report, const std::string& device) {
  const auto launches = report.covered_launches();
  // GPU work that outlasts the recording is not part of a share.
  const std::string left_out =
      report.outlasting_work == 0
          ? std::string()
          : " (without " + counted_noun(report.outlasting_work, "duration") + " that exceed the recording)";
  if (const auto covered = report.covered_gpu_time()) {
    return text_from_share(*covered) + " of " + device + " time" + left_out +
           " is in work linked to a launch, " +
           (launches ? text_from_share(*launches) + " of launches are linked to " + device + " work"
                     : std::string(launches_text(report.launch_side)));
  }
  return launches ? text_from_share(*launches) + " of launches are linked to " + device + " work"
                  : std::string();
}

void add_quality_lines(std::string& out, const std::vector<QualityLine>& lines) {
  for (const QualityLine& line : lines) {
    out.append("  ").append(padded_left(line.count, 11)).append("  ").append(line.text).append("\n");
    if (!line.detail.empty()) out.append(15, ' ').append(line.detail).append("\n");
  }
}

namespace {

nlohmann::ordered_json damage_lines_json(const DamageLog& damage, bool notes) {
  using Json = nlohmann::ordered_json;
  Json lines = Json::array();
  for (const Damage& entry : damage.entries()) {
    if (is_reading_note(entry.reason) != notes) continue;
    lines.push_back({{"reason", english(text_of(entry.reason))},
                     {"count", entry.count},
                     {"first_offset", entry.first_offset == kNoOffset ? Json() : Json(entry.first_offset)},
                     {"sample", entry.sample}});
  }
  return lines;
}

}  // namespace

void add_damage(std::string& out, const DamageLog& damage, std::uint64_t events) {
  const std::vector<QualityLine> notes = damage_lines(damage, true, events);
  if (damage.total() == 0) {
    add_line(out, "Damage", "none");
  } else {
    out += "Damage\n";
    add_quality_lines(out, damage_lines(damage, false, events));
  }
  if (notes.empty()) return;
  out += "Interpretation\n";
  add_quality_lines(out, notes);
}

std::string capsule_text(const CapsuleNotes& capsule, std::string_view what) {
  std::string text = "of " + (capsule.title.empty() ? std::string(what) : shown_name(capsule.title));
  if (capsule.left_out > 0) text += ", without the arguments of " + grouped(capsule.left_out) + " events";
  if (!capsule.redacted) return text;
  constexpr std::array<const char*, 4> kWhat{"frames", "paths", "file names", "host names"};
  text += "; redacted:";
  for (std::size_t i = 0; i < std::min(kWhat.size(), capsule.replaced.size()); ++i) {
    text += (i > 0 ? ", " : " ") + grouped(capsule.replaced[i]) + " " + kWhat[i];
  }
  return text;
}

nlohmann::ordered_json capsule_json(const CapsuleNotes* capsule) {
  if (capsule == nullptr) return {};
  return {{"title", capsule->title},
          {"without_arguments", capsule->left_out},
          {"redacted", capsule->redacted},
          {"note", !capsule->note.empty()}};
}

nlohmann::ordered_json damage_json(const DamageLog& damage) { return damage_lines_json(damage, false); }

nlohmann::ordered_json reading_notes_json(const DamageLog& damage) { return damage_lines_json(damage, true); }

namespace {

Findings findings_of(const Trace& trace) {
  return whole_findings(RangeAnalyses(trace, kernel_categories()), byte_units());
}

nlohmann::ordered_json bound_json(const Finding& finding) {
  if (!finding.won_ns || finding.bound == WonBound::neither) return {};
  return finding.bound == WonBound::at_most ? "at most" : "at least";
}

}  // namespace

void add_findings(std::string& out, const Trace& trace) {
  const Findings findings = findings_of(trace);
  if (!findings.verdict.empty()) add_line(out, "Verdict", escaped(findings.verdict.str()));
  if (findings.list.empty()) return;
  add_line(out, "To fix", findings.order().str());
  const bool others = std::ranges::any_of(
      findings.list, [](const Finding& finding) { return finding.won_ns.has_value() && !finding.overlaps; });
  for (const Finding& finding : findings.list) {
    const std::string time = finding.won_ns ? text_from_duration(*finding.won_ns) : std::string("unknown");
    out += "  " + padded_left(time, 11) + "  " + std::string(english(text_of(finding.kind))) + " (" +
           std::string(english(text_of(finding.effort))) +
           (finding.overlaps && others ? ", overlaps the others" : "") + ")\n";
    for (const Message& line : {finding.sentence, finding.fix})
      out.append(15, ' ').append(escaped(line.str())).append("\n");
  }
}

nlohmann::ordered_json findings_json(const Trace& trace) {
  const Findings findings = findings_of(trace);
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& finding : findings.list) {
    Json examples = Json::array();
    for (const FindingExample& example : finding.examples) {
      examples.push_back({{"start_ns", example.shown().begin_ns},
                          {"end_ns", example.shown().end_ns},
                          {"ns", example.ns},
                          {"slice", example.slice == kNoSlice ? Json() : Json(index_of(example.slice))}});
    }
    list.push_back({{"kind", english(text_of(finding.kind))},
                    {"won_ns", finding.won_ns ? Json(*finding.won_ns) : Json()},
                    {"bound", bound_json(finding)},
                    {"share", finding.share},
                    {"share_of", finding.share_of.str()},
                    {"effort", static_cast<int>(finding.effort)},
                    {"overlaps", finding.overlaps},
                    {"sentence", finding.sentence.str()},
                    {"fix", finding.fix.str()},
                    {"table", finding.table},
                    {"filter", finding.filter},
                    {"examples", examples}});
  }
  const FindingBase& base = findings.base;
  return {{"verdict", findings.verdict.str()},
          {"caveat", findings.caveat.empty() ? Json() : Json(findings.caveat.str())},
          {"base",
           {{"text", base.text(findings.device).str()},
            {"steps", base.names},
            {"steps_of_trace", base.steps},
            {"mean_ns", base.mean_ns}}},
          {"order", findings.order().str()},
          {"findings", list}};
}

}  // namespace kino
