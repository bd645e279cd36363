// Reads packets of a Perfetto trace with several threads and delivers them in file order.
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

/// State of one reader thread. The decoder owns the argument values.
struct PacketReader {
  PacketBlock block;
  PacketDecoder decoder;
};

/// Calls take(packets) for all packets in file order, on one thread at a time. Meanwhile the other threads,
/// one per reader, decode later packets. Returns an error if the file cannot be read. Rethrows exceptions of
/// the threads.
std::optional<Error> read_packets(GrowingText& text, std::vector<PacketReader>& readers,
                                  const std::stop_token& stop,
                                  const std::function<void(const DecodedPackets&)>& take);

}  // namespace kino
