// The rows of a database's table for a transcript: stops when that is asked for, and tells what could not be
// read.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/base/damage.hpp"
#include "loaders/databases/database.hpp"
#include "loaders/transcript/transcript.hpp"

namespace kino {

inline bool stopped(const Transcription& to) { return to.stop.stop_requested() || !to.out.good(); }

/// Calls visit(rows) for each row that `with` asks for. Where the table can be read no further is damage.
template <class Visit>
void for_each_row(const Database& database, const Transcription& to, std::string_view table,
                  std::initializer_list<std::string_view> columns, Visit&& visit, const RowsWith& with = {}) {
  DatabaseRows rows = database.rows(table, columns, with);
  std::uint64_t count = 0;
  while (rows.next()) {
    visit(rows);
    if (++count % 1024 == 0 && stopped(to)) return;
  }
  if (!rows.failure().empty()) {
    to.damage.add(DamageReason::unreadable_event, kNoOffset,
                  std::string(table) + ": " + std::string(rows.failure()));
  }
}

}  // namespace kino
