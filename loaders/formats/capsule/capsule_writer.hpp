// Writes the parts of a capsule to a file.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/formats/capsule/capsule.hpp"
#include "loaders/formats/capsule/redaction.hpp"

namespace kino {

/// zstd level: 9 packs 30 MB/s per core; 19 takes ten times as long, and its output is 6 % smaller.
inline constexpr int kCapsuleLevel = 9;

/// Appends parts; not thread-safe. After the first error() nothing is written.
class CapsuleParts {
 public:
  CapsuleParts(int fd, std::uint64_t begin) : fd_(fd), at_(begin) {}

  /// Appends a zstd frame whose decompressed size is `bytes`, and returns its location.
  CapsulePart append(std::string_view frame, std::uint64_t bytes);
  void write(std::string_view bytes);

  const std::optional<Error>& error() const { return error_; }
  std::uint64_t end() const { return at_; }
  /// Size of all frames, decompressed.
  std::uint64_t bytes() const { return bytes_; }

 private:
  int fd_;
  std::uint64_t at_;
  std::uint64_t bytes_ = 0;
  std::optional<Error> error_;
};

/// Writes columns, catalog and footer after `parts`. If `redactor` is set, all texts of the trace, the title,
/// the note and the settings are redacted. Fails with `cancelled`, with `too_large` if a reader would reject
/// the file, and with disk errors. Compresses on `threads` threads.
std::optional<Error> write_capsule_end(CapsuleParts& parts, CapsuleFacts facts, const Trace& trace,
                                       Redactor* redactor, unsigned threads, const std::stop_token& stop);

/// Like the function above, for a snapshot whose content is in `parts`.
std::optional<Error> write_capsule_end(CapsuleParts& parts, const SnapshotCapsuleFacts& facts,
                                       const std::stop_token& stop);

/// Passes all texts of the trace to a redactor that is learning.
void learn_texts(const Trace& trace, Redactor& redactor);

}  // namespace kino
