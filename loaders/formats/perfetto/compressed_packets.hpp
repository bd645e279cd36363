// Packets of a Perfetto trace that were compressed in groups.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "loaders/formats/perfetto/proto_fields.hpp"

namespace kino {

/// Whether a packet is a group of compressed ones, by its first field.
bool is_compressed(const ProtoField& first);
/// The group, as a trace of its own; as far as it goes where the answer is false: it is damaged, would become
/// larger than 256 MiB, or is to stop.
bool decompress(const ProtoField& first, std::string& out, const std::stop_token& stop);

}  // namespace kino
