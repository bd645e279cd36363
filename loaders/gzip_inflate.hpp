// Streams a gzip file into a growing text: several members, checksums, truncated and trailing bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

#include "core/damage.hpp"
#include "loaders/growing_text.hpp"

namespace kino {

/// Inflates the file behind `gzip_fd` (`gzip_bytes` long) into `out`, whose descriptor it writes to,
/// O(bytes). Returns what was wrong; damage that leaves nothing to show is
/// reported through `out.fail`. Always ends with `out.finish()` or `out.fail()`. `bytes_read` follows the
/// progress.
DamageLog inflate_gzip(int gzip_fd, GrowingText& out, std::atomic<std::uint64_t>& bytes_read,
                       const std::stop_token& stop);

}  // namespace kino
