#include "loaders/formats/snapshot/html_snapshot.hpp"

#include <algorithm>
#include <array>

namespace kino {
namespace {

constexpr std::string_view kKey = "\"base64\"";
constexpr std::uint8_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> kSixBits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNoDigit);
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    table[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}();

}  // namespace

bool HtmlSnapshotStream::find() {
  looked_ = true;
  while (page_.ensure(kKey.size())) {
    const std::string_view text = page_.text(page_.size());
    const std::size_t at = text.find(kKey);
    if (at == std::string_view::npos) {
      page_.skip(page_.size() - kKey.size() + 1);
      continue;
    }
    page_.skip(at + kKey.size());
    while (page_.ensure(1) && *page_.data() != '"') {
      const char c = static_cast<char>(*page_.data());
      if (c != ' ' && c != ':' && c != '\t') break;
      page_.skip(1);
    }
    if (page_.ensure(1) && *page_.data() == '"') {
      page_.skip(1);
      return true;
    }
  }
  return false;
}

Result<std::size_t> HtmlSnapshotStream::read(std::span<std::uint8_t> out) {
  if (!looked_) found_ = find();
  if (!found_ || ended_) return std::size_t{0};
  std::size_t written = 0;
  while (out.size() - written >= 3) {
    page_.ensure(4);
    if (page_.error()) return *page_.error();
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    const std::size_t available = std::min<std::size_t>(4, page_.size());
    for (; digits < available && kSixBits[page_.data()[digits]] != kNoDigit; ++digits) {
      bits = bits << 6U | kSixBits[page_.data()[digits]];
    }
    bits <<= 6U * (4 - digits);
    page_.skip(digits);
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      out[written++] = static_cast<std::uint8_t>(bits >> (16U - 8U * i));
    }
    if (digits < 4) {
      ended_ = true;
      break;
    }
  }
  return written;
}

}  // namespace kino
