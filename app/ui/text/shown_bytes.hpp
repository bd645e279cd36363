// The units of memory chosen by the user, and functions that format sizes in them.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/byte_text.hpp"

namespace kino {

/// Units of the window and the command line; decimal unless set. Thread-safe. Core does not read this
/// setting: pass the units with each request for a table or text.
ByteUnits byte_units();
void set_byte_units(ByteUnits units);

inline std::string text_from_bytes(double bytes) { return text_from_bytes(bytes, byte_units()); }
inline std::uint64_t byte_step(double length, double count) { return byte_step(length, count, byte_units()); }
inline ByteTicks byte_ticks(double low, double high, double count) {
  return byte_ticks(low, high, count, byte_units());
}
inline std::string byte_tick_text(std::uint64_t bytes, std::uint64_t step, double highest) {
  return byte_tick_text(bytes, step, highest, byte_units());
}

}  // namespace kino
