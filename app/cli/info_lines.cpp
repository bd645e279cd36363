#include "app/cli/info_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/text/columns_of_text.hpp"
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

void add_damage(std::string& out, const DamageLog& damage) {
  if (damage.empty()) {
    add_line(out, "Damage", "none");
    return;
  }
  out += "Damage\n";
  for (const Damage& entry : damage.entries()) {
    out += "  " + padded_left(grouped(entry.count), 11) + "  " + std::string(text_of(entry.reason));
    if (entry.first_offset != kNoOffset) out += ", first at byte " + grouped(entry.first_offset);
    out += "\n";
    if (!entry.sample.empty()) out += "               " + escaped(entry.sample) + "\n";
  }
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

nlohmann::ordered_json damage_json(const DamageLog& damage) {
  using Json = nlohmann::ordered_json;
  Json lines = Json::array();
  for (const Damage& entry : damage.entries()) {
    lines.push_back({{"reason", text_of(entry.reason)},
                     {"count", entry.count},
                     {"first_offset", entry.first_offset == kNoOffset ? Json() : Json(entry.first_offset)},
                     {"sample", entry.sample}});
  }
  return lines;
}

}  // namespace kino
