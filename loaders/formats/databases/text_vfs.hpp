// SQLite's view of a file: a text that is only read, and no other file at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <sqlite3.h>

#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Registered with SQLite, under a name of its own, as long as it lives. Files beside the text (journals,
/// logs) do not exist, nothing can be created, locked or written.
class TextVfs {
 public:
  explicit TextVfs(std::shared_ptr<const TextSource> text);
  TextVfs(const TextVfs&) = delete;
  TextVfs& operator=(const TextVfs&) = delete;
  ~TextVfs();

  /// False when SQLite has not taken it.
  bool registered() const { return registered_; }
  const char* name() const { return name_.c_str(); }
  const TextSource& text() const { return *text_; }
  /// All that was read so far, what was read again included. May be asked by any thread.
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  void count_read(std::uint64_t bytes) const { bytes_read_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::shared_ptr<const TextSource> text_;
  std::string name_;
  sqlite3_vfs vfs_{};
  bool registered_ = false;
  mutable std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace kino
