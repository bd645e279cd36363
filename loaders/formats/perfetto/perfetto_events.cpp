#include "loaders/formats/perfetto/perfetto_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/saturating.hpp"
#include "loaders/formats/json_import/import_writer.hpp"
#include "loaders/formats/perfetto/proto_fields.hpp"
#include "loaders/formats/perfetto/record_signs.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kRealtime = 1;
constexpr std::uint64_t kBoottime = 6;
constexpr std::uint64_t kFirstLocalClock = 64;

}  // namespace

PerfettoEvents::PerfettoEvents(DamageLog& damage, const std::stop_token& stop)
    : first_ns(std::numeric_limits<std::int64_t>::max()),
      last_ns(std::numeric_limits<std::int64_t>::min()),
      damage_(damage),
      pairing_(events, stop) {
  texts_.intern("");
  signs_.emplace_back();
  end_arguments.emplace_back();
}

const PerfettoTrack* PerfettoEvents::track_with_id(std::uint64_t id) const {
  const auto found = tracks.find(id);
  return found == tracks.end() ? nullptr : &found->second;
}

/// Returns the text escaped for JSON, valid until the next call.
std::string_view PerfettoEvents::escaped(std::string_view raw) {
  scratch_.clear();
  append_escaped(scratch_, raw);
  return scratch_;
}

std::uint32_t PerfettoEvents::number_of(std::string_view raw) {
  // Recent names are cached: a program has few argument names and repeats them in each event.
  const std::size_t slot = raw.empty() ? 0
                                       : (raw.size() * 31 + static_cast<unsigned char>(raw.back()) * 7U +
                                          static_cast<unsigned char>(raw.front())) %
                                             recent_.size();
  if (texts_[recent_[slot]] == raw) return recent_[slot];
  const std::string_view text = escaped(raw);
  const std::uint32_t number = texts_.intern(text);
  if (number == signs_.size()) signs_.push_back({sign_of_argument(text), signs_of_name(text)});
  if (text == raw) recent_[slot] = number;
  return number;
}

std::uint32_t PerfettoEvents::track_number(std::uint64_t id) {
  if (!track_ids.empty() && track_ids[last_track_] == id) return last_track_;
  const auto [at, fresh] = track_numbers_.try_emplace(id, static_cast<std::uint32_t>(track_ids.size()));
  if (fresh) track_ids.push_back(id);
  return last_track_ = at->second;
}

PerfettoEvents::Sequence& PerfettoEvents::sequence_of(std::uint32_t id) {
  if (last_sequence_ == nullptr || last_sequence_id_ != id) {
    last_sequence_id_ = id;
    last_sequence_ = &sequences_[id];
    if (last_sequence_->number == 0) last_sequence_->number = static_cast<std::uint32_t>(sequences_.size());
  }
  return *last_sequence_;
}

void PerfettoEvents::add(const DecodedPackets& packets) {
  damage_.merge(packets.damage);
  for (const DecodedPacket& packet : packets.packets) add_packet(packet, packets);
}

void PerfettoEvents::add_packet(const DecodedPacket& packet, const DecodedPackets& in) {
  Sequence& sequence = sequence_of(packet.sequence);
  if (packet.clears) {
    const std::uint32_t number = sequence.number;
    sequence = Sequence();
    sequence.number = number;
  }
  for (std::uint32_t i = 0; i < packet.message_count; ++i)
    read_message(in.messages[packet.first_message + i], sequence, packet.sequence);
  if (!packet.has_event) {
    if (packet.other != 0) ++not_shown[packet.other];
    return;
  }
  const auto time_ns = time_of(packet.time, packet.clock != 0 ? packet.clock : sequence.default_clock,
                               packet.sequence, sequence);
  if (!time_ns) {
    damage_.add(DamageReason::no_timestamp, packet.offset, "");
    return;
  }
  add_event(packet.event, in, sequence, *time_ns, packet.offset);
}

