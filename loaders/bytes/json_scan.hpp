// Finds the bounds of JSON values without parsing, recursion or allocation. Also decodes strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kino {

/// Maximum size of an event; a longer one counts as damaged.
inline constexpr std::size_t kLargestEvent = std::size_t{16} << 20;

inline constexpr std::size_t kIncomplete = static_cast<std::size_t>(-1);

/// Returns the index of the first character at or after `at` that is not JSON white space; text.size() at the
/// end.
std::size_t skip_space(std::string_view text, std::size_t at);

/// Returns whether the text may start with a JSON value other than an object.
bool begins_value(std::string_view text);

/// Returns the index after the closing quote of the string whose opening quote is at `at`, or kIncomplete.
std::size_t string_end(std::string_view text, std::size_t at);

/// Returns the index after the value that starts at `at` (object, array, string or bare token), or
/// kIncomplete if the text ends first. Counts brackets but does not match their kind. O(length).
std::size_t value_end(std::string_view text, std::size_t at);

/// Maximum depth of JSON that is parsed into a tree. It is limited because copying and printing a tree
/// recurse once per level.
inline constexpr std::size_t kMaxNesting = 100;

/// Returns whether arrays and objects are nested more than `levels` deep. Ignores brackets in strings, and
/// everything after the start of an incomplete string. O(length).
bool nests_deeper_than(std::string_view text, std::size_t levels);

/// Like value_end(), for the value of a member or element. An unquoted text such as `not a number` extends
/// over several words, up to a comma, bracket, quote or line break.
std::size_t member_value_end(std::string_view text, std::size_t at);

/// Returns whether a bare token is a JSON number, true, false or null, or NaN or Infinity as Python's json
/// module writes them. White space may follow. Other tokens, such as 0x7f00, ncclFloat32 and (nil), are
/// unquoted texts.
bool is_json_word(std::string_view token);

/// Returns the index of the first backslash at or after `at` that does not start a JSON escape, or npos. `at`
/// must not be within an escape. O(length).
std::size_t find_invalid_escape(std::string_view text, std::size_t at);

/// Appends a code point as UTF-8. It must not be a surrogate.
void append_utf8(std::string& out, std::uint32_t code);

/// Decodes the content of a JSON string (excluding quotes) to UTF-8. Leaves invalid escapes unchanged, so
/// that "C:\Users" remains readable. Lone surrogates become U+FFFD.
std::string unescape(std::string_view content);

}  // namespace kino
