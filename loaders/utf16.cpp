#include "loaders/utf16.hpp"

#include <utility>
#include <vector>

#include "loaders/json_scan.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

bool is_utf16(std::string_view head) {
  if (head.starts_with("\xFF\xFE\0\0"sv)) return false;
  return head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv);
}

void Utf16Decoder::decode(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!std::exchange(has_byte_, !has_byte_)) {
      byte_ = byte;
      continue;
    }
    if (!begun_) {
      begun_ = true;
      big_endian_ = byte_ == 0xFE;
      continue;
    }
    const std::uint32_t first = byte_;
    const std::uint32_t second = byte;
    take(big_endian_ ? first << 8U | second : second << 8U | first, out);
  }
}

void Utf16Decoder::take(std::uint32_t unit, std::string& out) {
  if (const std::uint32_t high = std::exchange(high_, 0U); high != 0) {
    if (is_low(unit)) return append_utf8(out, 0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00));
    append_utf8(out, kReplacement);
  }
  if (is_high(unit)) {
    high_ = unit;
  } else {
    append_utf8(out, is_low(unit) ? kReplacement : unit);
  }
}

void Utf16Decoder::finish(std::string& out) {
  if (has_byte_ || high_ != 0) append_utf8(out, kReplacement);
  has_byte_ = false;
  high_ = 0;
}

void copy_utf16(ByteStream& in, SpoolWriter& out, const std::stop_token& stop) {
  constexpr std::size_t kBlockBytes = std::size_t{256} << 10U;
  std::vector<std::uint8_t> buffer(kBlockBytes);
  Utf16Decoder decoder;
  std::string text;
  const auto written = [&] {
    return text.empty() || out.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  while (!stop.stop_requested()) {
    Result<std::size_t> got = in.read(buffer);
    if (!got) return out.end_with(std::move(got.error()));
    if (*got == 0) break;
    out.count_read(*got);
    text.clear();
    decoder.decode({reinterpret_cast<const char*>(buffer.data()), *got}, text);
    if (!written()) return;
  }
  text.clear();
  decoder.finish(text);
  if (written()) out.finish();
}

}  // namespace kino
