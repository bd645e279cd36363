// Finds a literal in a text at several GB/s, ASCII letters in either case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kino {

class TextNeedle {
 public:
  /// `literal` is not empty.
  explicit TextNeedle(std::string_view literal);

  /// Where it stands first at or after `from`, or std::string_view::npos. O(length): looks at first and last
  /// byte of the literal for eight places at once.
  std::size_t find_in(std::string_view text, std::size_t from = 0) const;
  std::size_t size() const { return lower_.size(); }

 private:
  bool stands_at(const char* place) const;

  std::string lower_;
  std::uint64_t first_ = 0;  // the byte eight times, and what is set in the text before it is compared
  std::uint64_t first_fold_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t last_fold_ = 0;
};

}  // namespace kino
