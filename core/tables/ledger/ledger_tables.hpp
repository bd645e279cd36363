// The table `ledger`: one row per step; per step, GPU and cause; or per GPU and cause of the mean step.
#pragma once

#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kLedgerTable;

}  // namespace kino
