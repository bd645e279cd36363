// The packets of a Perfetto trace in blocks, out of a file of any size.
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

/// Whole packets that follow each other in the file.
struct PacketBlock {
  struct Place {
    std::size_t header = 0;  ///< of `bytes`, as `at`
    std::size_t at = 0;
    std::size_t size = 0;
  };

  std::string bytes;
  std::vector<Place> packets;
  std::uint64_t offset = 0;  ///< of the bytes in the file
  DamageLog damage;          ///< of what lies behind the packets

  std::string_view packet(Place place) const { return std::string_view(bytes).substr(place.at, place.size); }
};

/// Finds packets, which takes their lengths alone. Used by one thread at a time.
class PacketStream {
 public:
  /// Outlives this, and may still grow: next() waits for it.
  explicit PacketStream(GrowingText& text) : text_(text) {}

  /// The next packets, some 128 KiB of them or one that is larger; their memory is used again. False after
  /// the last, on a stop request, and where the file cannot be read. What is damaged is noted and ends the
  /// stream, since nothing says where the next packet begins.
  bool next(PacketBlock& block, const std::stop_token& stop);
  /// Why the file could not be read.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool read_until(std::string& bytes, std::size_t size, const std::stop_token& stop);

  GrowingText& text_;
  std::string rest_;          // of what was read: the begin of a packet
  std::uint64_t offset_ = 0;  // of the rest
  bool whole_ = false;        // the file has nothing more
  bool ended_ = false;        // there is no further packet
  std::optional<Error> error_;
};

}  // namespace kino
