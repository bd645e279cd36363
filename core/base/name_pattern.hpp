// A small regular expression for search boxes: linear time whatever the pattern, so hostile ones cannot hang.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// Whether an ASCII letter of a pattern stands for both of its cases.
enum class LetterCase : std::uint8_t { either, exact };

/// std::regex takes exponential time or deep recursion on some patterns, and what is typed must never hang.
/// This is a position automaton (Glushkov 1961) of at most 64 positions held in one word, stepped byte by
/// byte.
///
/// Syntax: literals, `.`, [a-z] and [^a-z], \d \w \s \D \W \S \t \n and escaped punctuation, ( ) and (?: ),
/// |, ? * + {m} {m,} {m,n} (lazy forms are the same), ^ and $. ASCII letters match both cases unless told
/// otherwise. `.` is any one byte. No back references, look-around or \b.
class NamePattern {
 public:
  static constexpr int kMaxPositions = 64;
  static constexpr int kMaxDepth = 32;

  /// Fails with one sentence that says what about the pattern cannot be read. O(length * kMaxPositions).
  static Result<NamePattern> compile(std::string_view pattern, LetterCase letters = LetterCase::either);

  /// Whether the pattern matches anywhere in `text`. O(length).
  bool found_in(std::string_view text) const;

 private:
  friend class NamePatternParser;
  static constexpr std::size_t kTextBegin = 256;  // what ^ and $ accept
  static constexpr std::size_t kTextEnd = 257;

  /// The positions that can come next, from the ones that took the last symbol.
  std::uint64_t reached(std::uint64_t active) const;
  /// Takes any number of the anchors that hold where the text begins or ends, for $$ is as good as $; whether
  /// the pattern is found by that. Adds to `active` those that were taken.
  bool stand_at(std::uint64_t& active, std::uint64_t holding) const;

  std::array<std::uint64_t, 258> accepting_{};            // by symbol: the positions that take it
  std::array<std::uint64_t, kMaxPositions> following_{};  // by position: where it goes on
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  bool matches_empty_ = false;
};

}  // namespace kino
