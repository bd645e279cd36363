// Event arguments that tables need, as columns: launch configurations, shapes, external ids, allocations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/base/string_table.hpp"

namespace kino {

/// Columns of Trace. They take 4 B per slice and 36 B per allocation; there are few distinct texts.
struct ArgumentColumns {
  Column<std::uint32_t> facts;  ///< by SliceId: index of its text; empty if no slice has facts
  StringTable texts;            ///< (Fact letter, value as written, NUL)*; text 0 is empty
  /// Slices whose External id names an operator other than the innermost one around them or their launch, by
  /// SliceId: runtime calls and GPU work. `operators` contains the named operator of each.
  Column<SliceId> exceptions;
  Column<SliceId> operators;
  /// `[memory]` instants in order of time.
  Column<std::int64_t> memory_time_ns;
  Column<std::int64_t> memory_bytes;  ///< negative when freed
  Column<std::uint64_t> memory_address;
  Column<std::uint32_t> memory_device;      ///< kMemoryHost, or the accelerator's id
  Column<TrackId> memory_track;             ///< track of the allocating thread, or kNoTrack
  Column<std::int64_t> memory_total_bytes;  ///< as the allocator reports afterwards; -1: unknown

  static constexpr std::uint32_t kMemoryHost = 0xffffffffU;

  std::size_t size_bytes() const;
};

}  // namespace kino
