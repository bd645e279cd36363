// A hash of text for file names and colors. It is equal on every machine and in every version.
#pragma once

#include <cstdint>
#include <string_view>

namespace kino {

/// Returns the FNV-1a hash with 64 bits, or 32 bits for short_hash_of(). `hash` is the hash of the preceding
/// text. Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 14695981039346656037U) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}
constexpr std::uint32_t short_hash_of(std::string_view text, std::uint32_t hash = 2166136261U) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace kino
