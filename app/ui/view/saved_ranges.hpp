// Saved ranges of a trace, to be compared: A, B and more, each with a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tables/analysis/part_summary.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct SavedRange {
  char letter = 'A';  ///< fixed as long as the range is saved
  std::string name;   ///< UTF-8, one line
  TracePart part;
  bool compared = true;  ///< whether the comparison shows the range
};

/// The saved ranges of a trace, sorted by letter. UI thread only.
class SavedRanges {
 public:
  static constexpr std::size_t kMost = 12;  ///< a table has at most 60 columns
  static constexpr std::size_t kMostNameBytes = 200;

  const std::vector<SavedRange>& all() const { return parts_; }
  const SavedRange* find(char letter) const;
  /// Whether a range can have this letter.
  static bool is_letter(char letter) { return letter >= 'A' && letter < static_cast<char>('A' + kMost); }
  /// Counts changes of the ranges and of their `compared`, except changes of names.
  std::uint64_t generation() const { return generation_; }

  /// Saves a range under this letter, replacing the range that has the letter.
  void set(char letter, TracePart part, std::string name);
  /// Saves a range under the first free letter and returns this letter; nullopt if there are already kMost
  /// ranges.
  std::optional<char> add(TracePart part, std::string name);
  void rename(char letter, std::string name);
  void compare(char letter, bool compared);
  void remove(char letter);
  void clear();
  /// Replaces all ranges with ranges that were saved for another trace of the same file.
  void take(std::vector<SavedRange> parts);

 private:
  SavedRange* mutable_part(char letter);

  std::vector<SavedRange> parts_;
  std::uint64_t generation_ = 0;
};

}  // namespace kino
