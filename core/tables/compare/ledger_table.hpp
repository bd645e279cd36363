// Table of the time of each step by cause.
#pragma once

#include <stop_token>

#include "core/tables/table.hpp"

namespace kino {

class RangeParts;

/// Returns a table with one row per step of the range and one column per cause, for all GPUs together. The
/// table has no name and no title.
Table ledger_step_table(const RangeParts& parts, const std::stop_token& stop);

}  // namespace kino
