// A hash for names of files, the same in every version and on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace kino {

/// FNV-1a of 64 bits; `hash` is that of what stands before.
constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 14695981039346656037U) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace kino
