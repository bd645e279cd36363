#include "loaders/bytes/zstd_frame.hpp"

#include <new>

#include <zstd.h>

namespace kino {

std::string zstd_packed(std::string_view bytes, int level) {
  std::string packed;
  if (bytes.empty()) return packed;
  packed.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

bool zstd_unpacked(std::string_view packed, std::span<char> out) {
  if (packed.empty()) return out.empty();
  return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
}

}  // namespace kino
