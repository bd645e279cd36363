// Finds names of hosts, users and files that were recognized elsewhere in a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kino {

/// Kinds of replaced texts, in the order used in reports.
enum class Redacted : std::uint8_t { frames, paths, files, hosts };
inline constexpr std::size_t kRedactedCount = static_cast<std::size_t>(Redacted::hosts) + 1;

/// Names to replace. They match case-insensitively, and only as whole words: "alice" matches in "alice_step"
/// and "/home/Alice", not in "malice".
class KnownNames {
 public:
  struct Name {
    std::string text;  ///< as first recognized
    Redacted what{};
  };
  struct Place {
    std::size_t at = 0;
    std::size_t size = 0;
    const Name* name = nullptr;
  };

  /// Adds a name, unless it has less than 3 or more than 1024 bytes, has no letter, or is a common word such
  /// as "cuda".
  void add(Redacted what, std::string_view text);
  /// Adds the names within a path, host or file: the user in /home/alice/x, alice and gpubox in alice@gpubox,
  /// node7 in node7.example.com.
  void add_parts(Redacted what, std::string_view text);
  /// Returns the first one-word name in the text, preferring longer names. O(length times the number of
  /// different name lengths).
  std::optional<Place> find(std::string_view text) const { return words_.find(text); }
  /// Like find(), for names of several words.
  std::optional<Place> find_spaced(std::string_view text) const { return spaced_.find(text); }

 private:
  struct Names {
    std::map<std::string, Name, std::less<>> by_text;  ///< in lower case
    std::set<std::size_t, std::greater<>> sizes;

    std::optional<Place> find(std::string_view text) const;
  };

  void add_user_of(std::string_view path);

  Names words_;
  Names spaced_;
};

/// Returns whether the character belongs to a word: letters, digits, and punctuation in paths and hosts.
bool in_word(char c);

/// Returns whether a word may be a host name, such as gpu-node-17, dgx01 or ip-10-0-3-7.
bool looks_like_host(std::string_view word);

}  // namespace kino
