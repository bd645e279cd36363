// Table of the time of each step by cause, the basis of comparisons.
#pragma once

#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kLedgerTable;

}  // namespace kino
