// Passes reusable buffers from a producer thread to a consumer thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kino {

/// One producer fills buffers and one consumer empties them; each waits for the other. At most `most` buffers
/// exist. If one side ends or leaves, the other side stops waiting.
template <class Buffer>
class BufferRelay {
 public:
  explicit BufferRelay(std::size_t most) : most_(most) {}

  // ---- Producer
  /// Waits for a buffer to fill, which may still have old content; null once the consumer has left.
  std::unique_ptr<Buffer> next_empty() {
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
    change([&] { full_.push_back(std::move(buffer)); });
  }
  /// Called by the producer when no buffers follow.
  void end() {
    change([&] { ended_ = true; });
  }

  // ---- Consumer
  /// Waits for the next buffer, in the order in which they were filled; null at the end.
  std::unique_ptr<Buffer> next_full() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !full_.empty(); });
    if (full_.empty()) return nullptr;
    auto buffer = std::move(full_.front());
    full_.pop_front();
    return buffer;
  }
  void emptied(std::unique_ptr<Buffer> buffer) {
    change([&] { empty_.push_back(std::move(buffer)); });
  }
  /// Called by the consumer when it takes no more buffers.
  void leave() {
    change([&] { left_ = true; });
  }

 private:
  template <class Change>
  void change(Change&& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<std::unique_ptr<Buffer>> full_;
  std::vector<std::unique_ptr<Buffer>> empty_;
  std::size_t made_ = 0;
  bool ended_ = false;
  bool left_ = false;
};

}  // namespace kino
