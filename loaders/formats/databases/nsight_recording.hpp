// State shared by the readers of an Nsight export's tables: strings, processes, launches and the first time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/formats/databases/recorded_processes.hpp"
#include "loaders/formats/databases/recorded_ranges.hpp"
#include "loaders/formats/databases/transcribed_rows.hpp"

namespace kino {

inline constexpr std::string_view kNsightKernels = "CUPTI_ACTIVITY_KIND_KERNEL";

/// Strings of an export by id, JSON-escaped.
class NsightStrings {
 public:
  void read(const Database& database, const Transcription& to) {
    for_each_row(database, to, "StringIds", {"id", "value"}, [&](const DatabaseRows& rows) {
      if (const auto id = rows.integer(0)) append_escaped(emptied(*id), rows.text(1));
    });
  }
  /// A name, and the index to pass to ImportWriter.
  struct Name {
    std::string_view text;
    std::uint32_t number = 0;
  };
  /// Empty if `id` is unknown.
  Name name(std::optional<std::int64_t> id) const {
    const std::uint32_t number = id ? numbers_.find(static_cast<std::uint64_t>(*id)) : IndicesById::kNone;
    return number == IndicesById::kNone ? Name{} : Name{texts_[number], number + 1};
  }
  std::string_view operator[](std::optional<std::int64_t> id) const { return name(id).text; }

 private:
  /// Returns the string of this id, emptied: if two strings have the same id, the last one counts.
  std::string& emptied(std::int64_t id) {
    const std::uint32_t number =
        numbers_.add(static_cast<std::uint64_t>(id), static_cast<std::uint32_t>(texts_.size()));
    if (number == texts_.size()) texts_.emplace_back();
    texts_[number].clear();
    return texts_[number];
  }

  IndicesById numbers_;
  std::vector<std::string> texts_;
};

struct NsightRecording {
  const Database& database;
  const Transcription& to;
  NsightStrings strings = {};
  RecordedProcesses processes = {};
  RecordedLaunches launches = {};
  NcclCalls nccl = {};
  NcclRanks ranks = {};
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();  ///< start of the earliest event so far

  ImportWriter& out() const { return to.out; }

  template <class Visit>
  void each(std::string_view table, std::initializer_list<std::string_view> columns, Visit&& visit,
            const RowsWith& with = {}) const {
    for_each_row(database, to, table, columns, std::forward<Visit>(visit), with);
  }

  /// Reads "start" and "end", which must be the first two columns. Returns false if the row has no start. If
  /// the row has no end, the end is the start. Both are recorded as damage.
  bool timed(const DatabaseRows& rows, std::int64_t& start_ns, std::int64_t& end_ns) {
    const auto start = rows.integer(0);
    const auto end = rows.integer(1);
    if (!start || !end) {
      to.damage.add(start ? DamageReason::no_duration : DamageReason::no_timestamp, kNoOffset, "");
      if (!start) return false;
    }
    start_ns = *start;
    end_ns = end.value_or(*start);
    first_ns = std::min(first_ns, start_ns);
    return true;
  }

  /// Writes the trace's correlation id, which can differ from the recorded id, because several processes can
  /// use the same ids.
  void write_correlation(std::uint32_t process, std::int64_t correlation) {
    const std::uint32_t number = processes.correlation(process, correlation);
    if (number == 0) return;
    out().argument("correlation", number);
    if (number != correlation) out().argument("correlation in its process", correlation);
  }
};

}  // namespace kino
