// What packets of a Perfetto trace say by themselves, before those before them are known.
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

/// The fields of a track event. Places are in DecodedPackets.
struct DecodedEvent {
  std::uint64_t type = 0;
  std::optional<std::uint64_t> track;
  std::optional<double> value;  ///< of a counter
  PacketText name;
  PacketText category;
  std::int64_t duration_us = 0;  ///< of old Chrome's complete events
  char phase = 0;                ///< of old Chrome's kind; 0: none
  bool damaged = false;
  bool cut = false;  ///< it has more arguments than ArgumentValues::kMostBytes
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  std::uint32_t first_flow = 0;
  std::uint32_t flow_count = 0;
  std::uint32_t first_extra = 0;
  std::uint32_t extra_count = 0;
};

/// A counter's value beside an event, or which track one is of.
struct DecodedExtra {
  enum class What : std::uint8_t { value, double_value, track, double_track };
  What what{};
  std::uint64_t track = 0;
  double value = 0;
};

struct DecodedPacket {
  std::uint64_t offset = 0;  ///< where it begins, or the compressed group that it lies in
  std::uint64_t time = 0;
  std::uint64_t clock = 0;
  std::uint32_t sequence = 0;
  std::uint32_t other = 0;  ///< the field that says its kind, where that is not shown
  bool clears = false;      ///< what its sequence has told before no longer holds
  bool has_event = false;
  DecodedEvent event;
  std::uint32_t first_message = 0;
  std::uint32_t message_count = 0;
};

/// A part of a packet that is about others, as it stands in the file.
struct DecodedMessage {
  enum class What : std::uint8_t { interned, defaults, clocks, track };
  What what{};
  std::string_view bytes;
};

/// In the order of the file. Texts are views into the block that was decoded, or into what was decompressed.
struct DecodedPackets {
  std::vector<DecodedPacket> packets;
  std::vector<DecodedMessage> messages;  ///< in the order in which they hold
  std::vector<DecodedArgument> arguments;
  std::vector<std::uint64_t> flows;
  std::vector<DecodedExtra> extras;
  DamageLog damage;
  std::uint64_t end_offset = 0;  ///< of the block in the file

  void clear();
};

/// Used by one thread. Values of arguments stay as long as this.
class PacketDecoder {
 public:
  /// Until the next call; `block` has to stay as it is as long. Stops early on a stop request.
  DecodedPackets& decode(const PacketBlock& block, const std::stop_token& stop);

 private:
  void decode_group(const ProtoField& group, std::uint64_t offset, const std::stop_token& stop);
  void decode_packet(std::string_view packet, std::uint64_t offset);
  DecodedEvent decode_event(std::string_view message);
  void decode_legacy(std::string_view message, DecodedEvent& event);

  DecodedPackets out_;
  ArgumentValues values_;
  std::vector<std::string> decompressed_;  // of the block; the first `groups_` are in use
  std::size_t groups_ = 0;
};

}  // namespace kino
