// The first hits of a search in a requested order, also as a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/slice_set.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// The columns of hit_table(), in order.
enum class HitColumn : std::uint8_t { name, kind, track, start, duration };
inline constexpr std::size_t kHitColumnCount = static_cast<std::size_t>(HitColumn::duration) + 1;

/// Returns the first `limit` slices of `hits`, ordered by up to kHitColumnCount criteria on columns of
/// hit_table(). Texts are compared as bytes, and ties are ordered by (start, id). `threads` 0: all of the
/// hardware. O(hits + slices / 64 + limit log limit), parallel; a criterion on texts also sorts all names or
/// tracks.
std::vector<SliceId> ordered_hits(const Trace& trace, const SliceSet& hits, std::span<const TableOrder> order,
                                  std::size_t limit, const std::stop_token& stop = {}, unsigned threads = 0);

/// Returns a table with one row per hit: the first `most_rows` of ordered_hits(). If hits are omitted, a
/// note reports the numbers of rows and of hits.
Table hit_table(const Trace& trace, const SliceSet& hits, std::span<const TableOrder> order,
                std::size_t most_rows, const std::stop_token& stop = {});
/// Metadata of hit_table(). It is not in the list of tables, because a search belongs to a window, not to a
/// trace.
extern const TableInfo kHitTable;

}  // namespace kino
