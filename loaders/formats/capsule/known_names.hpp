// Names of hosts, users and files that were recognised somewhere in a recording, and their places in its
// other texts.
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

/// The kinds of texts that are replaced, in the order in which they are reported.
enum class Redacted : std::uint8_t { frames, paths, files, hosts };
inline constexpr std::size_t kRedactedCount = static_cast<std::size_t>(Redacted::hosts) + 1;

/// A name is found without regard to its case where neither a letter nor a digit joins it on either side:
/// "alice" is in "alice_step" and "/home/Alice", and not in "malice".
class KnownNames {
 public:
  struct Name {
    std::string text;  ///< as it was recognised first
    Redacted what{};
  };
  struct Place {
    std::size_t at = 0;
    std::size_t size = 0;
    const Name* name = nullptr;
  };

  /// Takes a name. Texts under three bytes, without a letter, or that are words of every recording, such as
  /// "cuda", are no names.
  void add(Redacted what, std::string_view text);
  /// Takes what a recognised path, host or file tells of its parts: the user of /home/alice/x, alice and
  /// gpubox of alice@gpubox, node7 of node7.example.com.
  void add_parts(Redacted what, std::string_view text);
  /// The first name of one word in the text; the longest of those that begin there. O(length times lengths of
  /// names).
  std::optional<Place> find(std::string_view text) const { return words_.find(text); }
  /// As find(), for names of several words.
  std::optional<Place> find_spaced(std::string_view text) const { return spaced_.find(text); }

 private:
  struct Names {
    std::map<std::string, Name, std::less<>> by_text;  ///< in small letters
    std::set<std::size_t, std::greater<>> sizes;

    std::optional<Place> find(std::string_view text) const;
  };

  void add_user_of(std::string_view path);

  Names words_;
  Names spaced_;
};

/// Whether a word of a text goes on with it: letters, digits and signs of paths and hosts.
bool in_word(char c);

/// Whether a word looks like the name of a machine: gpu-node-17, dgx01, ip-10-0-3-7. Only a guess.
bool looks_like_host(std::string_view word);

}  // namespace kino
