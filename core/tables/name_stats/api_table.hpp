// Calls of runtimes and drivers (CUDA, HIP and others) by name.
#pragma once

#include <vector>

#include "core/tables/name_stats/named_slices.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Table `api`: one row per call name and category. `rows` contains slices of SliceKind::runtime.
Table api_table(const Trace& trace, const std::vector<NamedSlices>& rows);
extern const TableKind<RangeParts> kApiTable;

}  // namespace kino
