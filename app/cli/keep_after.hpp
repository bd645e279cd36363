// Keeps what a command has read for the next one, once its answer is out.
#pragma once

#include <optional>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// Of one file: who asks a large trace once asks again.
class KeepAfter {
 public:
  /// Of a trace that is opened with `options` while this is there, if that is worth it, as in the window;
  /// nothing where the cache is not used.
  explicit KeepAfter(OpenOptions& options);
  KeepAfter(const KeepAfter&) = delete;
  KeepAfter& operator=(const KeepAfter&) = delete;
  ~KeepAfter() = default;

  /// Writes it, after what was printed. What cannot be kept is read anew next time, and told on the standard
  /// error.
  void keep();

 private:
  OpenOptions plain_;
  std::optional<OpenedTrace> opened_;
};

}  // namespace kino
