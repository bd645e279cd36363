#include "loaders/bytes/byte_window.hpp"

#include <cstring>

namespace kino {

bool ByteWindow::refill(std::uint64_t count) {
  ++refills_;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, size());
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ < count && !ended_) {
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const Result<std::size_t> got = in_.read({buffer_.data() + end_, buffer_.size() - end_});
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
