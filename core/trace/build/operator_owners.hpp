// Which operator called what, where the External ids of the file say another one than the nesting.
#pragma once

#include <stop_token>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the slice's External id, which is not 0, is not that of the operator around it (or its launch).
/// O(depth).
bool is_stranger(const Trace& trace, const Column<std::uint32_t>& external_ids, SliceId slice);

/// Fills ArgumentColumns::exceptions and operators: the exceptions to "the innermost operator around", which
/// are few in most traces. Links are written. Of no use when stopped. O(slices).
void write_owners(const WrittenSlices& written, Trace& trace, const std::stop_token& stop);

}  // namespace kino
