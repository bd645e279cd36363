// Calls of the CUDA and HIP runtime and driver, and of their like, by name.
#pragma once

#include <vector>

#include "core/tables/name_stats/named_slices.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// `api`: a row a call and category; `rows` are of SliceKind::runtime.
Table api_table(const Trace& trace, const std::vector<NamedSlices>& rows);
extern const TableKind<RangeParts> kApiTable;

}  // namespace kino
