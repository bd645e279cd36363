#include "loaders/perfetto/perfetto_events.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/saturating.hpp"
#include "loaders/perfetto/proto_fields.hpp"
#include "loaders/perfetto/record_signs.hpp"
#include "loaders/transcript/transcript_writer.hpp"

namespace kino {
namespace {

// Numbers of fields, as in Perfetto's trace_packet.proto and its relatives.
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

constexpr std::uint64_t kRealtime = 1;
constexpr std::uint64_t kBoottime = 6;
constexpr std::uint64_t kFirstLocalClock = 64;
constexpr int kDeepest = 64;
constexpr std::size_t kFirstValueBytes = std::size_t{64} << 10;

/// Packets about the recording itself, of which there is nothing to show.
bool about_the_recording(std::uint32_t field) {
  constexpr std::array<std::uint32_t, 16> kFields{3,  9,  33, 35, 36, 41, 42, 45,
                                                  46, 52, 56, 57, 64, 65, 87, 89};
  return std::ranges::find(kFields, field) != kFields.end();
}

std::int64_t shifted(std::int64_t time, std::int64_t shift) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(time, shift, &sum)) return sum;
  return shift > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

template <class T>
void append_number(std::string& out, T value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) out.append(digits.data(), end);
}

std::uint32_t named(const std::unordered_map<std::uint64_t, std::uint32_t>& names, std::uint64_t id) {
  const auto found = names.find(id);
  return found == names.end() ? 0 : found->second;
}

/// A dictionary or a list, of which there is a field for each member.
bool nests(const ProtoField& value) { return value.number == 11 || value.number == 12; }

}  // namespace

/// A track event whose fields are being read.
struct PerfettoEvents::Draft {
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  std::uint32_t name = 0;
  std::uint32_t category = 0;
  std::optional<double> value;
  Legacy legacy;
  std::vector<std::uint64_t> extra_tracks;
  std::vector<std::uint64_t> extra_double_tracks;
  std::vector<double> extra_values;
  std::vector<double> extra_double_values;
};

PerfettoEvents::PerfettoEvents(DamageLog& damage, const std::stop_token& stop)
    : first_ns(std::numeric_limits<std::int64_t>::max()),
      last_ns(std::numeric_limits<std::int64_t>::min()),
      damage_(damage),
      pairing_(events, stop),
      values_(kFirstValueBytes) {
  texts_.intern("");
  signs_.emplace_back();
}

const PerfettoTrack* PerfettoEvents::track_with_id(std::uint64_t id) const {
  const auto found = tracks.find(id);
  return found == tracks.end() ? nullptr : &found->second;
}

/// As it stands in JSON, until the next call.
std::string_view PerfettoEvents::escaped(std::string_view raw) {
  scratch_.clear();
  append_escaped(scratch_, raw);
  return scratch_;
}

