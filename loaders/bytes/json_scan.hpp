// Finding where JSON values begin and end, without understanding them. No recursion, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kino {

/// How far the end of an event is looked for before it counts as broken, in bytes.
inline constexpr std::size_t kLargestEvent = std::size_t{16} << 20;

inline constexpr std::size_t kIncomplete = static_cast<std::size_t>(-1);

/// Index of the first character at or after `at` that is no JSON white space; text.size() at the end.
std::size_t skip_space(std::string_view text, std::size_t at);

/// Whether a JSON value that is no object may begin the text.
bool begins_value(std::string_view text);

/// `at` is an opening quote. Index behind the closing one, or kIncomplete.
std::size_t string_end(std::string_view text, std::size_t at);

/// Index behind the value that starts at `at` (object, array, string or bare token), or kIncomplete when the
/// text ends first. Brackets are counted, not matched by kind. O(length).
std::size_t value_end(std::string_view text, std::size_t at);

/// As value_end() for the value of a member or element. A value that is neither JSON nor in quotes, such as
/// "not a number", goes on over single words up to a comma, bracket, quote or line break.
std::size_t member_value_end(std::string_view text, std::size_t at);

/// Whether a bare token is a number, true, false or null of JSON, or NaN or Infinity as Python's json module
/// writes them. White space may follow. Others, such as 0x7f00, ncclFloat32 and (nil), are texts without
/// quotes.
bool is_json_word(std::string_view token);

/// Index of the first backslash at or after `at` that starts no JSON escape, or npos. `at` is not within an
/// escape. O(length).
std::size_t find_invalid_escape(std::string_view text, std::size_t at);

/// Appends a code point, which is no surrogate.
void append_utf8(std::string& out, std::uint32_t code);

/// A JSON string's content (without quotes) as UTF-8. Whatever is no valid escape is kept as it is written,
/// so that "C:\Users" stays readable; lone surrogates become U+FFFD.
std::string unescape(std::string_view content);

}  // namespace kino
