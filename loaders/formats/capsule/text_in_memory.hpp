// A short TextSource in memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "loaders/bytes/text_source.hpp"

namespace kino {

class TextInMemory : public TextSource {
 public:
  explicit TextInMemory(std::string text) : text_(std::move(text)) { set_size_bytes(text_.size()); }

  bool unchanged() const override { return true; }
  Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const override {
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, text_.size()));
    const std::size_t size = std::min(out.size(), text_.size() - from);
    if (size > 0) std::memcpy(out.data(), text_.data() + from, size);
    return size;
  }

 private:
  std::string text_;
};

}  // namespace kino
