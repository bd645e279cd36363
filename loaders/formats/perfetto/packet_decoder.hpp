// Decodes packets of a Perfetto trace, as far as this does not depend on earlier packets.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/damage.hpp"
#include "loaders/formats/perfetto/argument_values.hpp"
#include "loaders/formats/perfetto/packet_stream.hpp"

namespace kino {

/// Fields of a track event. Its indices refer to elements of DecodedPackets.
struct DecodedEvent {
  std::uint64_t type = 0;
  std::optional<std::uint64_t> track;
  std::optional<double> value;  ///< of a counter
  PacketText name;
  PacketText category;
  std::int64_t duration_us = 0;  ///< duration of Chrome's legacy complete events
  char phase = 0;                ///< phase of Chrome's legacy events; 0: none
  bool damaged = false;
  bool cut = false;  ///< arguments were left out; see ArgumentValues::kMostBytes
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  std::uint32_t first_flow = 0;
  std::uint32_t flow_count = 0;
  std::uint32_t first_extra = 0;
  std::uint32_t extra_count = 0;
};

/// A counter value attached to an event, or the track of such a value.
struct DecodedExtra {
  enum class What : std::uint8_t { value, double_value, track, double_track };
  What what{};
  std::uint64_t track = 0;
  double value = 0;
};

struct DecodedPacket {
  std::uint64_t offset = 0;  ///< offset of the packet, or of its compressed group
  std::uint64_t time = 0;
  std::uint64_t clock = 0;
  std::uint32_t sequence = 0;
  std::uint32_t other = 0;  ///< for a kind that is not shown: the field that identifies it
  bool clears = false;      ///< whether the earlier state of its sequence is discarded
  bool has_event = false;
  DecodedEvent event;
  std::uint32_t first_message = 0;
  std::uint32_t message_count = 0;
};

/// A part of a packet that later packets depend on, as raw bytes.
struct DecodedMessage {
  enum class What : std::uint8_t { interned, defaults, clocks, track };
  What what{};
  std::string_view bytes;
};

/// Content of packets in file order. Texts are views of the decoded block or of decompressed groups.
struct DecodedPackets {
  std::vector<DecodedPacket> packets;
  std::vector<DecodedMessage> messages;  ///< in the order in which they take effect
  std::vector<DecodedArgument> arguments;
  std::vector<std::uint64_t> flows;
  std::vector<DecodedExtra> extras;
  DamageLog damage;
  std::uint64_t end_offset = 0;  ///< end of the block in the file

  void clear();
};

/// Decodes packets, and owns the argument values. Used by one thread.
class PacketDecoder {
 public:
  /// Decodes the packets of `block`. The result is valid until the next call, as long as `block` is
  /// unchanged.
  DecodedPackets& decode(const PacketBlock& block, const std::stop_token& stop);

 private:
  void decode_group(const ProtoField& group, std::uint64_t offset, const std::stop_token& stop);
  void decode_packet(std::string_view packet, std::uint64_t offset);
  DecodedEvent decode_event(std::string_view message);
  void decode_legacy(std::string_view message, DecodedEvent& event);

  DecodedPackets out_;
  ArgumentValues values_;
  std::vector<std::string> decompressed_;  // groups of the block; the first `groups_` are in use
  std::size_t groups_ = 0;
};

}  // namespace kino
