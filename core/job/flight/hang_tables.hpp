// Tables of a hung job: outstanding operations, and waiting ranks per group.
#pragma once

#include <span>

#include "core/base/result.hpp"
#include "core/job/flight/hang.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// The list of all tables of this kind.
std::span<const TableInfo* const> hang_table_kinds();

/// Fails for unknown tables, and for request members that dumps do not support. O(entries).
Result<Table> hang_table(const HangRecording& hang, const TableRequest& request,
                         const std::stop_token& stop = {});

}  // namespace kino
