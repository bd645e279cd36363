// Ranges marked by the program, on the CPU and, if recorded, on a GPU.
#pragma once

#include <vector>

#include "core/tables/name_stats/named_slices.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class RangeParts;

/// Table `annotations`: one row per name, side and category. `rows` contains slices of SliceKind::annotation
/// and SliceKind::gpu_annotation.
Table annotation_table(const Trace& trace, const std::vector<NamedSlices>& rows);
extern const TableKind<RangeParts> kAnnotationTable;

}  // namespace kino
