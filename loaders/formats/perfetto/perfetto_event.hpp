// Track events of a Perfetto trace and their arguments, as stored until all packets are read.
#pragma once

#include <cstdint>
#include <string_view>

namespace kino {

/// A track event. Names, categories and tracks are indices into PerfettoEvents.
struct PerfettoEvent {
  enum class Type : std::uint8_t { begin = 1, end = 2, instant = 3, complete = 10 };

  std::int64_t time_ns = 0;
  std::int64_t end_ns = 0;           ///< end of a complete event
  std::uint64_t first_argument = 0;  ///< index into PerfettoEvents::arguments
  std::uint32_t argument_count = 0;
  std::uint32_t track = 0;
  std::uint32_t name = 0;
  std::uint32_t category = 0;  ///< 0: none
  std::uint32_t first_flow = 0;
  std::uint16_t flow_count = 0;
  std::uint16_t signs = 0;  ///< bits of the event's or its group's arguments; see record_signs.hpp
  Type type{};
  bool of_operators = false;    ///< whether the event, or its group, is recognized as operators
  std::uint32_t end_index = 0;  ///< index into PerfettoEvents::end_arguments
};

struct PerfettoArgument {
  enum class Kind : std::uint8_t { integer, number, text, json };

  union {
    std::int64_t integer = 0;
    double number;
    const char* value;  ///< escaped text without quotes, or JSON
  };
  std::uint32_t size = 0;       ///< size of `value` in bytes
  std::uint32_t name : 30 = 0;  // enough: more distinct names do not fit in memory
  Kind kind : 2 = Kind::integer;

  /// Stores a view of `what`, which must be shorter than 4 GiB.
  void set(Kind as, std::string_view what) {
    value = what.data();
    size = static_cast<std::uint32_t>(what.size());
    kind = as;
  }
};

}  // namespace kino
