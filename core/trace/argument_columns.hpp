// Event arguments that tables need, as columns: launch configurations, shapes, external ids, allocations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/base/string_table.hpp"

namespace kino {

/// Columns of Trace. 4 B per slice, 36 B per allocation; the distinct texts are few.
struct ArgumentColumns {
  Column<std::uint32_t> facts;  ///< by SliceId: index of its text; empty if no slice has facts
  StringTable texts;            ///< (Fact letter, value as written, NUL)*; text 0 is empty
  /// Runtime calls and GPU work whose External id names an operator other than the innermost around their
  /// launch, by SliceId; `operators` contains the named operator.
  Column<SliceId> exceptions;
  Column<SliceId> operators;
  /// `[memory]` instants in order of time.
  Column<std::int64_t> memory_time_ns;
  Column<std::int64_t> memory_bytes;  ///< negative when freed
  Column<std::uint64_t> memory_address;
  Column<std::uint32_t> memory_device;      ///< kMemoryHost, or the accelerator's id
  Column<TrackId> memory_track;             ///< of the thread, or kNoTrack
  Column<std::int64_t> memory_total_bytes;  ///< allocated afterwards, as the allocator reports; -1: unknown

  static constexpr std::uint32_t kMemoryHost = 0xffffffffU;

  std::size_t size_bytes() const;
};

}  // namespace kino
