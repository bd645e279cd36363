// The units of memory that the user has chosen, and amounts of memory in these units.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/byte_text.hpp"

namespace kino {

/// The units that the window and the command line use; decimal unless set. Thread-safe. Core does not know
/// them: pass them with each request for a table or a text.
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
