// Small SQL tables of a trace, named as in Perfetto: threads, processes, tracks, counters, stats, metadata,
// bounds.
#pragma once

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Registers the tables thread, process, track, thread_track, process_track, counter_track, counter, stats,
/// metadata, trace_bounds and slice_self_dur. Returns SQLite's result code.
int register_trace_tables(sqlite3* database, QueryContext& context);

/// Returns the severity of a kind of damage, as in Perfetto's stats: "info", "error" or "data_loss".
std::string_view severity_of(DamageReason reason);

}  // namespace kino
