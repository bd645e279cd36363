// Track events of a Perfetto trace with resolved names, categories, arguments and tracks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/huge_memory.hpp"
#include "core/base/string_table.hpp"
#include "loaders/formats/perfetto/argument_values.hpp"
#include "loaders/formats/perfetto/packet_decoder.hpp"
#include "loaders/formats/perfetto/perfetto_event.hpp"
#include "loaders/formats/perfetto/slice_pairing.hpp"

namespace kino {

/// Consecutive elements of PerfettoEvents::arguments.
struct PerfettoArguments {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

struct PerfettoSample {
  std::int64_t time_ns = 0;
  std::uint32_t track = 0;  ///< index, as in PerfettoEvent
  double value = 0;
};

struct PerfettoTrack {
  std::uint64_t parent = 0;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> tid;
  std::string name;          ///< escaped name of the track itself
  std::string process_name;  ///< escaped
  std::string thread_name;   ///< escaped
  bool counter = false;
  bool incremental = false;
  double unit = 1;
};

/// Collects the events of packets, which are added in file order. If clock snapshots relate the clock of a
/// packet to CLOCK_BOOTTIME, times are converted to that clock; otherwise they remain in the trace's own
/// clock.
class PerfettoEvents {
 public:
  /// `damage` and `stop` must outlive this object.
  PerfettoEvents(DamageLog& damage, const std::stop_token& stop);

  /// Adds the next packets. The values of their arguments must outlive this object.
  void add(const DecodedPackets& packets);
  /// Pairs begin and end events. Call after all packets were added. Events that remain begin events have no
  /// end.
  void pair() { pairing_.finish(); }

  const SlicePairing& pairing() const { return pairing_; }
  /// Return the escaped text with this index, and the bits that the text has as the name of an event.
  std::string_view text(std::uint32_t number) const { return texts_[number]; }
  std::uint16_t name_signs(std::uint32_t number) const { return signs_[number].name; }
  /// Returns the description of a track, or null if the file has none.
  const PerfettoTrack* track_with_id(std::uint64_t id) const;
  const PerfettoTrack* track(std::uint32_t number) const { return track_with_id(track_ids[number]); }

  RecordList<PerfettoEvent> events;  ///< all events except end events
  RecordList<PerfettoArgument> arguments;
  std::vector<PerfettoArguments> end_arguments;  ///< by PerfettoEvent::end_index; the first element is empty
  std::vector<PerfettoSample> samples;
  std::vector<std::uint64_t> flows;  ///< flow ids
  std::map<std::uint64_t, PerfettoTrack> tracks;
  std::vector<std::uint64_t> track_ids;  ///< by index
  std::int64_t first_ns;                 ///< earliest time of all events; `last_ns`: latest
  std::int64_t last_ns;
  std::map<std::uint32_t, std::uint64_t> not_shown;  ///< number of packets, by field that identifies the kind
  std::optional<std::int64_t> unix_shift_ns;         ///< offset from trace times to Unix time
  std::uint64_t async_events = 0;                    ///< Chrome's legacy async events, which are not shown
  /// number of events with arguments beyond ArgumentValues::kMostBytes, which are not shown
  std::uint64_t cut_events = 0;

 private:
  struct Sequence {
    std::uint32_t number = 0;
    PacketNames event_names;
    PacketNames categories;
    PacketNames argument_names;
    PacketNames argument_texts;
    std::uint64_t default_clock = 0;
    std::uint64_t default_track = 0;
    std::vector<std::uint64_t> counter_tracks;
    std::vector<std::uint64_t> double_counter_tracks;
    std::map<std::uint64_t, std::int64_t> clock_now;  ///< current time of incremental clocks
  };
  struct Clock {
    std::int64_t shift_ns = 0;
    std::int64_t unit_ns = 1;
    bool incremental = false;
  };
  /// Bits of a text as the name of an argument, and as the name of an event.
  struct TextSigns {
    std::uint16_t argument = 0;
    std::uint16_t name = 0;
  };

  void add_packet(const DecodedPacket& packet, const DecodedPackets& in);
  void read_message(const DecodedMessage& message, Sequence& sequence, std::uint32_t sequence_id);
  void read_interned(std::string_view message, Sequence& sequence);
  void read_names(std::string_view message, PacketNames& names);
  void read_defaults(std::string_view message, Sequence& sequence);
  void read_clocks(std::string_view message, std::uint32_t sequence_id);
  void read_track(std::string_view message);
  void read_process(std::string_view message, PerfettoTrack& track);
  void read_thread(std::string_view message, PerfettoTrack& track);
  static void read_counter(std::string_view message, PerfettoTrack& track);
  void add_event(const DecodedEvent& decoded, const DecodedPackets& in, Sequence& sequence,
                 std::int64_t time_ns, std::uint64_t offset);
  void add_arguments(const DecodedEvent& decoded, const DecodedPackets& in, const Sequence& sequence,
                     PerfettoEvent& event);
  void take_counters(const DecodedEvent& decoded, const DecodedPackets& in, const Sequence& sequence,
                     std::int64_t time_ns);
  std::string_view escaped(std::string_view raw);
  std::optional<std::int64_t> time_of(std::uint64_t time, std::uint64_t clock, std::uint32_t id,
                                      Sequence& sequence);
  Sequence& sequence_of(std::uint32_t id);
  std::uint32_t number_of(std::string_view raw);
  std::uint32_t number_of(const PacketText& text, const PacketNames& names) {
    return text.is_number() ? number_in(names, text.id) : number_of(text.text);
  }
  std::uint32_t track_number(std::uint64_t id);

  DamageLog& damage_;
  SlicePairing pairing_;
  StringTable texts_;             // escaped
  std::vector<TextSigns> signs_;  // by index of the text
  std::unordered_map<std::uint32_t, Sequence> sequences_;
  std::uint32_t last_sequence_id_ = 0;
  Sequence* last_sequence_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> track_numbers_;
  std::uint32_t last_track_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Clock> clocks_;  // by sequence (0: all) and clock id
  std::map<std::uint64_t, double> counter_now_;
  std::array<std::uint32_t, 256> recent_{};  // indices of recent texts with no escapes
  std::string scratch_;
  ArgumentValues values_;  // values of the arguments that need their sequence's tables
};

}  // namespace kino
