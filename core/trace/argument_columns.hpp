// Event arguments that tables need, as columns: launch configurations, shapes, operators, allocations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/base/string_table.hpp"

namespace kino {

/// Columns of Trace. They take 4 B per slice, 8 B per exception and 40 B per `[memory]` instant, plus the
/// distinct texts, which are few.
struct ArgumentColumns {
  Column<std::uint32_t> facts;  ///< by SliceId: index into `texts`; empty if no slice has facts
  StringTable texts;            ///< each is (Fact letter, value as written, NUL)*; text 0 is empty
  /// Runtime calls and GPU work whose External id names an operator or annotation other than
  /// owner_by_nesting(), in the order of SliceId. `operators` contains the named operator or annotation of
  /// each.
  Column<SliceId> exceptions;
  Column<SliceId> operators;
  /// `[memory]` instants in order of time.
  Column<std::int64_t> memory_time_ns;
  Column<std::int64_t> memory_bytes;  ///< negative for a free
  Column<std::uint64_t> memory_address;
  Column<std::uint32_t> memory_device;      ///< kMemoryHost, or the accelerator's id
  Column<TrackId> memory_track;             ///< track of the allocating thread, or kNoTrack
  Column<std::int64_t> memory_total_bytes;  ///< recorded total after the event; -1: unknown

  static constexpr std::uint32_t kMemoryHost = 0xffffffffU;

  std::size_t size_bytes() const;
};

}  // namespace kino
