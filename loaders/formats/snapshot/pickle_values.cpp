#include "loaders/formats/snapshot/pickle_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

bool hexadecimal(std::string_view digits, std::size_t count, unsigned& code) {
  if (digits.size() < count) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + count, code, 16);
  return error == std::errc() && end == digits.data() + count;
}

}  // namespace

std::uint64_t little_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << 8U * i;
  return value;
}

PickleInteger integer_from_bytes(std::string_view text) {
  using Size = PickleInteger::Size;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t length = text.size();
  if (length == 0) return {};
  const bool negative = (bytes[length - 1] & 0x80U) != 0;
  const std::uint8_t sign = negative ? 0xff : 0;
  while (length > 1 && bytes[length - 1] == sign && (bytes[length - 2] & 0x80U) == (sign & 0x80U)) --length;
  if (length <= 8) {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(length);
    return {Size::fits, static_cast<std::int64_t>(little_endian({bytes, length}) << unused) >> unused};
  }
  if (length == 9 && !negative && bytes[8] == 0)
    return {Size::unsigned_only, static_cast<std::int64_t>(little_endian({bytes, 8}))};
  return {Size::too_large};
}

PickleInteger integer_from_decimal(std::string_view text) {
  using Size = PickleInteger::Size;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return {Size::fits, value};
  std::uint64_t above = 0;
  const auto [stop_above, error_above] = std::from_chars(text.data(), end, above);
  if (error_above == std::errc() && stop_above == end)
    return {Size::unsigned_only, static_cast<std::int64_t>(above)};
  return {Size::too_large};
}

std::optional<std::string> unquoted_text(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.size() < 2 || line.front() != line.back() || (line.front() != '\'' && line.front() != '"'))
    return std::nullopt;
  line = line.substr(1, line.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 >= line.size()) {
      text += line[i];
      continue;
    }
    const char escape = line[++i];
    unsigned code = 0;
    if (escape == 'x' && hexadecimal(line.substr(i + 1), 2, code)) {
      text += static_cast<char>(code);
      i += 2;
    } else {
      text += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape == 'r' ? '\r' : escape;
    }
  }
  return text;
}

std::string unescaped_text(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    unsigned code = 0;
    if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'u' || line[i + 1] == 'U')) {
      const std::size_t digits = line[i + 1] == 'u' ? 4 : 8;
      if (hexadecimal(line.substr(i + 2), digits, code)) {
        append_utf8(text, code);
        i += 1 + digits;
        continue;
      }
    }
    append_utf8(text, static_cast<unsigned char>(line[i]));
  }
  return text;
}

const char* refused_opcode(std::uint8_t opcode) {
  struct Opcode {
    std::uint8_t code;
    const char* name;
  };
  constexpr std::array kRefused = {
      Opcode{'P', "PERSID"},     Opcode{'Q', "BINPERSID"},    Opcode{'b', "BUILD"},
      Opcode{'i', "INST"},       Opcode{'o', "OBJ"},          Opcode{0x81, "NEWOBJ"},
      Opcode{0x82, "EXT1"},      Opcode{0x83, "EXT2"},        Opcode{0x84, "EXT4"},
      Opcode{0x92, "NEWOBJ_EX"}, Opcode{0x97, "NEXT_BUFFER"}, Opcode{0x98, "READONLY_BUFFER"}};
  const auto found = std::ranges::find(kRefused, opcode, &Opcode::code);
  return found != kRefused.end() ? found->name : nullptr;
}

}  // namespace kino
