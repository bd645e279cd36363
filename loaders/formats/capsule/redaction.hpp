// Replaces texts that identify the user, the machine or the program by hashes: paths, names of files and
// hosts, frames.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/library_frames.hpp"
#include "loaders/formats/capsule/known_names.hpp"

namespace kino {

/// A secret of 128 bits. Texts are hashed with SipHash-2-4 (Aumasson, Bernstein 2012). Without the key,
/// guesses cannot be verified.
using RedactionKey = std::array<std::uint64_t, 2>;

/// Replaces texts by hashes; equal texts have equal hashes.
///
/// First, while learning, the redactor receives all texts of a recording once. Names of hosts, users and
/// files that are recognized in one text are then replaced in all texts (known_names.hpp).
class Redactor {
 public:
  /// `words` are always replaced; they are the names of this machine and its user.
  Redactor(RedactionKey key, const std::vector<std::string>& words,
           LibraryList libraries = default_libraries());

  /// While learning, the functions below only collect names; their results are unspecified.
  void set_learning(bool learning);

  /// Redacts a frame of Kineto: "train.py(12): step" becomes "file_1a2b.py(12): 3c4d", "nn.Module: Net_0"
  /// becomes "nn.Module: 5e6f_0".
  std::string frame(std::string_view text);
  /// Redact the file and the function of a frame: "file_1a2b.py" and "3c4d". Library files and other
  /// languages remain recognizable: "torch/file_1a2b.py", "file_1a2b.cpp". "??" remains.
  std::string frame_file(std::string_view text);
  std::string frame_function(std::string_view text);
  /// Redacts frames that are separated by ';'.
  std::string stack(std::string_view text);
  /// Redacts every name except TOP in "TOP(Net).conv1(Conv2d)".
  std::string modules(std::string_view text);
  /// Redacts words that are paths (/home/me, C:\x, a/b.py), names of files (train.py) or hosts
  /// (node1.example.com, 10.0.0.1), mail addresses, or known names. Redacts frames, and texts that were
  /// frames before, as frames.
  std::string text(std::string_view text);
  /// Like text(), but never treats the text as a frame.
  std::string words(std::string_view text);
  /// Redacts a value of a JSON object according to its key; see json().
  std::string value(std::string_view key, std::string_view text);
  /// Redacts the strings in JSON. If the key contains "stack" or "Module Hierarchy", or names a host, user,
  /// path, file or folder, the key decides how; otherwise as text(). Numbers remain; unquoted texts are
  /// redacted.
  std::string json(std::string_view json);

  /// Number of distinct replaced texts per kind.
  std::array<std::uint64_t, kRedactedCount> counts() const;
  /// Distinct words that may be host names but remain.
  const std::set<std::string, std::less<>>& host_like() const { return host_like_; }

 private:
  std::string hash(std::string_view text) const;
  /// Counts the text, and returns its replacement: the kind's prefix and the hash.
  std::string replaced(Redacted what, std::string_view text);
  std::string word(std::string_view text);
  /// Returns the text with its known names replaced; empty if it contains none.
  std::string without_names(std::string_view text);

  RedactionKey key_;
  LibraryList libraries_;
  KnownNames names_;
  bool learning_ = false;
  std::set<std::string, std::less<>> host_like_;
  std::map<std::string, Redacted, std::less<>> seen_;
};

}  // namespace kino
