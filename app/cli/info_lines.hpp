// What the text outputs of `kinetoscope info` share: aligned lines and the list of damage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/base/damage.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Of `info --json`, whatever it is of (README.md, JSON). Another number: a key has gone, or means something
/// else.
inline constexpr std::string_view kInfoSchema = "kinetoscope-info/1";

/// A name of the file for a line of the summary: safe to print, and not longer than a line can be.
std::string shown_name(std::string_view name);
void add_line(std::string& out, std::string_view label, std::string_view value);
/// Notes on reading are listed under "Read as". `events`: how many the file has, where that is known.
void add_damage(std::string& out, const DamageLog& damage, std::uint64_t events = 0);
/// What a capsule was made of, `what` where it does not say, and what it lacks of that.
std::string capsule_text(const CapsuleNotes& capsule, std::string_view what);
/// The same of one; null of none.
nlohmann::ordered_json capsule_json(const CapsuleNotes* capsule);
/// The damage without the notes on reading, and these alone.
nlohmann::ordered_json damage_json(const DamageLog& damage);
nlohmann::ordered_json reading_notes_json(const DamageLog& damage);
/// Findings on the whole trace, for `info` and the Model Context Protocol.
void add_findings(std::string& out, const Trace& trace);
nlohmann::ordered_json findings_json(const Trace& trace);

}  // namespace kino
