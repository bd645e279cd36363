// Finds the operator that called a slice where the External ids of the file contradict the nesting.
#pragma once

#include <stop_token>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the slice's External id, which is not 0, differs from that of the operator around it (or around
/// its launch). O(depth).
bool has_foreign_external_id(const Trace& trace, const Column<std::uint32_t>& external_ids, SliceId slice);

/// Fills ArgumentColumns::exceptions and operators: the exceptions from owner_by_nesting(), which are few in
/// most traces. Links are written. O(slices).
void write_owners(const WrittenSlices& written, Trace& trace, const std::stop_token& stop);

}  // namespace kino
