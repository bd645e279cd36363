// Reads the packets of a Perfetto trace with several threads, and gives them on in the order of the file.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/formats/perfetto/packet_decoder.hpp"
#include "loaders/formats/perfetto/packet_stream.hpp"

namespace kino {

/// What one thread works with. Values of arguments stay as long as it.
struct PacketReader {
  PacketBlock block;
  PacketDecoder decoder;
};

/// Calls take(packets) with all packets in the order of the file, by one thread at a time, while other
/// threads, one for each reader, decode what follows. Fails when the file cannot be read. Throws what a
/// thread has thrown.
std::optional<Error> read_packets(GrowingText& text, std::vector<PacketReader>& readers,
                                  const std::stop_token& stop,
                                  const std::function<void(const DecodedPackets&)>& take);

}  // namespace kino
