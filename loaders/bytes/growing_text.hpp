// A text while it is loaded: one producer appends, and parsers wait for more bytes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/result.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Shared, thread-safe state of a text. A plain file is complete from the start. A spool grows until finish()
/// or fail().
class GrowingText {
 public:
  explicit GrowingText(std::shared_ptr<TextSource> source) : source_(std::move(source)) {}

  /// Called by the producer: the first `size` bytes are readable now.
  void grow_to(std::uint64_t size);
  /// Called by the producer: the text is complete.
  void finish() { end(std::nullopt); }
  /// Called by the producer: the text ends early because of `error`.
  void fail(Error error) { end(std::move(error)); }

  static constexpr std::uint64_t kWhole = std::numeric_limits<std::uint64_t>::max();

  struct Available {
    std::uint64_t size = 0;
    bool finished = false;
  };
  /// Waits for `size` bytes (kWhole: all bytes), the end of the text, or a stop request.
  Available wait_for(std::uint64_t size, const std::stop_token& stop);
  std::optional<Error> error() const;
  const std::shared_ptr<TextSource>& source() const { return source_; }

 private:
  void end(std::optional<Error> error);

  std::shared_ptr<TextSource> source_;
  mutable std::mutex mutex_;
  std::condition_variable_any grown_;
  std::uint64_t size_ = 0;      // guarded by mutex_
  bool finished_ = false;       // guarded by mutex_
  std::optional<Error> error_;  // guarded by mutex_
};

}  // namespace kino
