// Pieces of comma-separated values as RFC 4180 asks.
#pragma once

#include <string>
#include <string_view>

namespace kino {

/// In quotes, its own doubled.
inline std::string csv_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace kino
