// The track events of a Perfetto trace with names, categories, arguments and tracks found: what its packets
// say together.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/damage.hpp"
#include "core/base/string_table.hpp"
#include "loaders/perfetto/proto_fields.hpp"

namespace kino {

/// Texts are numbers in PerfettoEvents::texts, 0 is empty.
struct PerfettoEvent {
  enum class Type : std::uint8_t { begin = 1, end = 2, instant = 3, complete = 10 };

  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;  ///< of complete ones
  std::uint64_t track = 0;
  std::uint64_t arguments = 0;  ///< where its members begin in PerfettoEvents::arguments, and
  std::uint32_t arguments_size = 0;
  std::uint32_t sequence = 0;
  std::uint32_t name = 0;
  std::uint32_t category = 0;
  std::uint32_t first_flow = 0;
  std::uint16_t flow_count = 0;
  Type type{};
};

struct PerfettoSample {
  std::int64_t time_ns = 0;
  std::uint64_t track = 0;
  double value = 0;
};

struct PerfettoFlow {
  std::uint64_t id = 0;
  bool ends = false;
};

struct PerfettoTrack {
  std::uint64_t parent = 0;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> tid;
  std::string name;          ///< escaped, its own
  std::string process_name;  ///< escaped
  std::string thread_name;   ///< escaped
  bool counter = false;
  bool incremental = false;
  double unit = 1;
};

/// Takes packets in the order of the file. Times are of the clock that the trace is told by, or, where clocks
/// were compared, of that which Linux calls boot time.
class PerfettoEvents {
 public:
  explicit PerfettoEvents(DamageLog& damage) : damage_(damage) { texts.intern(""); }

  void add(std::string_view packet, std::uint64_t offset);

  StringTable texts;      ///< escaped
  std::string arguments;  ///< members as JSON, each event's behind the other's
  std::vector<PerfettoEvent> events;
  std::vector<PerfettoSample> samples;
  std::vector<PerfettoFlow> flows;
  std::map<std::uint64_t, PerfettoTrack> tracks;
  std::map<std::uint32_t, std::uint64_t> not_shown;  ///< packets by the field that says their kind
  std::optional<std::int64_t> unix_shift_ns;         ///< what has to be added for Unix time
  std::uint64_t async_events = 0;                    ///< of old Chrome's kind, which are not shown

 private:
  using Names = std::unordered_map<std::uint64_t, std::uint32_t>;
  struct Sequence {
    std::uint32_t number = 0;
    Names event_names;
    Names categories;
    Names argument_names;
    Names argument_texts;
    std::uint64_t default_clock = 0;
    std::uint64_t default_track = 0;
    std::vector<std::uint64_t> counter_tracks;
    std::vector<std::uint64_t> double_counter_tracks;
    std::map<std::uint64_t, std::int64_t> clock_now;  ///< of clocks that count from one packet to the next
  };
  struct Clock {
    std::int64_t shift_ns = 0;
    std::int64_t unit_ns = 1;
    bool incremental = false;
  };
  struct Legacy {
    char phase = 0;
    std::int64_t duration_us = 0;
    std::optional<std::int64_t> pid;
    std::optional<std::int64_t> tid;
  };
  struct Draft;

  void read_interned(std::string_view message, Sequence& sequence);
  void read_names(std::string_view message, Names& names);
  void read_defaults(std::string_view message, Sequence& sequence);
  void read_clocks(std::string_view message, std::uint32_t sequence_id);
  void read_track(std::string_view message);
  void read_track_event(std::string_view message, Sequence& sequence, std::int64_t time_ns,
                        std::uint64_t offset);
  Legacy read_legacy(std::string_view message);
  void take_counters(const Draft& draft, const Sequence& sequence, std::int64_t time_ns);
  void add_argument(std::string_view annotation, const Sequence& sequence, bool first);
  void add_value(std::string_view annotation, const Sequence& sequence, int depth);
  std::optional<std::int64_t> time_of(std::uint64_t time, std::uint64_t clock, std::uint32_t id,
                                      Sequence& sequence);
  std::uint32_t text(std::string_view raw);

  DamageLog& damage_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Clock> clocks_;  // by sequence (0: of all) and id
  std::map<std::uint64_t, double> counter_now_;
  std::array<std::uint32_t, 256> recent_{};  // texts without escapes
  std::string scratch_;
};

}  // namespace kino
