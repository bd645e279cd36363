// Stores the trace that a command has read in the cache, after the output is printed.
#pragma once

#include <optional>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// For one file. A large trace is likely to be read again.
class CacheAfter {
 public:
  /// Remembers the trace that is opened with `options` during this object's lifetime, if caching it pays, as
  /// in the window. Does nothing if the cache is not used.
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
