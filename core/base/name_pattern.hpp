// A small regular expression for search boxes. Every pattern takes linear time, so a hostile pattern cannot
// hang the program.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// Whether an ASCII letter of a pattern matches both of its cases.
enum class LetterCase : std::uint8_t { either, exact };

/// Position automaton (Glushkov 1961) of at most 64 positions, whose state is one word, stepped byte by byte.
/// (std::regex takes exponential time or deep recursion on some patterns.)
///
/// Syntax: literals, `.`, [a-z] and [^a-z], \d \w \s \D \W \S \t \n and escaped punctuation, ( ) and (?: ),
/// |, ? * + {m} {m,} {m,n} (lazy forms match the same texts), ^ and $. ASCII letters match both cases by
/// default. `.` matches any one byte. Back references, look-around and \b are not supported.
class NamePattern {
 public:
  static constexpr int kMaxPositions = 64;
  static constexpr int kMaxDepth = 32;

  /// Compiles a pattern. On failure, the error is one sentence with the reason. O(length) for patterns
  /// without {m,n}. (The atom of {m,n} is parsed once per copy.)
  static Result<NamePattern> compile(std::string_view pattern, LetterCase letters = LetterCase::either);

  /// Whether the pattern matches anywhere in `text`. O(length).
  bool found_in(std::string_view text) const;

 private:
  friend class NamePatternParser;
  static constexpr std::size_t kTextBegin = 256;  // symbol that ^ accepts
  static constexpr std::size_t kTextEnd = 257;

  /// Returns the positions that can follow the active ones or begin a match.
  std::uint64_t reached(std::uint64_t active) const;
  /// `holding`: the anchors that are true at this place of the text. Adds to `active` those anchors that can
  /// follow an active position or begin a match, even several in a row ($$ equals $). Returns whether the
  /// pattern is matched.
  bool stand_at(std::uint64_t& active, std::uint64_t holding) const;

  std::array<std::uint64_t, 258> accepting_{};            // by symbol: the positions that accept it
  std::array<std::uint64_t, kMaxPositions> following_{};  // by position: the positions after it
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  bool matches_empty_ = false;
};

}  // namespace kino
