// The table `ledger`: one row per step, one row per step, GPU and cause, or the mean step.
#pragma once

#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kLedgerTable;

}  // namespace kino
