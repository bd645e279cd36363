// An SQLite VFS that contains a single read-only file, backed by a TextSource.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <sqlite3.h>

#include "loaders/bytes/text_source.hpp"

namespace kino {

/// A VFS whose only file is a read-only database with the content of a text. Journals and other files do not
/// exist and cannot be created; locks have no effect. Registered with SQLite under a unique name during its
/// lifetime.
class TextVfs {
 public:
  explicit TextVfs(std::shared_ptr<const TextSource> text);
  TextVfs(const TextVfs&) = delete;
  TextVfs& operator=(const TextVfs&) = delete;
  ~TextVfs();

  /// Returns false if SQLite rejected the registration.
  bool registered() const { return registered_; }
  const char* name() const { return name_.c_str(); }
  const TextSource& text() const { return *text_; }
  /// Returns the bytes read so far, including repeated reads. Thread-safe.
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
