// Where the time of each step of one trace went, a cause a ns: what a comparison of two runs starts from.
#pragma once

#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kLedgerTable;

}  // namespace kino
