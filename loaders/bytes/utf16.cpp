#include "loaders/bytes/utf16.hpp"

#include <utility>

#include "core/base/ascii.hpp"
#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::size_t kByteOrderMark = 4;  // bytes needed to distinguish UTF-16 from UTF-32 and other text

bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// Returns whether the text starts with a bracket or white space as 16-bit units, whose zero bytes are at
/// `zero` and `zero` + 2.
bool begins_json_in_units(std::string_view head, std::size_t zero) {
  if (head.size() < kByteOrderMark || head[zero] != 0 || head[zero + 2] != 0) return false;
  const char first = head[1 - zero];
  const char second = head[3 - zero];
  return (first == '{' || first == '[' || is_space(first)) &&
         (is_space(second) || (second > ' ' && second < 0x7F));
}

}  // namespace

bool is_utf16(std::string_view head) {
  if (head.starts_with("\xFF\xFE\0\0"sv)) return false;
  return head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv) || begins_json_in_units(head, 0) ||
         begins_json_in_units(head, 1);
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
      big_endian_ = byte_ == 0xFE || byte_ == 0;
      if (byte_ >= 0xFE) continue;  // byte order mark
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

std::string as_utf8(std::string head) {
  if (!is_utf16(head)) return head;
  std::string text;
  Utf16Decoder().decode(head, text);
  return text;
}

bool Utf8SpoolWriter::put(std::span<const std::uint8_t> data, std::uint32_t crc_before,
                          std::uint32_t crc_after) {
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
  if (form_ == Form::unknown && held_.empty() && data.size() >= kByteOrderMark)
    form_ = is_utf16(bytes) ? Form::utf16 : Form::plain;
  if (form_ == Form::plain) return SpoolWriter::put(data, crc_before, crc_after);
  if (form_ == Form::utf16) return put_converted(bytes);
  held_ += bytes;
  return held_.size() < kByteOrderMark || begin();
}

bool Utf8SpoolWriter::begin() {
  form_ = is_utf16(held_) ? Form::utf16 : Form::plain;
  const std::string held = std::exchange(held_, {});
  return form_ == Form::utf16 ? put_converted(held) : put_plain(held);
}

bool Utf8SpoolWriter::put_converted(std::string_view data) {
  text_.clear();
  decoder_.decode(data, text_);
  return put_plain(text_);
}

bool Utf8SpoolWriter::put_plain(std::string_view text) {
  const std::span data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return SpoolWriter::put(data, 0, crc_of(data));
}

void Utf8SpoolWriter::finish() {
  if (form_ == Form::unknown && !begin()) return;  // the text has already ended
  text_.clear();
  decoder_.finish(text_);
  if (put_plain(text_)) SpoolWriter::finish();
}

}  // namespace kino
