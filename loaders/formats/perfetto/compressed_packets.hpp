// Decompresses packets of a Perfetto trace that are compressed in groups.
#pragma once

#include <stop_token>
#include <string>

#include "loaders/formats/perfetto/proto_fields.hpp"

namespace kino {

/// Returns whether a packet with this first field is a group of compressed packets.
bool is_compressed(const ProtoField& first);
/// Decompresses the group into `out`; the result has the form of a trace. If the group is damaged or larger
/// than 256 MiB, or on a stop request, returns false with the first part in `out`.
bool decompress(const ProtoField& first, std::string& out, const std::stop_token& stop);

}  // namespace kino
