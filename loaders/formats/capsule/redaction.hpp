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
  /// `words`, such as the names of this machine and its user, are replaced in all texts, except words that
  /// KnownNames::add() rejects.
  Redactor(RedactionKey key, const std::vector<std::string>& words,
           LibraryList libraries = default_libraries());

  /// While learning, the functions below only collect names; their results are unspecified.
  void set_learning(bool learning);

  /// Redacts a frame of Kineto: "train.py(12): step" becomes "file_1a2b.py(12): 3c4d", and "nn.Module: Net_0"
  /// becomes "nn.Module: 5e6f_0". (Hashes have 12 digits, not four as here.)
  std::string frame(std::string_view text);
  /// Redact the file and the function of a frame: "file_1a2b.py" and "3c4d". Python files of libraries get
  /// the folder "torch/", and files that are not Python code get the extension ".cpp". An empty text or "??"
  /// remains unchanged.
  std::string frame_file(std::string_view text);
  std::string frame_function(std::string_view text);
  /// Redacts frames that are separated by ';'.
  std::string stack(std::string_view text);
  /// Redacts the names in "TOP(Net).conv1(Conv2d)", except TOP and numbers.
  std::string modules(std::string_view text);
  /// Redacts words that are paths (/home/me, C:\x, a/b.py), names of files (train.py) or hosts
  /// (node1.example.com, 10.0.0.1), mail addresses, or known names. Redacts frames, and texts that were
  /// frames before, as frames.
  std::string text(std::string_view text);
  /// Like text(), but never treats the text as a frame.
  std::string words(std::string_view text);
  /// Redacts a value of a JSON object according to its key; see json().
  std::string value(std::string_view key, std::string_view text);
  /// Redacts the strings and unquoted texts in JSON; numbers remain. If the key contains "stack" or "Module
  /// Hierarchy", or names a host, user, path, file or folder, the key decides how its value is redacted. Keys
  /// and other values are redacted by text().
  std::string json(std::string_view json);

  /// Number of distinct replaced texts per kind.
  std::array<std::uint64_t, kRedactedCount> counts() const;
  /// Distinct words that may be host names but remain.
  const std::set<std::string, std::less<>>& host_like() const { return host_like_; }

 private:
  std::string hash(std::string_view text) const;
  /// Counts the text, and returns its replacement: the kind's prefix and the hash. While learning, collects
  /// names from the text.
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