void PerfettoEvents::read_message(const DecodedMessage& message, Sequence& sequence,
                                  std::uint32_t sequence_id) {
  switch (message.what) {
    case DecodedMessage::What::interned:
      return read_interned(message.bytes, sequence);
    case DecodedMessage::What::defaults:
      return read_defaults(message.bytes, sequence);
    case DecodedMessage::What::clocks:
      return read_clocks(message.bytes, sequence_id);
    case DecodedMessage::What::track:
      return read_track(message.bytes);
  }
}

void PerfettoEvents::read_interned(std::string_view message, Sequence& sequence) {
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 1) read_names(field.bytes, sequence.categories);
    if (field.number == 2) read_names(field.bytes, sequence.event_names);
    if (field.number == 3) read_names(field.bytes, sequence.argument_names);
    if (field.number == 29) read_names(field.bytes, sequence.argument_texts);
  }
}

void PerfettoEvents::read_names(std::string_view message, PacketNames& names) {
  ProtoField field;
  std::uint64_t id = 0;
  std::string_view name;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 1) id = field.value;
    if (field.number == 2) name = field.bytes;
  }
  names[id] = number_of(name);
}

void PerfettoEvents::read_defaults(std::string_view message, Sequence& sequence) {
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 58) sequence.default_clock = field.value;
    if (field.number != 11) continue;
    ProtoField part;
    for (ProtoFields event(field.bytes); event.next(part);) {
      if (part.number == 11) sequence.default_track = part.value;
      if (part.number == 31) sequence.counter_tracks.push_back(part.value);
      if (part.number == 45) sequence.double_counter_tracks.push_back(part.value);
    }
  }
}

void PerfettoEvents::read_clocks(std::string_view message, std::uint32_t sequence_id) {
  struct Reading {
    std::uint64_t id = 0;
    std::int64_t time_ns = 0;
    Clock clock;
  };
  std::vector<Reading> readings;
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number != 1) continue;
    Reading reading;
    std::uint64_t time = 0;
    ProtoField part;
    for (ProtoFields clock(field.bytes); clock.next(part);) {
      if (part.number == 1) reading.id = part.value;
      if (part.number == 2) time = part.value;
      if (part.number == 3) reading.clock.incremental = part.value != 0;
      if (part.number == 4 && part.value > 0 && part.value < 1'000'000'000)
        reading.clock.unit_ns = part.signed_value();
    }
    if (!__builtin_mul_overflow(static_cast<std::int64_t>(time), reading.clock.unit_ns, &reading.time_ns))
      readings.push_back(reading);
  }
  const auto boot = std::ranges::find(readings, kBoottime, &Reading::id);
  if (boot == readings.end()) return;
  for (Reading& reading : readings) {
    std::int64_t& shift_ns = reading.clock.shift_ns;
    if (__builtin_sub_overflow(boot->time_ns, reading.time_ns, &shift_ns)) continue;
    const bool local = reading.id >= kFirstLocalClock;
    clocks_[{local ? sequence_id : 0, reading.id}] = reading.clock;
    if (local) sequence_of(sequence_id).clock_now[reading.id] = reading.time_ns;
    if (reading.id == kRealtime && !unix_shift_ns && shift_ns != std::numeric_limits<std::int64_t>::min())
      unix_shift_ns = -shift_ns;
  }
}

std::optional<std::int64_t> PerfettoEvents::time_of(std::uint64_t time, std::uint64_t clock, std::uint32_t id,
                                                    Sequence& sequence) {
  if (clock == 0 || clock == kBoottime) {
    if (time > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(time);
  }
  const auto found = clocks_.find({clock >= kFirstLocalClock ? id : 0, clock});
  // A clock that is in no snapshot is treated as the trace's own clock.
  const Clock scale = found == clocks_.end() ? Clock{} : found->second;
  std::int64_t time_ns = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(time), scale.unit_ns, &time_ns)) return std::nullopt;
  if (scale.incremental) {
    std::int64_t& now = sequence.clock_now[clock];
    if (__builtin_add_overflow(now, time_ns, &now)) return std::nullopt;
    time_ns = now;
  }
  return saturating_add(time_ns, scale.shift_ns);
}

