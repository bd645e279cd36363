// Amounts of memory as text, in decimal or binary units, and the ticks of their axes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Decimal units are powers of 1000 (kB, as in data sheets), binary units powers of 1024 (KiB, as in
/// PyTorch's messages). Bandwidths are in GB/s with either, as in nccl-tests and data sheets of links.
enum class ByteUnits : std::uint8_t { decimal, binary };

/// "GB" or "GiB", as in settings and on the command line.
std::string_view name_of(ByteUnits units);
std::optional<ByteUnits> byte_units_named(std::string_view name);

/// Returns text with three significant digits, or whole bytes if the unit is B: "1.23 GB", "1.15 GiB",
/// "12 B". "? B" if `bytes` is not finite.
std::string text_from_bytes(double bytes, ByteUnits units);
inline std::string bytes_text(std::uint64_t bytes, ByteUnits units) {
  return text_from_bytes(static_cast<double>(bytes), units);
}

/// Returns the distance between labeled ticks of counts: 1, 2 or 5 times a power of ten, at least 1. About
/// `count` ticks or fewer cover `length`.
std::uint64_t decimal_step(double length, double count);
/// Returns the distance between labeled ticks of bytes: decimal_step() in decimal units. In binary units, the
/// distance is a power of two.
std::uint64_t byte_step(double length, double count, ByteUnits units);
/// Ticks of an axis: the multiples of `step` from `low` up to `high`. No tick is negative or above 2^63, so
/// sizes of a hostile file do not wrap.
struct ByteTicks {
  std::uint64_t step = 1;
  std::vector<std::uint64_t> at;
};
ByteTicks byte_ticks(double low, double high, double count, ByteUnits units);
/// Returns the label of a tick with all its digits (up to nine decimals), in the unit that fits `highest` and
/// the step: "12.35 GB", "1.25 GiB", "1 281 MiB".
std::string byte_tick_text(std::uint64_t bytes, std::uint64_t step, double highest, ByteUnits units);

}  // namespace kino
