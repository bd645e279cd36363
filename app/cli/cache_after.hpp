// Caches the trace that a command has read, after the output is printed.
#pragma once

#include <optional>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// Caches the trace of a command that opens one file; a large trace is likely to be read again.
class CacheAfter {
 public:
  /// Retains the trace that is opened with `options` if the window would cache it as well. Does nothing if
  /// the cache is disabled. `options` must not be used after this object's lifetime.
  explicit CacheAfter(OpenOptions& options);
  CacheAfter(const CacheAfter&) = delete;
  CacheAfter& operator=(const CacheAfter&) = delete;
  ~CacheAfter() = default;

  /// Writes the cache file. Call after printing. A failure is reported on stderr.
  void keep();

 private:
  OpenOptions plain_;
  std::optional<OpenedTrace> opened_;
};

}  // namespace kino
