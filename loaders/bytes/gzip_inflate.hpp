// Streams a gzip file into a growing text: several members, checksums, truncated and trailing bytes.
#pragma once

#include <stop_token>

#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/text_writer.hpp"

namespace kino {

/// Inflates `in`, O(bytes). What was wrong is in out.damage(); damage that leaves nothing to show fails the
/// text. Always ends the text of `out`.
void inflate_gzip(ByteStream& in, TextWriter& out, const std::stop_token& stop);

}  // namespace kino
