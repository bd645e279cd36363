#include "core/base/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

struct Decoded {
  std::uint32_t code_point = 0;
  std::size_t length = 0;  // 0: not valid UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const auto length = static_cast<std::size_t>(std::countl_one(byte(0)));
  if (lead < 0xC2 || length > 4 || text.size() < length) return {};
  std::uint32_t code_point = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return {};
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  if (code_point < kSmallest[length] || surrogate || code_point > 0x10FFFF) return {};
  return {code_point, length};
}

bool controls_terminal(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x061C ||
         (code_point >= 0x200E && code_point <= 0x200F) || (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xFEFF;
}

void append_hex(std::string& out, std::uint32_t number, int min_digits) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  int digits = min_digits;
  while (digits < 8 && (number >> (4U * static_cast<unsigned>(digits))) != 0) ++digits;
  for (int i = digits - 1; i >= 0; --i) out += kDigits[(number >> (4U * static_cast<unsigned>(i))) & 0xFU];
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    const std::size_t length = decoded.length == 0 ? 1 : decoded.length;
    if (decoded.length == 0) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    } else if (!controls_terminal(decoded.code_point)) {
      out += text.substr(0, length);
    } else if (decoded.code_point == '\n') {
      out += "\\n";
    } else if (decoded.code_point == '\t') {
      out += "\\t";
    } else if (decoded.code_point == '\r') {
      out += "\\r";
    } else if (decoded.code_point < 0x100) {
      out += "\\x";
      append_hex(out, decoded.code_point, 2);
    } else {
      out += "\\u{";
      append_hex(out, decoded.code_point, 4);
      out += '}';
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string without_line_breaks(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t words = std::min(text.find_first_of(kSpace), text.size());
    out += text.substr(0, words);
    text.remove_prefix(words);
    const std::size_t space = std::min(text.find_first_not_of(kSpace), text.size());
    const bool breaks = text.substr(0, space).find_first_of("\r\n") != std::string_view::npos;
    out += breaks ? " " : text.substr(0, space);
    text.remove_prefix(space);
  }
  return out;
}

std::string error_sentence(const Error& error, std::string_view file) {
  std::string sentence = escaped(error.what.str());
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ' ')) sentence.pop_back();
  if (error.offset != kNoOffset)
    sentence = filled_form(english(msg::sentence_at_byte), {sentence, std::to_string(error.offset)});
  return sentence + ": " + escaped(file);
}

}  // namespace kino
