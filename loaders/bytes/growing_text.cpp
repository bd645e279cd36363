#include "loaders/bytes/growing_text.hpp"

namespace kino {

void GrowingText::grow_to(std::uint64_t size) {
  source_->set_size_bytes(size);
  {
    const std::lock_guard lock(mutex_);
    size_ = size;
  }
  grown_.notify_all();
}

void GrowingText::end(std::optional<Error> error) {
  {
    const std::lock_guard lock(mutex_);
    if (error) error_ = std::move(error);
    finished_ = true;
  }
  grown_.notify_all();
}

GrowingText::Available GrowingText::wait_for(std::uint64_t size, const std::stop_token& stop) {
  source_->expect(size);
  std::unique_lock lock(mutex_);
  grown_.wait(lock, stop, [&] { return size_ >= size || finished_; });
  return {size_, finished_};
}

std::optional<Error> GrowingText::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace kino
