// What the dumps of a hung job say, as tables: what is outstanding, and who waits for whom in which group.
#pragma once

#include <span>

#include "core/base/result.hpp"
#include "core/job/flight/hang.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

/// The only list of them.
std::span<const TableInfo* const> hang_table_kinds();

/// Fails with a sentence for a table that it does not know, and for what is not asked of dumps. O(entries).
Result<Table> hang_table(const HangRecording& hang, const TableRequest& request,
                         const std::stop_token& stop = {});

}  // namespace kino
