#include "loaders/bytes/byte_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kino {
namespace {

constexpr std::size_t kFirstBytes = 4096;

}  // namespace

void ByteWindow::grow(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
  std::copy_n(buffer_.get(), end_, larger.get());
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

bool ByteWindow::refill(std::uint64_t count) {
  const bool was_full = end_ == capacity_;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, size());
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (was_full && capacity_ < window_bytes_)
    grow(std::min(window_bytes_, std::max(kFirstBytes, 4 * capacity_)));
  while (end_ < count && !ended_) {
    if (end_ == capacity_) grow(2 * capacity_);
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
