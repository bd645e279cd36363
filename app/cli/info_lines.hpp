// Shared parts of the outputs of `kinetoscope info`: aligned lines, damage, data quality, capsules and
// findings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/damage.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Schema of `info --json` for all kinds of files (README.md, JSON). Its number increases if a key is removed
/// or changes its meaning.
inline constexpr std::string_view kInfoSchema = "kinetoscope-info/1";

/// Returns a name from a file for a line of the summary: escaped for printing, and shortened to the line
/// length.
std::string shown_name(std::string_view name);
void add_line(std::string& out, std::string_view label, std::string_view value);
/// One line on the quality of the data, as `info` and the report show it. Its texts are escaped.
struct QualityLine {
  std::string count;  ///< empty if the line has none
  std::string text;
  std::string detail;  ///< text at the first occurrence, or meaning of the figures; may be empty
};
/// Returns the lines on damage, or, if `notes`, the notes on reading. `events` is the number of events in the
/// file; 0 if unknown.
std::vector<QualityLine> damage_lines(const DamageLog& damage, bool notes, std::uint64_t events = 0);
std::vector<QualityLine> quality_lines(const DataQualityReport& report, const std::string& device);
/// Returns a text with the shares of GPU time and of launches that are linked; empty if neither share is
/// known.
std::string covered_text(const DataQualityReport& report, const std::string& device);
void add_quality_lines(std::string& out, const std::vector<QualityLine>& lines);
/// Adds the damage, and the notes on reading under "Interpretation". `events` is the number of events in the
/// file; 0 if unknown.
void add_damage(std::string& out, const DamageLog& damage, std::uint64_t events = 0);
/// Returns the source that the capsule names, or `what` if it names none, and the parts that are missing or
/// redacted.
std::string capsule_text(const CapsuleNotes& capsule, std::string_view what);
/// Returns the notes of a capsule as JSON; null if `capsule` is null.
nlohmann::ordered_json capsule_json(const CapsuleNotes* capsule);
/// Return parts of the damage as JSON: damage_json() without the notes on reading, reading_notes_json() only
/// these notes.
nlohmann::ordered_json damage_json(const DamageLog& damage);
nlohmann::ordered_json reading_notes_json(const DamageLog& damage);
/// Add or return findings on the whole trace, for `info` and the Model Context Protocol.
void add_findings(std::string& out, const Trace& trace);
nlohmann::ordered_json findings_json(const Trace& trace);

}  // namespace kino
