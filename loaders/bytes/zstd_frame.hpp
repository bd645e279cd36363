// Bytes as one zstd frame (RFC 8878) and back.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kino {

/// Nothing for no bytes. `level` from 1 (fast) to 19. Throws std::bad_alloc, also for whatever else
/// libarchive fails at.
std::string zstd_packed(std::string_view bytes, int level);

/// Fills `out` exactly. False when `packed` is no frame, or not of so many bytes: no more than these are
/// decompressed. Throws std::bad_alloc.
bool zstd_unpacked(std::string_view packed, std::span<char> out);

}  // namespace kino
