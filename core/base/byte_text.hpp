// Amounts of memory as text, in decimal or binary units, and the ticks of their rulers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// What a step up is: 1000 B are a kB as data sheets count, 1024 B a KiB as PyTorch's messages do.
/// Bandwidths stay in GB/s in both, because nccl-tests and data sheets of links use them.
enum class ByteUnits : std::uint8_t { decimal, binary };

/// "GB" or "GiB": how settings and the command line call them.
std::string_view name_of(ByteUnits units);
std::optional<ByteUnits> byte_units_named(std::string_view name);

/// "1.23 GB", "1.15 GiB": three significant digits; "? B" of what is no number.
std::string text_from_bytes(double bytes, ByteUnits units);
inline std::string bytes_text(std::uint64_t bytes, ByteUnits units) {
  return text_from_bytes(static_cast<double>(bytes), units);
}

/// Between labelled ticks of anything that is counted: 1, 2 or 5 times a power of ten, so that about `count`
/// of them cover `length`.
std::uint64_t decimal_step(double length, double count);
/// Between labelled ticks of bytes: decimal_step(), or a power of two.
std::uint64_t byte_step(double length, double count, ByteUnits units);
/// The ticks of such a step from `low` up to `high`; none above 2^63, whatever sizes a file says.
struct ByteTicks {
  std::uint64_t step = 1;
  std::vector<std::uint64_t> at;
};
ByteTicks byte_ticks(double low, double high, double count, ByteUnits units);
/// A tick of a scale with this step, without rounding, in the unit that fits `highest` and the step: "12.35
/// GB", "1.25 GiB", "1 281 MiB".
std::string byte_tick_text(std::uint64_t bytes, std::uint64_t step, double highest, ByteUnits units);

}  // namespace kino
