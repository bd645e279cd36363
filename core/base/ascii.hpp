// ASCII characters and text search, independent of the locale; bytes beyond ASCII match only themselves.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kino {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// White space as JSON defines it.
constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

/// Whether a byte is a continuation byte of UTF-8.
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Returns the text without white space at both ends.
constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr bool begins_with_ignoring_case(std::string_view text, std::string_view begin) {
  return text.size() >= begin.size() &&
         std::ranges::equal(text.substr(0, begin.size()), begin, {}, lower, lower);
}

/// Whether `text` contains `part`, ignoring ASCII case. O(text * part): use it only for typed queries, not
/// for scans of a trace.
constexpr bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(),
                                     [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

}  // namespace kino
