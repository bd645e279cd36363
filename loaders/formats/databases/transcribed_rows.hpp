// Reads rows of a database for a conversion: handles stop requests, progress and unreadable tables.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/base/damage.hpp"
#include "core/base/saturating.hpp"
#include "loaders/formats/databases/database.hpp"
#include "loaders/formats/json_import/transcript.hpp"

namespace kino {

inline bool stopped(const Transcription& to) { return to.stop.stop_requested() || !to.out.good(); }

/// Returns `text` escaped for JSON.
inline std::string json_escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

inline void report_progress(const Database& database, const Transcription& to) {
  constexpr double kMost = 0.99;  // maximum, since repeated reads count twice
  const double share = std::min(
      static_cast<double>(database.bytes_read()) / static_cast<double>(database.size_bytes()), kMost);
  to.set_read(share);
  if (to.out.events() == 0) {
    to.read_before_events = share;
  } else {
    to.set_transcribed((share - to.read_before_events) / (1 - to.read_before_events));
  }
}

/// Calls visit(rows) for each row that matches `with`. If the rest of a table is unreadable, reports that as
/// damage.
template <class Visit>
void for_each_row(const Database& database, const Transcription& to, std::string_view table,
                  std::initializer_list<std::string_view> columns, Visit&& visit, const RowsWith& with = {}) {
  DatabaseRows rows = database.rows(table, columns, with);
  std::uint64_t count = 0;
  while (rows.next()) {
    visit(rows);
    if (++count % 1024 != 0) continue;
    if (stopped(to)) return;
    report_progress(database, to);
  }
  if (!rows.failure().empty()) {
    to.damage.add(DamageReason::unreadable_event, kNoOffset,
                  std::string(table) + ": " + std::string(rows.failure()));
  }
}

/// Adds the size and the bandwidth to the copy that was written last.
inline void write_copy_size(ImportWriter& out, std::int64_t bytes, std::int64_t start, std::int64_t end) {
  out.argument("bytes", bytes);
  if (end <= start) return;
  out.argument_number("memory bandwidth (GB/s)",
                      static_cast<double>(bytes) / static_cast<double>(saturating_subtract(end, start)));
}

}  // namespace kino