std::uint32_t PerfettoEvents::number_of(std::string_view raw) {
  // A program has few names of arguments, and tells them with each event.
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

void PerfettoEvents::add(std::string_view packet, std::uint64_t offset) {
  std::uint64_t time = 0;
  std::uint64_t clock = 0;
  std::uint32_t id = 0;
  bool clears = false;
  std::string_view event;
  std::string_view interned;
  std::string_view defaults;
  std::string_view clocks;
  std::uint32_t other = 0;
  ProtoFields fields(packet);
  ProtoField field;
  while (fields.next(field)) {
    switch (field.number) {
      case packet_field::kTime:
        time = field.value;
        break;
      case packet_field::kSequence:
        id = static_cast<std::uint32_t>(field.value);
        break;
      case packet_field::kClockId:
        clock = field.value;
        break;
      case packet_field::kFlags:
        clears = clears || (field.value & 1U) != 0;
        break;
      case packet_field::kStateCleared:
        clears = clears || (field.wire == ProtoWire::varint && field.value != 0);
        break;
      case packet_field::kTrackEvent:
        event = field.bytes;
        break;
      case packet_field::kInterned:
        interned = field.bytes;
        break;
      case packet_field::kDefaults:
        defaults = field.bytes;
        break;
      case packet_field::kTrack:
        read_track(field.bytes);
        break;
      case packet_field::kClocks:
        clocks = field.bytes;
        break;
      default:
        if (field.wire == ProtoWire::bytes && !about_the_recording(field.number)) other = field.number;
    }
  }
  if (fields.damaged()) {
    damage_.add(DamageReason::unreadable_event, offset, "");
    return;
  }
  Sequence& sequence = sequence_of(id);
  if (clears) {
    const std::uint32_t number = sequence.number;
    sequence = Sequence();
    sequence.number = number;
  }
  if (!defaults.empty()) read_defaults(defaults, sequence);
  if (!clocks.empty()) read_clocks(clocks, id);
  if (!interned.empty()) read_interned(interned, sequence);
  if (event.data() == nullptr) {
    if (other != 0) ++not_shown[other];
    return;
  }
  const auto time_ns = time_of(time, clock != 0 ? clock : sequence.default_clock, id, sequence);
  if (!time_ns) {
    damage_.add(DamageReason::no_timestamp, offset, "");
    return;
  }
  read_track_event(event, sequence, *time_ns, offset);
}

void PerfettoEvents::read_interned(std::string_view message, Sequence& sequence) {
  ProtoFields fields(message);
  ProtoField field;
  while (fields.next(field)) {
    if (field.number == 1) read_names(field.bytes, sequence.categories);
    if (field.number == 2) read_names(field.bytes, sequence.event_names);
    if (field.number == 3) read_names(field.bytes, sequence.argument_names);
    if (field.number == 29) read_names(field.bytes, sequence.argument_texts);
  }
}

void PerfettoEvents::read_names(std::string_view message, Names& names) {
  ProtoFields fields(message);
  ProtoField field;
  std::uint64_t id = 0;
  std::string_view name;
  while (fields.next(field)) {
    if (field.number == 1) id = field.value;
    if (field.number == 2) name = field.bytes;
  }
  names[id] = number_of(name);
}

void PerfettoEvents::read_defaults(std::string_view message, Sequence& sequence) {
  ProtoFields fields(message);
  ProtoField field;
  while (fields.next(field)) {
    if (field.number == packet_field::kClockId) sequence.default_clock = field.value;
    if (field.number != packet_field::kTrackEvent) continue;
    ProtoFields event(field.bytes);
    ProtoField it;
    while (event.next(it)) {
      if (it.number == 11) sequence.default_track = it.value;
      if (it.number == 31) sequence.counter_tracks.push_back(it.value);
      if (it.number == 45) sequence.double_counter_tracks.push_back(it.value);
    }
  }
}

void PerfettoEvents::read_clocks(std::string_view message, std::uint32_t sequence_id) {
  struct Told {
    std::uint64_t id = 0;
    std::int64_t time_ns = 0;
    Clock clock;
  };
  std::vector<Told> told;
  ProtoFields fields(message);
  ProtoField field;
  while (fields.next(field)) {
    if (field.number != 1) continue;
    Told it;
    std::uint64_t time = 0;
    ProtoFields clock(field.bytes);
    ProtoField part;
    while (clock.next(part)) {
      if (part.number == 1) it.id = part.value;
      if (part.number == 2) time = part.value;
      if (part.number == 3) it.clock.incremental = part.value != 0;
      if (part.number == 4 && part.value > 0 && part.value < 1'000'000'000)
        it.clock.unit_ns = part.signed_value();
    }
    if (__builtin_mul_overflow(static_cast<std::int64_t>(time), it.clock.unit_ns, &it.time_ns)) continue;
    told.push_back(it);
  }
  const auto boot = std::ranges::find(told, kBoottime, &Told::id);
  if (boot == told.end()) return;
  for (Told& it : told) {
    if (__builtin_sub_overflow(boot->time_ns, it.time_ns, &it.clock.shift_ns)) continue;
    const bool local = it.id >= kFirstLocalClock;
    clocks_[{local ? sequence_id : 0, it.id}] = it.clock;
    if (local) sequence_of(sequence_id).clock_now[it.id] = it.time_ns;
    if (it.id == kRealtime && !unix_shift_ns && it.clock.shift_ns != std::numeric_limits<std::int64_t>::min())
      unix_shift_ns = -it.clock.shift_ns;
  }
}

std::optional<std::int64_t> PerfettoEvents::time_of(std::uint64_t time, std::uint64_t clock, std::uint32_t id,
                                                    Sequence& sequence) {
  if (clock == 0 || clock == kBoottime) {
    if (time > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(time);
  }
  const auto found = clocks_.find({clock >= kFirstLocalClock ? id : 0, clock});
  // A clock that was never compared with another one is the trace's own.
  const Clock told = found == clocks_.end() ? Clock{} : found->second;
  std::int64_t time_ns = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(time), told.unit_ns, &time_ns)) return std::nullopt;
  if (told.incremental) {
    std::int64_t& now = sequence.clock_now[clock];
    if (__builtin_add_overflow(now, time_ns, &now)) return std::nullopt;
    time_ns = now;
  }
  return shifted(time_ns, told.shift_ns);
}

void PerfettoEvents::read_track(std::string_view message) {
  std::uint64_t id = 0;
  PerfettoTrack track;
  ProtoFields fields(message);
  ProtoField field;
  while (fields.next(field)) {
    ProtoFields inner(field.bytes);
    ProtoField it;
    switch (field.number) {
      case 1:
        id = field.value;
        break;
      case 2:
      case 10:
      case 13:
        track.name = escaped(field.bytes);
        break;
      case 3:
        while (inner.next(it)) {
          if (it.number == 1) track.pid = it.signed_value();
          if (it.number == 6) track.process_name = escaped(it.bytes);
        }
        break;
      case 4:
        while (inner.next(it)) {
          if (it.number == 1) track.pid = it.signed_value();
          if (it.number == 2) track.tid = it.signed_value();
          if (it.number == 5) track.thread_name = escaped(it.bytes);
        }
        break;
      case 5:
        track.parent = field.value;
        break;
      case 8:
        track.counter = true;
        while (inner.next(it)) {
          if (it.number == 4 && it.value > 0) track.unit = static_cast<double>(it.signed_value());
          if (it.number == 5) track.incremental = it.value != 0;
        }
        break;
      default:
        break;
    }
  }
  tracks[id] = std::move(track);
}

PerfettoEvents::Legacy PerfettoEvents::read_legacy(std::string_view message) {
  Legacy legacy;
  ProtoFields fields(message);
  ProtoField field;
  while (fields.next(field)) {
    if (field.number == 2) legacy.phase = static_cast<char>(field.value);
    if (field.number == 3) legacy.duration_us = field.signed_value();
    if (field.number == 18) legacy.pid = field.signed_value();
    if (field.number == 19) legacy.tid = field.signed_value();
  }
  return legacy;
}

void PerfettoEvents::read_track_event(std::string_view message, Sequence& sequence, std::int64_t time_ns,
                                      std::uint64_t offset) {
  Draft draft;
  draft.track = sequence.default_track;
  PerfettoEvent event;
  event.time_ns = time_ns;
  event.first_argument = arguments.size();
  event.first_flow = static_cast<std::uint32_t>(flows.size());
  std::size_t argument_bytes = 0;
  ProtoFields fields(message);
  ProtoField field;
  bool unknown_name = false;
  while (fields.next(field)) {
    switch (field.number) {
      case 3:
        draft.category = named(sequence.categories, field.value);
        break;
      case 4:
        argument_bytes += argument_bytes < kMostArgumentBytes
                              ? add_argument(field.bytes, sequence, event.signs)
                              : field.bytes.size();
        break;
      case 6:
        draft.legacy = read_legacy(field.bytes);
        break;
      case 9:
        draft.type = field.value;
        break;
      case 10:
        draft.name = named(sequence.event_names, field.value);
        unknown_name = draft.name == 0 && !sequence.event_names.contains(field.value);
        break;
      case 11:
        draft.track = field.value;
        break;
      case 22:
        draft.category = number_of(field.bytes);
        break;
      case 23:
        draft.name = number_of(field.bytes);
        break;
      case 30:
        draft.value = static_cast<double>(field.signed_value());
        break;
      case 44:
        draft.value = field.as_double();
        break;
      case 12:
        draft.extra_values.push_back(static_cast<double>(field.signed_value()));
        break;
      case 46:
        draft.extra_double_values.push_back(field.as_double());
        break;
      case 31:
        draft.extra_tracks.push_back(field.value);
        break;
      case 45:
        draft.extra_double_tracks.push_back(field.value);
        break;
      case 36:
      case 47:
      case 42:
      case 48:
        if (field.wire != ProtoWire::bytes)
          flows.push_back({field.value, field.number == 42 || field.number == 48});
        break;
      default:
        break;
    }
  }
  if (fields.damaged() || unknown_name) {
    flows.resize(event.first_flow);
    damage_.add(DamageReason::unreadable_event, offset, "");
    return;
  }
  if (argument_bytes > kMostArgumentBytes) ++cut_events;
  take_counters(draft, sequence, time_ns);
  event.track = track_number(draft.track);
  event.name = draft.name;
  event.category = draft.category;
  event.argument_count = static_cast<std::uint32_t>(arguments.size() - event.first_argument);
  event.flow_count =
      static_cast<std::uint16_t>(std::min<std::size_t>(flows.size() - event.first_flow, 0xffff));
  if (draft.legacy.phase == 'X') {
    event.type = PerfettoEvent::Type::complete;
    std::int64_t duration_ns = 0;
    if (__builtin_mul_overflow(draft.legacy.duration_us, std::int64_t{1000}, &duration_ns)) duration_ns = 0;
    event.end_ns = saturating_add(time_ns, duration_ns);
  } else if (draft.legacy.phase == 'B' || draft.legacy.phase == 'E') {
    event.type = draft.legacy.phase == 'B' ? PerfettoEvent::Type::begin : PerfettoEvent::Type::end;
  } else if (draft.legacy.phase != 0 && draft.legacy.phase != 'I' && draft.legacy.phase != 'i') {
    ++async_events;
    return;
  } else if (draft.type >= 1 && draft.type <= 3) {
    event.type = static_cast<PerfettoEvent::Type>(draft.type);
  } else if (draft.legacy.phase != 0) {
    event.type = PerfettoEvent::Type::instant;
  } else {
    return;  // a counter's value is all there is
  }
  first_ns = std::min(first_ns, time_ns);
  last_ns = std::max(last_ns, time_ns);
  if (event.type == PerfettoEvent::Type::end) {
    pairing_.end(sequence.number, time_ns, event.track);
    return;
  }
  event.of_operators = is_operator(event.signs, name_signs(event.name)) && event.category == 0;
  events.push_back(event);
  if (event.type == PerfettoEvent::Type::begin)
    pairing_.begin(sequence.number, static_cast<std::uint32_t>(events.size() - 1));
}

void PerfettoEvents::take_counters(const Draft& draft, const Sequence& sequence, std::int64_t time_ns) {
  const auto add = [&](std::uint64_t track, double value) {
    const auto found = tracks.find(track);
    if (!std::isfinite(value)) return;
    if (found != tracks.end()) {
      value *= found->second.unit;
      if (found->second.incremental) value = counter_now_[track] += value;
    }
    samples.push_back({time_ns, track_number(track), value});
  };
  if (draft.type == 4 && draft.value) add(draft.track, *draft.value);
  const auto& plain = draft.extra_tracks.empty() ? sequence.counter_tracks : draft.extra_tracks;
  for (std::size_t i = 0; i < std::min(plain.size(), draft.extra_values.size()); ++i)
    add(plain[i], draft.extra_values[i]);
  const auto& exact =
      draft.extra_double_tracks.empty() ? sequence.double_counter_tracks : draft.extra_double_tracks;
  for (std::size_t i = 0; i < std::min(exact.size(), draft.extra_double_values.size()); ++i)
    add(exact[i], draft.extra_double_values[i]);
}

std::string_view PerfettoEvents::kept(std::string_view text) {
  char* const place = static_cast<char*>(values_.allocate(text.size() + 1, 1));
  std::ranges::copy(text, place);
  return {place, text.size()};
}

/// How many bytes it takes, or would take: null stands for what is too long.
std::size_t PerfettoEvents::add_argument(std::string_view annotation, const Sequence& sequence,
                                         std::uint16_t& signs) {
  std::uint32_t name = 0;
  ProtoField told;  // the last value, which may stand before the name
  ProtoFields fields(annotation);
  ProtoField field;
  while (fields.next(field)) {
    if (field.number == 1) {
      name = named(sequence.argument_names, field.value);
    } else if (field.number == 10) {
      name = number_of(field.bytes);
    } else if (!nests(told)) {
      told = field;
    }
  }
  PerfettoArgument argument;
  argument.name = name & 0x3fffffffU;
  signs |= signs_[name].argument;
  std::size_t bytes = sizeof(argument);
  const auto take = [&](PerfettoArgument::Kind kind, std::string_view value) {
    bytes += value.size();
    const bool fits = value.size() <= kMostArgumentBytes;
    argument.kind = fits ? kind : PerfettoArgument::Kind::json;
    if (!fits) value = "null";
    argument.value = value.data() == scratch_.data() ? kept(value).data() : value.data();
    argument.size = static_cast<std::uint32_t>(value.size());
  };
  using Kind = PerfettoArgument::Kind;
  switch (told.number) {
    case 2:
      take(Kind::json, told.value != 0 ? "true" : "false");
      break;
    case 3:
    case 7:
      argument.integer = told.signed_value();
      if (argument.integer < 0) take(Kind::json, escaped(std::to_string(told.value)));
      break;
    case 4:
      argument.integer = told.signed_value();
      break;
    case 5:
      argument.kind = Kind::number;
      argument.number = told.as_double();
      break;
    case 6:
    case 9:
      take(Kind::text, escaped(told.bytes));
      break;
    case 17:
      take(Kind::text, texts_[named(sequence.argument_texts, told.value)]);
      break;
    case 11:
    case 12:
      scratch_.clear();
      append_value(annotation, sequence, 0);
      take(Kind::json, scratch_);
      break;
    default:
      take(Kind::json, "null");
  }
  arguments.push_back(argument);
  return bytes;
}

/// Appends the value to `scratch_` as JSON; null for what has none, or lies too deep.
void PerfettoEvents::append_value(std::string_view annotation, const Sequence& sequence, int depth) {
  ProtoFields fields(annotation);
  ProtoField field;
  char open = 0;
  const std::size_t begin = scratch_.size();
  if (depth > kDeepest) {
    scratch_ += "null";
    return;
  }
  while (fields.next(field)) {
    if (open != 0 && !nests(field)) continue;
    const bool names_it = field.number == 1 || field.number == 10;
    if (open == 0 && !names_it) scratch_.resize(begin);
    switch (field.number) {
      case 2:
        scratch_ += field.value != 0 ? "true" : "false";
        break;
      case 3:
      case 7:
        append_number(scratch_, field.value);
        break;
      case 4:
        append_number(scratch_, field.signed_value());
        break;
      case 5:
        if (std::isfinite(field.as_double())) {
          append_number(scratch_, field.as_double());
        } else {
          scratch_ += "null";
        }
        break;
      case 6:
      case 9:
        scratch_ += '"';
        append_escaped(scratch_, field.bytes);
        scratch_ += '"';
        break;
      case 17:
        scratch_.append("\"").append(texts_[named(sequence.argument_texts, field.value)]).append("\"");
        break;
      case 11:
      case 12: {
        if (scratch_.size() > kMostArgumentBytes) return;  // it will not be shown
        if (open == 0) {
          open = field.number == 11 ? '{' : '[';
          scratch_ += open;
        } else {
          scratch_ += ',';
        }
        if (open == '{') {
          std::string name;
          ProtoFields entry(field.bytes);
          ProtoField it;
          while (entry.next(it)) {
            if (it.number == 1) name = texts_[named(sequence.argument_names, it.value)];
            if (it.number == 10) {
              name.clear();
              append_escaped(name, it.bytes);
            }
          }
          scratch_.append("\"").append(name).append("\":");
        }
        append_value(field.bytes, sequence, depth + 1);
        break;
      }
      default:
        break;
    }
  }
  if (open != 0) {
    scratch_ += open == '{' ? '}' : ']';
  } else if (scratch_.size() == begin) {
    scratch_ += "null";
  }
}

}  // namespace kino
