#include "loaders/bytes/growing_stream.hpp"

#include <algorithm>

namespace kino {

Result<std::size_t> GrowingStream::read(std::span<std::uint8_t> out) {
  const GrowingText::Available available = text_.wait_for(offset_ + 1, stop_);
  if (available.size <= offset_) {
    if (const auto error = text_.error()) return *error;
    return std::size_t{0};
  }
  const std::size_t count = std::min<std::uint64_t>(out.size(), available.size - offset_);
  Result<std::size_t> got = text_.source()->read(offset_, {reinterpret_cast<char*>(out.data()), count});
  if (got) offset_ += *got;
  return got;
}

}  // namespace kino
