// Splits a Perfetto trace of any size into blocks of packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/bytes/growing_text.hpp"

namespace kino {

/// Whole consecutive packets.
struct PacketBlock {
  struct Place {
    std::size_t header = 0;  ///< start of the packet's tag in `bytes`; `at`: of its content
    std::size_t at = 0;
    std::size_t size = 0;
  };

  std::string bytes;
  std::vector<Place> packets;
  std::uint64_t offset = 0;  ///< offset of `bytes` in the file
  DamageLog damage;          ///< damage found in the bytes after the packets

  std::string_view packet(Place place) const { return std::string_view(bytes).substr(place.at, place.size); }
};

/// Reads blocks of packets, which are found only by their lengths. Used by one thread at a time.
class PacketStream {
 public:
  /// `text` must outlive this object. It may still grow; next() waits for more.
  explicit PacketStream(GrowingText& text) : text_(text) {}

  /// Reads the next packets into `block`, whose memory is reused: about 128 KiB, or a single larger packet.
  /// Returns false after the last packet, on a stop request, and on a read error. Damage ends the stream,
  /// since the start of the next packet is then unknown.
  bool next(PacketBlock& block, const std::stop_token& stop);
  /// Returns the error if the file could not be read.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool read_until(std::string& bytes, std::size_t size, const std::stop_token& stop);

  GrowingText& text_;
  std::string rest_;          // bytes already read: the start of a packet
  std::uint64_t offset_ = 0;  // offset of the rest in the file
  bool whole_ = false;        // the whole file has been read
  bool ended_ = false;        // no further packets follow
  std::optional<Error> error_;
};

}  // namespace kino
