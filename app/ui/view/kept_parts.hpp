// The parts of a trace that a person has kept to compare them: A, B and more, each with a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tables/analysis/part_summary.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct KeptPart {
  char letter = 'A';  ///< its own, for as long as it is kept
  std::string name;   ///< UTF-8, one line
  TracePart part;
  bool compared = true;  ///< whether the table shows it
};

/// In order of their letters. UI thread only.
class KeptParts {
 public:
  static constexpr std::size_t kMost = 12;  ///< a table has at most 60 columns
  static constexpr std::size_t kMostNameBytes = 200;

  const std::vector<KeptPart>& all() const { return parts_; }
  const KeptPart* find(char letter) const;
  /// Whether a part can have it.
  static bool is_letter(char letter) { return letter >= 'A' && letter < static_cast<char>('A' + kMost); }
  /// Counts every change of what is compared, names left aside.
  std::uint64_t generation() const { return generation_; }

  /// Under a letter of one's choice, in place of what had it.
  void set(char letter, TracePart part, std::string name);
  /// Under the first free letter, which it returns; nothing with kMost parts.
  std::optional<char> add(TracePart part, std::string name);
  void rename(char letter, std::string name);
  void compare(char letter, bool compared);
  void remove(char letter);
  void clear();
  /// Has these instead, which were kept of another trace of the file.
  void take(std::vector<KeptPart> parts);

 private:
  KeptPart* mutable_part(char letter);

  std::vector<KeptPart> parts_;
  std::uint64_t generation_ = 0;
};

}  // namespace kino
