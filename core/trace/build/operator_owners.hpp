// Finds the operator that called a slice if the External ids of the file contradict the nesting.
#pragma once

#include <stop_token>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"
#include "core/trace/build/slice_writer.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Whether the slice's External id differs from the id of the operator around the slice (or around its
/// launch). True if there is no such operator. The slice's id must not be 0. O(depth).
bool has_foreign_external_id(const Trace& trace, const Column<std::uint32_t>& external_ids, SliceId slice);

/// Fills ArgumentColumns::exceptions and operators with the slices whose External id names an operator other
/// than owner_by_nesting(). In most traces they are few. Call after link_launches(). O(slices).
void write_owners(const WrittenSlices& written, Trace& trace, const std::stop_token& stop);

}  // namespace kino
