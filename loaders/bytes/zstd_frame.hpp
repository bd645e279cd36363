// Compresses bytes to one zstd frame (RFC 8878), and decompresses them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kino {

/// Compresses `bytes` to one frame; an empty input gives an empty string. `level` is 1 (fast) to 19. The
/// tables are sized for `bytes`, so many small frames cost no more than one large frame. Throws
/// std::bad_alloc.
std::string zstd_packed(std::string_view bytes, int level);

/// Decompresses `packed` into `out`, which must be filled exactly. Returns false if `packed` is not a frame,
/// or does not contain `out.size()` bytes; never decompresses more than `out` holds.
bool zstd_unpacked(std::string_view packed, std::span<char> out);

}  // namespace kino
