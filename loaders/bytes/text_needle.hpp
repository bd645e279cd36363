// Finds a literal in a text at several GB/s, ignoring the case of ASCII letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kino {

class TextNeedle {
 public:
  /// `literal` must not be empty.
  explicit TextNeedle(std::string_view literal);

  /// Returns the index of the first occurrence at or after `from`, or npos. Compares the first and last byte
  /// of the literal at eight positions at once. Usually O(length), at worst O(length * literal).
  std::size_t find_in(std::string_view text, std::size_t from = 0) const;
  std::size_t size() const { return lower_.size(); }

 private:
  bool matches_at(const char* text) const;

  std::string lower_;
  std::uint64_t first_ = 0;       // first byte of the literal, repeated eight times
  std::uint64_t first_fold_ = 0;  // bits to set in the text before comparing
  std::uint64_t last_ = 0;
  std::uint64_t last_fold_ = 0;
};

}  // namespace kino
