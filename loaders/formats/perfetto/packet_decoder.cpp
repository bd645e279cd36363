#include "loaders/formats/perfetto/packet_decoder.hpp"

#include <algorithm>
#include <array>

#include "loaders/formats/perfetto/compressed_packets.hpp"
#include "loaders/formats/perfetto/proto_fields.hpp"

namespace kino {
namespace {

// Field numbers of Perfetto's trace_packet.proto and its imports.
namespace packet_field {
constexpr std::uint32_t kClocks = 6;
constexpr std::uint32_t kTime = 8;
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kInterned = 12;
constexpr std::uint32_t kFlags = 13;
constexpr std::uint32_t kStateCleared = 41;
constexpr std::uint32_t kClockId = 58;
constexpr std::uint32_t kDefaults = 59;
constexpr std::uint32_t kTrack = 60;
}  // namespace packet_field

constexpr std::uint32_t kPacketInGroup = 1;
constexpr std::size_t kMostTextKept = std::size_t{8} << 20;

/// Returns whether packets with this field only describe the recording, so that there is nothing to show.
/// Names in trace_packet.proto: trace_config, ftrace_stats, trace_stats, synchronization_marker, system_info,
/// trigger, extension_descriptor, trace_uuid, remote_clock_sync, chrome_trigger, clone_snapshot_trigger,
/// trace_provenance, trace_attributes.
bool about_the_recording(std::uint32_t field) {
  constexpr std::array<std::uint32_t, 13> kFields{33, 34, 35, 36, 45, 46, 72, 89, 107, 109, 113, 124, 126};
  return std::ranges::find(kFields, field) != kFields.end();
}

template <class T>
std::uint32_t count_of(const std::vector<T>& list) {
  return static_cast<std::uint32_t>(list.size());
}

}  // namespace

void DecodedPackets::clear() {
  packets.clear();
  messages.clear();
  arguments.clear();
  flows.clear();
  extras.clear();
  damage = {};
}

DecodedPackets& PacketDecoder::decode(const PacketBlock& block, const std::stop_token& stop) {
  out_.clear();
  groups_ = 0;
  for (const PacketBlock::Place place : block.packets) {
    if (stop.stop_requested()) break;
    const std::string_view packet = block.packet(place);
    const std::uint64_t offset = block.offset + place.header;
    ProtoField first;
    if (ProtoFields fields(packet); fields.next(first) && is_compressed(first)) {
      decode_group(first, offset, stop);
    } else {
      decode_packet(packet, offset);
    }
  }
  out_.damage.merge(block.damage);
  out_.end_offset = block.offset + block.bytes.size();
  return out_;
}

/// Decodes the part of a group that can be decompressed. Groups within a group are not decoded.
void PacketDecoder::decode_group(const ProtoField& group, std::uint64_t offset, const std::stop_token& stop) {
  if (groups_ == decompressed_.size()) decompressed_.emplace_back();
  std::string& text = decompressed_[groups_++];
  if (text.capacity() > kMostTextKept) text = {};
  const bool good = decompress(group, text, stop);
  if (!good) out_.damage.add(DamageReason::unreadable_event, offset, "");
  ProtoFields packets(text);
  ProtoField inner;
  std::uint64_t count = 0;
  while (packets.next(inner)) {
    if (++count % 1024 == 0 && stop.stop_requested()) return;
    if (inner.number == kPacketInGroup && inner.wire == ProtoWire::bytes) decode_packet(inner.bytes, offset);
  }
  if (good && packets.damaged()) out_.damage.add(DamageReason::unreadable_event, offset, "");
}

void PacketDecoder::decode_packet(std::string_view packet, std::uint64_t offset) {
  DecodedPacket& decoded = out_.packets.emplace_back();
  decoded.offset = offset;
  decoded.first_message = count_of(out_.messages);
  std::string_view event;
  std::array<std::string_view, 4> messages;  // by DecodedMessage::What
  const auto message = [&](DecodedMessage::What what) -> std::string_view& {
    return messages[static_cast<std::size_t>(what)];
  };
  ProtoFields fields(packet);
  ProtoField field;
  while (fields.next(field)) {
    switch (field.number) {
      case packet_field::kTime:
        decoded.time = field.value;
        break;
      case packet_field::kSequence:
        decoded.sequence = static_cast<std::uint32_t>(field.value);
        break;
      case packet_field::kClockId:
        decoded.clock = field.value;
        break;
      case packet_field::kFlags:
        decoded.clears = decoded.clears || (field.value & 1U) != 0;
        break;
      case packet_field::kStateCleared:
        decoded.clears = decoded.clears || (field.wire == ProtoWire::varint && field.value != 0);
        break;
      case packet_field::kTrackEvent:
        event = field.bytes;
        break;
      case packet_field::kInterned:
        message(DecodedMessage::What::interned) = field.bytes;
        break;
      case packet_field::kDefaults:
        message(DecodedMessage::What::defaults) = field.bytes;
        break;
      case packet_field::kTrack:
        message(DecodedMessage::What::track) = field.bytes;
        break;
      case packet_field::kClocks:
        message(DecodedMessage::What::clocks) = field.bytes;
        break;
      default:
        if (field.wire == ProtoWire::bytes && !about_the_recording(field.number))
          decoded.other = field.number;
    }
  }
  if (fields.damaged()) {
    out_.packets.pop_back();
    out_.damage.add(DamageReason::unreadable_event, offset, "");
    return;
  }
  using What = DecodedMessage::What;
  for (const What what : {What::defaults, What::clocks, What::interned, What::track}) {
    if (message(what).data() != nullptr) out_.messages.push_back({what, message(what)});
  }
  decoded.message_count = count_of(out_.messages) - decoded.first_message;
  decoded.has_event = event.data() != nullptr;
  if (decoded.has_event) decoded.event = decode_event(event);
}

DecodedEvent PacketDecoder::decode_event(std::string_view message) {
  DecodedEvent event;
  event.first_argument = count_of(out_.arguments);
  event.first_flow = count_of(out_.flows);
  event.first_extra = count_of(out_.extras);
  std::size_t argument_bytes = 0;
  ProtoFields fields(message);
  ProtoField field;
  using What = DecodedExtra::What;
  while (fields.next(field)) {
    switch (field.number) {
      case 3:
        event.category = {{}, field.value};
        break;
      case 4:
        if (argument_bytes < ArgumentValues::kMostBytes) {
          const DecodedArgument& argument = out_.arguments.emplace_back(values_.read(field.bytes));
          argument_bytes += argument.bytes();
          event.cut = event.cut || argument.too_long;
        } else {
          event.cut = true;
        }
        break;
      case 6:
        decode_legacy(field.bytes, event);
        break;
      case 9:
        event.type = field.value;
        break;
      case 10:
        event.name = {{}, field.value};
        break;
      case 11:
        event.track = field.value;
        break;
      case 22:
        event.category = {field.bytes};
        break;
      case 23:
        event.name = {field.bytes};
        break;
      case 30:
        event.value = static_cast<double>(field.signed_value());
        break;
      case 44:
        event.value = field.as_double();
        break;
      case 12:
        out_.extras.push_back({What::value, 0, static_cast<double>(field.signed_value())});
        break;
      case 46:
        out_.extras.push_back({What::double_value, 0, field.as_double()});
        break;
      case 31:
        out_.extras.push_back({What::track, field.value});
        break;
      case 45:
        out_.extras.push_back({What::double_track, field.value});
        break;
      case 36:
      case 47:
      case 42:
      case 48:
        if (field.wire != ProtoWire::bytes) out_.flows.push_back(field.value);
        break;
      default:
        break;
    }
  }
  event.damaged = fields.damaged();
  event.argument_count = count_of(out_.arguments) - event.first_argument;
  event.flow_count = count_of(out_.flows) - event.first_flow;
  event.extra_count = count_of(out_.extras) - event.first_extra;
  return event;
}

void PacketDecoder::decode_legacy(std::string_view message, DecodedEvent& event) {
  ProtoField field;
  event.phase = 0;
  event.duration_us = 0;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 2) event.phase = static_cast<char>(field.value);
    if (field.number == 3) event.duration_us = field.signed_value();
  }
}

}  // namespace kino
