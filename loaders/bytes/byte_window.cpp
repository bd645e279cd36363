#include "loaders/bytes/byte_window.hpp"

#include <cstring>
#include <utility>

namespace kino {

bool ByteWindow::refill(std::uint64_t count) {
  ++refills_;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, size());
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ < count && !ended_) {
    if (end_ == capacity_) {
      auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(2 * capacity_);
      std::memcpy(larger.get(), buffer_.get(), end_);
      buffer_ = std::move(larger);
      capacity_ *= 2;
    }
    const Result<std::size_t> got = in_.read({buffer_.get() + end_, capacity_ - end_});
    if (!got) error_ = got.error();
    if (!got || got.value() == 0) {
      ended_ = true;
      break;
    }
    end_ += got.value();
  }
  return end_ >= count;
}

}  // namespace kino
