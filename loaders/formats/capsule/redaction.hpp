// Replaces what tells where and by whom a trace was recorded by hashes: paths, names of files and hosts, and
// the frames of the program.
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

/// 128 bits that nobody knows: hashes are SipHash-2-4 (Aumasson, Bernstein 2012) of them and the text, so
/// that who guesses a text cannot tell whether it was there.
using RedactionKey = std::array<std::uint64_t, 2>;

/// The same text has the same hash, so that what was alike still is. Used by one thread.
///
/// First it is given all texts of a recording once while it learns: names of hosts, users and files that one
/// of them tells by its form or its key are then replaced in all of them (known_names.hpp).
class Redactor {
 public:
  /// `words` are replaced everywhere: the names of this machine and of its user.
  Redactor(RedactionKey key, const std::vector<std::string>& words,
           LibraryList libraries = default_libraries());

  /// Whether the functions below only take note of names, and return what is of no use.
  void set_learning(bool learning);

  /// A frame as Kineto writes it: "train.py(12): step" is "file_1a2b.py(12): 3c4d", and "nn.Module: Net_0" is
  /// "nn.Module: 5e6f_0".
  std::string frame(std::string_view text);
  /// The file of a frame, and its function, where they stand apart: "file_1a2b.py" and "3c4d". Whether it is
  /// of a library, as PyTorch's own are, or no Python stays: "torch/file_1a2b.py", "file_1a2b.cpp". So does
  /// "??".
  std::string frame_file(std::string_view text);
  std::string frame_function(std::string_view text);
  /// Frames with ';' between.
  std::string stack(std::string_view text);
  /// "TOP(Net).conv1(Conv2d)": every name but TOP.
  std::string modules(std::string_view text);
  /// Any other text: words that are paths (/home/me, C:\x, a/b.py), names of files (train.py), of hosts
  /// (node1.example.com, 10.0.0.1), mail addresses, or those given; a text that is a frame, or was
  /// given as one before, is replaced as one.
  std::string text(std::string_view text);
  /// As text(), but a word that is also called like a frame is none.
  std::string words(std::string_view text);
  /// What stands below the key of a JSON object: see json().
  std::string value(std::string_view key, std::string_view text);
  /// JSON with the strings in it replaced; by a key with "stack", "Module Hierarchy", or one that names a
  /// host, user, path, file or folder as what that is, else as text(). Numbers stay, bare text does not.
  std::string json(std::string_view json);

  /// How many different ones there were of each.
  std::array<std::uint64_t, kRedactedCount> counts() const;
  /// Words that look like names of hosts and stayed, each once.
  const std::set<std::string, std::less<>>& host_like() const { return host_like_; }

 private:
  std::string hash(std::string_view text) const;
  /// `prefix` and the hash, counted.
  std::string replaced(Redacted what, std::string_view text);
  std::string word(std::string_view text);
  /// Known names replaced; empty if there is none.
  std::string without_names(std::string_view text);

  RedactionKey key_;
  LibraryList libraries_;
  KnownNames names_;
  bool learning_ = false;
  std::set<std::string, std::less<>> host_like_;
  std::map<std::string, Redacted, std::less<>> seen_;
};

}  // namespace kino
