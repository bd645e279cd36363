#include "app/cli/info_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/text/columns_of_text.hpp"
#include "core/analysis/findings.hpp"
#include "core/analysis/range_analysis.hpp"
#include "core/base/result.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {

constexpr std::size_t kMostLineColumns = 100;

std::string shown_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 4 * kMostLineColumns;  // a character has at most four
  std::string text = escaped(name.substr(0, kMostBytes));
  if (name.size() <= kMostBytes && columns_of(text) <= kMostLineColumns) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (begins && ++columns == kMostLineColumns) break;
  }
  return text.substr(0, end) + "…";
}

void add_line(std::string& out, std::string_view label, std::string_view value) {
  out += padded_right(std::string(label) + " ", 12);
  out += value;
  out += '\n';
}

namespace {

/// The damage, or the notes on reading.
void add_damage_lines(std::string& out, const DamageLog& damage, bool notes, std::uint64_t events) {
  for (const Damage& entry : damage.entries()) {
    if (is_reading_note(entry.reason) != notes) continue;
    out +=
        "  " + padded_left(grouped(entry.count), 11) + "  " + std::string(text_of(entry.reason, entry.count));
    if (has_all_events(entry.reason) && events > 0) out += " (" + grouped(events) + ")";
    if (entry.first_offset != kNoOffset)
      out += (has_all_events(entry.reason) ? ", at byte " : ", first at byte ") + grouped(entry.first_offset);
    out += "\n";
    if (!entry.sample.empty()) out += "               " + escaped(entry.sample) + "\n";
  }
}

nlohmann::ordered_json damage_lines_json(const DamageLog& damage, bool notes) {
  using Json = nlohmann::ordered_json;
  Json lines = Json::array();
  for (const Damage& entry : damage.entries()) {
    if (is_reading_note(entry.reason) != notes) continue;
    lines.push_back({{"reason", text_of(entry.reason)},
                     {"count", entry.count},
                     {"first_offset", entry.first_offset == kNoOffset ? Json() : Json(entry.first_offset)},
                     {"sample", entry.sample}});
  }
  return lines;
}

}  // namespace

void add_damage(std::string& out, const DamageLog& damage, std::uint64_t events) {
  const auto is_note = [](const Damage& entry) { return is_reading_note(entry.reason); };
  if (damage.total() == 0) {
    add_line(out, "Damage", "none");
  } else {
    out += "Damage\n";
    add_damage_lines(out, damage, false, events);
  }
  if (std::ranges::none_of(damage.entries(), is_note)) return;
  out += "Read as\n";
  add_damage_lines(out, damage, true, events);
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
  return find_what_to_fix(RangeAnalysis(trace, whole_range(trace)));
}

nlohmann::ordered_json bound_json(const Finding& finding) {
  if (!finding.won_ns || finding.bound == WonBound::neither) return {};
  return finding.bound == WonBound::at_most ? "at most" : "at least";
}

}  // namespace

void add_findings(std::string& out, const Trace& trace) {
  const Findings findings = findings_of(trace);
  if (!findings.verdict.empty()) add_line(out, "Verdict", escaped(findings.verdict));
  if (findings.list.empty()) return;
  add_line(out, "To fix", findings.order());
  const bool others = std::ranges::any_of(
      findings.list, [](const Finding& it) { return it.won_ns.has_value() && !it.overlaps; });
  for (const Finding& it : findings.list) {
    const std::string time = it.won_ns ? text_from_duration(*it.won_ns) : std::string("not known");
    out += "  " + padded_left(time, 11) + "  " + std::string(text_of(it.kind)) + " (" +
           std::string(text_of(it.effort)) + (it.overlaps && others ? ", part of the others" : "") + ")\n";
    for (const std::string& line : {it.sentence, it.fix}) out += "               " + escaped(line) + "\n";
  }
}

nlohmann::ordered_json findings_json(const Trace& trace) {
  const Findings findings = findings_of(trace);
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& it : findings.list) {
    Json examples = Json::array();
    for (const FindingExample& example : it.examples) {
      examples.push_back({{"start_ns", example.range.begin_ns},
                          {"end_ns", example.range.end_ns},
                          {"ns", example.ns},
                          {"slice", example.slice == kNoSlice ? Json() : Json(index_of(example.slice))}});
    }
    list.push_back({{"kind", text_of(it.kind)},
                    {"won_ns", it.won_ns ? Json(*it.won_ns) : Json()},
                    {"bound", bound_json(it)},
                    {"share", it.share},
                    {"share_of", it.share_of},
                    {"effort", static_cast<int>(it.effort)},
                    {"overlaps", it.overlaps},
                    {"sentence", it.sentence},
                    {"fix", it.fix},
                    {"table", it.table},
                    {"filter", it.filter},
                    {"examples", examples}});
  }
  const FindingBase& base = findings.base;
  return {{"verdict", findings.verdict},
          {"caveat", findings.caveat.empty() ? Json() : Json(findings.caveat)},
          {"base",
           {{"text", base.text(findings.device)},
            {"steps", base.names},
            {"steps_of_trace", base.steps},
            {"mean_ns", base.mean_ns}}},
          {"order", findings.order()},
          {"findings", list}};
}

}  // namespace kino