/// Adds a track, or updates it if it is described again. Absent or empty fields do not change earlier values,
/// as in Perfetto's TrackEventTracker.
void PerfettoEvents::read_track(std::string_view message) {
  std::uint64_t id = 0;
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 1) id = field.value;
  }
  PerfettoTrack& track = tracks[id];
  for (ProtoFields fields(message); fields.next(field);) {
    switch (field.number) {
      case 2:
      case 10:
      case 13:
        if (!field.bytes.empty()) track.name = escaped(field.bytes);
        break;
      case 3:
        read_process(field.bytes, track);
        break;
      case 4:
        read_thread(field.bytes, track);
        break;
      case 5:
        track.parent = field.value;
        break;
      case 8:
        read_counter(field.bytes, track);
        break;
      default:
        break;
    }
  }
}

void PerfettoEvents::read_process(std::string_view message, PerfettoTrack& track) {
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 1) track.pid = field.signed_value();
    if (field.number == 6 && !field.bytes.empty()) track.process_name = escaped(field.bytes);
  }
}

void PerfettoEvents::read_thread(std::string_view message, PerfettoTrack& track) {
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 1) track.pid = field.signed_value();
    if (field.number == 2) track.tid = field.signed_value();
    if (field.number == 5 && !field.bytes.empty()) track.thread_name = escaped(field.bytes);
  }
}

void PerfettoEvents::read_counter(std::string_view message, PerfettoTrack& track) {
  track.counter = true;
  ProtoField field;
  for (ProtoFields fields(message); fields.next(field);) {
    if (field.number == 4 && field.value > 0) track.unit = static_cast<double>(field.signed_value());
    if (field.number == 5) track.incremental = field.value != 0;
  }
}

void PerfettoEvents::add_event(const DecodedEvent& decoded, const DecodedPackets& in, Sequence& sequence,
                               std::int64_t time_ns, std::uint64_t offset) {
  PerfettoEvent event;
  event.time_ns = time_ns;
  event.name = number_of(decoded.name, sequence.event_names);
  event.category = number_of(decoded.category, sequence.categories);
  const bool unknown_name =
      event.name == 0 && decoded.name.id != 0 && !sequence.event_names.contains(decoded.name.id);
  if (decoded.damaged || unknown_name) {
    damage_.add(DamageReason::unreadable_event, offset, "");
    return;
  }
  take_counters(decoded, in, sequence, time_ns);
  event.track = track_number(decoded.track.value_or(sequence.default_track));
  if (decoded.phase == 'X') {
    event.type = PerfettoEvent::Type::complete;
    std::int64_t duration_ns = 0;
    if (__builtin_mul_overflow(decoded.duration_us, std::int64_t{1000}, &duration_ns)) duration_ns = 0;
    event.end_ns = saturating_add(time_ns, duration_ns);
  } else if (decoded.phase == 'B' || decoded.phase == 'E') {
    event.type = decoded.phase == 'B' ? PerfettoEvent::Type::begin : PerfettoEvent::Type::end;
  } else if (decoded.phase != 0 && decoded.phase != 'I' && decoded.phase != 'i') {
    ++async_events;
    return;
  } else if (decoded.type >= 1 && decoded.type <= 3) {
    event.type = static_cast<PerfettoEvent::Type>(decoded.type);
  } else if (decoded.phase != 0) {
    event.type = PerfettoEvent::Type::instant;
  } else {
    return;  // the event has only the value of a counter
  }
  first_ns = std::min(first_ns, time_ns);
  last_ns = std::max(last_ns, time_ns);
  if (event.type == PerfettoEvent::Type::end) {
    std::uint32_t number = 0;
    if (decoded.argument_count > 0) {
      add_arguments(decoded, in, sequence, event);
      number = static_cast<std::uint32_t>(end_arguments.size());
      end_arguments.push_back({event.first_argument, event.argument_count});
    }
    pairing_.end(sequence.number, {time_ns, event.track, number});
    return;
  }
  add_arguments(decoded, in, sequence, event);
  event.first_flow = static_cast<std::uint32_t>(flows.size());
  event.flow_count = static_cast<std::uint16_t>(std::min<std::uint32_t>(decoded.flow_count, 0xffff));
  const auto first = in.flows.begin() + decoded.first_flow;
  flows.insert(flows.end(), first, first + event.flow_count);
  event.of_operators = is_operator(event.signs, name_signs(event.name)) && event.category == 0;
  events.push_back(event);
  if (event.type == PerfettoEvent::Type::begin)
    pairing_.begin(sequence.number, static_cast<std::uint32_t>(events.size() - 1));
}

