// The table `experts`: expert parallelism per device, per pair of kernels, or per rank that receives rows.
#pragma once

#include <vector>

#include "core/tables/capture/expert_traffic.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

class RangeParts;

extern const TableKind<RangeParts> kExpertTable;

enum class ExpertGrouping : std::uint8_t { gpu, pair, peer };

/// Returns the rows of the devices in the form of the grouping.
Table expert_table(const Trace& trace, const std::vector<ExpertTraffic>& devices, ExpertGrouping grouping);

}  // namespace kino
