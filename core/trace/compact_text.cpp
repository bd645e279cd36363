#include "core/trace/compact_text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>

namespace kino {

CompactText::CompactText(std::string_view text) {
  if (text.empty()) return;
  const auto size = static_cast<std::uint32_t>(
      std::min<std::size_t>(text.size(), std::numeric_limits<std::uint32_t>::max()));
  bytes_ = std::make_unique_for_overwrite<char[]>(sizeof size + size);
  std::memcpy(bytes_.get(), &size, sizeof size);
  std::memcpy(bytes_.get() + sizeof size, text.data(), size);
}

std::string_view CompactText::view() const {
  if (bytes_ == nullptr) return {};
  std::uint32_t size = 0;
  std::memcpy(&size, bytes_.get(), sizeof size);
  return {bytes_.get() + sizeof size, size};
}

std::ostream& operator<<(std::ostream& out, const CompactText& text) { return out << text.view(); }

}  // namespace kino
