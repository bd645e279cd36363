// The tables `critical-path` and `what-if` of a trace.
#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "core/base/result.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kCriticalPathTable;
/// Contains the usual forecasts. Has no rows if too little of the path is explained.
extern const TableKind<RangeParts> kWhatIfTraceTable;

/// Computes the table `what-if` with settings that apply together; without settings, with the usual
/// forecasts. Fails if a setting is unknown. Unless `force`, also fails (Error::Kind::unexplained) if less
/// than CriticalPath::kLeastExplained of the path is explained.
Result<Table> what_if_trace_table(const RangeParts& parts, std::span<const std::string> settings, bool force,
                                  const std::stop_token& stop = {});

}  // namespace kino
