// The tables `iterations`, `serving` (their statistics) and `stalls`.
#pragma once

#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

/// A range contains the iterations whose mark begins in it. Statistics of a range leave out its own warm-up.
extern const TableKind<RangeParts> kIterationTable;
extern const TableKind<RangeParts> kServingTable;
extern const TableKind<RangeParts> kStallTable;

}  // namespace kino
