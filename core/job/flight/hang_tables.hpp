// Tables of a hung job: outstanding operations, and waiting ranks per group.
#pragma once

#include <span>

#include "core/base/result.hpp"
#include "core/job/flight/hang.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// Returns all tables of a hung job.
std::span<const TableInfo* const> hang_table_kinds();

/// Returns the requested table. Fails for unknown tables, and for members of the request that dumps do not
/// support. O(entries).
Result<Table> hang_table(const HangRecording& hang, const TableRequest& request,
                         const std::stop_token& stop = {});

}  // namespace kino
