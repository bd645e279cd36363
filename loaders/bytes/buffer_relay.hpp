// Buffers that one thread fills and another empties, over and over.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kino {

/// One thread fills, one empties; each may wait for the other. There are at most `most` buffers, so that
/// neither runs far ahead, and their memory is used again. Whoever leaves says so: the other then waits no
/// longer.
template <class Buffer>
class BufferRelay {
 public:
  explicit BufferRelay(std::size_t most) : most_(most) {}

  // ---- For who fills
  /// A new buffer, or one that came back as it was; null once nobody empties any more.
  std::unique_ptr<Buffer> to_fill() {
    std::unique_lock lock(mutex_);
    if (!left_ && empty_.empty() && made_ < most_) {
      auto buffer = std::make_unique<Buffer>();
      ++made_;
      return buffer;
    }
    changed_.wait(lock, [&] { return left_ || !empty_.empty(); });
    if (left_) return nullptr;
    auto buffer = std::move(empty_.back());
    empty_.pop_back();
    return buffer;
  }
  void filled(std::unique_ptr<Buffer> buffer) {
    const std::lock_guard lock(mutex_);
    full_.push_back(std::move(buffer));
    changed_.notify_all();
  }
  /// Nothing more will be filled.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // ---- For who empties
  /// The next in the order in which they were filled; null when there will be none.
  std::unique_ptr<Buffer> to_empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !full_.empty(); });
    if (full_.empty()) return nullptr;
    auto buffer = std::move(full_.front());
    full_.pop_front();
    return buffer;
  }
  void emptied(std::unique_ptr<Buffer> buffer) {
    const std::lock_guard lock(mutex_);
    empty_.push_back(std::move(buffer));
    changed_.notify_all();
  }
  /// Nothing more will be emptied.
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Buffer>> full_;    // guarded by mutex_
  std::vector<std::unique_ptr<Buffer>> empty_;  // guarded by mutex_
  std::size_t made_ = 0;                        // guarded by mutex_
  bool ended_ = false;                          // guarded by mutex_
  bool left_ = false;                           // guarded by mutex_
};

}  // namespace kino
