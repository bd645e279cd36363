// Inflates a gzip file into a growing text. Handles several members, checksums, truncation and trailing
// bytes.
#pragma once

#include <stop_token>

#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/text_writer.hpp"

namespace kino {

/// Inflates `in`, O(bytes), and always ends the text of `out`. Damage is reported in out.damage(); if nothing
/// is readable, the text fails.
void inflate_gzip(ByteStream& in, TextWriter& out, const std::stop_token& stop);

}  // namespace kino
