// Percent-encoding of paths in URIs and links.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {

/// Returns the text with every byte except letters, digits and -._~/ as %XX.
inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter(c) || is_digit(c) || contains("-._~/", {&c, 1})) {
      out += c;
    } else {
      out.append({'%', kDigits[byte >> 4U], kDigits[byte & 15U]});
    }
  }
  return out;
}

/// Returns the text without percent-encoding; nullopt for malformed escapes and escaped zero bytes.
inline std::optional<std::string> percent_decoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const std::size_t high = kDigits.find(lower(text[++i]));
    const std::size_t low = kDigits.find(lower(text[++i]));
    if (high == kDigits.npos || low == kDigits.npos || high + low == 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

}  // namespace kino
