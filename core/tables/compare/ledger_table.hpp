// Table of the time of each step by cause, the basis of comparisons.
#pragma once

#include <stop_token>

#include "core/tables/table.hpp"

namespace kino {

class RangeParts;

/// One row per step of the range, with one column per cause of the ledger of all GPUs together. Without a name and a
/// title.
Table ledger_step_table(const RangeParts& parts, const std::stop_token& stop);

}  // namespace kino
