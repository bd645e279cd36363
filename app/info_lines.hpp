// What the text outputs of `kinetoscope info` share: aligned lines and the list of damage.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/damage.hpp"

namespace kino {

/// Characters that a terminal shows: continuation bytes of UTF-8 take no column.
std::size_t columns_of(std::string_view text);
std::string padded_left(std::string text, std::size_t columns);
std::string padded_right(std::string text, std::size_t columns);
std::string fixed(double number, int decimals);
/// A name of the file for a line of the summary: safe to print, and not longer than a line can be.
std::string shown_name(std::string_view name);
void add_line(std::string& out, std::string_view label, std::string_view value);
void add_damage(std::string& out, const DamageLog& damage);
nlohmann::ordered_json damage_json(const DamageLog& damage);

}  // namespace kino