void PerfettoEvents::add_arguments(const DecodedEvent& decoded, const DecodedPackets& in,
                                   const Sequence& sequence, PerfettoEvent& event) {
  event.first_argument = arguments.size();
  bool cut = decoded.cut;
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < decoded.argument_count; ++i) {
    if (bytes >= ArgumentValues::kMostBytes) {
      cut = true;
      break;
    }
    const DecodedArgument& read = in.arguments[decoded.first_argument + i];
    PerfettoArgument argument = read.value;
    if (read.missing == DecodedArgument::Missing::text) {
      const std::uint32_t text =
          number_in(sequence.argument_texts, static_cast<std::uint64_t>(argument.integer));
      argument.set(PerfettoArgument::Kind::text, texts_[text]);
    } else if (read.missing == DecodedArgument::Missing::all) {
      const DecodedArgument whole = values_.read_value(
          {argument.value, argument.size}, {sequence.argument_names, sequence.argument_texts, texts_});
      argument = whole.value;
      cut = cut || whole.too_long;
    }
    const std::uint32_t name = number_of(read.name, sequence.argument_names);
    argument.name = name & 0x3fffffffU;
    event.signs |= signs_[name].argument;
    bytes += sizeof(argument) + argument.size;
    arguments.push_back(argument);
  }
  if (cut) ++cut_events;
  event.argument_count = static_cast<std::uint32_t>(arguments.size() - event.first_argument);
}

void PerfettoEvents::take_counters(const DecodedEvent& decoded, const DecodedPackets& in,
                                   const Sequence& sequence, std::int64_t time_ns) {
  const auto add = [&](std::uint64_t track, double value) {
    const auto found = tracks.find(track);
    if (!std::isfinite(value)) return;
    if (found != tracks.end()) {
      value *= found->second.unit;
      if (found->second.incremental) value = counter_now_[track] += value;
    }
    samples.push_back({time_ns, track_number(track), value});
  };
  if (decoded.type == 4 && decoded.value) add(decoded.track.value_or(sequence.default_track), *decoded.value);
  if (decoded.extra_count == 0) return;
  using What = DecodedExtra::What;
  const std::span extras = std::span(in.extras).subspan(decoded.first_extra, decoded.extra_count);
  // Values and tracks of one kind are in the same order. An event that names no tracks uses the default
  // tracks of its sequence.
  const auto add_all = [&](What value, What track, std::vector<std::uint64_t> usual) {
    std::vector<std::uint64_t> own;
    for (const DecodedExtra& extra : extras) {
      if (extra.what == track) own.push_back(extra.track);
    }
    if (!own.empty()) usual = std::move(own);
    auto next = usual.begin();
    for (const DecodedExtra& extra : extras) {
      if (extra.what == value && next != usual.end()) add(*next++, extra.value);
    }
  };
  add_all(What::value, What::track, sequence.counter_tracks);
  add_all(What::double_value, What::double_track, sequence.double_counter_tracks);
}

}  // namespace kino
