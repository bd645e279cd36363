// Writes the parts of a capsule, one after the other, into a file.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/formats/capsule/capsule.hpp"
#include "loaders/formats/capsule/redaction.hpp"

namespace kino {

/// How much time packing may take: 9 is 30 MB/s a core, 19 is a tenth of that and 6 % smaller.
inline constexpr int kCapsuleLevel = 9;

/// Parts are appended by one thread. Once something failed, error() says what, and nothing more is written.
class CapsuleParts {
 public:
  CapsuleParts(int fd, std::uint64_t begin) : fd_(fd), at_(begin) {}

  /// A frame of `bytes` decompressed.
  CapsulePart append(std::string_view frame, std::uint64_t bytes);
  void write(std::string_view bytes);

  const std::optional<Error>& error() const { return error_; }
  std::uint64_t end() const { return at_; }
  /// Of all frames, decompressed.
  std::uint64_t bytes() const { return bytes_; }

 private:
  int fd_;
  std::uint64_t at_;
  std::uint64_t bytes_ = 0;
  std::optional<Error> error_;
};

/// Columns, catalog and footer, behind what `parts` has already. With a redactor all texts of the trace go
/// through it, and title and note. Fails with `cancelled`, with `too_large` for what a reader would
/// refuse, and with what the disk says. Compresses on `threads` threads.
std::optional<Error> write_capsule_end(CapsuleParts& parts, CapsuleFacts facts, const Trace& trace,
                                       Redactor* redactor, unsigned threads, const std::stop_token& stop);

/// The same for a snapshot, whose content `parts` has.
std::optional<Error> write_capsule_end(CapsuleParts& parts, const SnapshotCapsuleFacts& facts,
                                       const std::stop_token& stop);

/// Gives all texts of the trace to the redactor, which is learning.
void learn_texts(const Trace& trace, Redactor& redactor);

}  // namespace kino
