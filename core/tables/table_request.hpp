// Table requested on the command line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/tables/iteration_query.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class TableFormat : std::uint8_t { text, csv, json, markdown, folded };

struct TableRequest {
  std::string name;                    ///< name of a table in one of the lists of TableInfo
  std::optional<TimeRange> range;      ///< default: the whole trace
  std::optional<std::int64_t> step;    ///< number of a step to use as the range
  std::string group;                   ///< default: the table's first group
  std::vector<std::string> sort;       ///< column keys, each with an optional ":asc" or ":desc"
  std::optional<std::uint64_t> limit;  ///< maximum number of rows; 0: all
  TableFormat format = TableFormat::text;
  ByteUnits units = ByteUnits::decimal;  ///< units of memory amounts in texts
  bool columns = false;                  ///< whether to list the columns with their definitions instead of
                                         ///< the rows
  std::optional<std::string> stream;     ///< stream number for the table `gaps`; default: the whole GPU
  // For allocator snapshots only.
  std::string at;                      ///< moment, "peak" by default; see requested_moment()
  std::string since;                   ///< earlier moment to compare `at` with
  std::string find;                    ///< text of a SnapshotQuery
  std::optional<std::int64_t> device;  ///< device ordinal
  /// Settings of what-if tables: "expandable_segments=True" for the allocator, "compute=0.5" for a trace.
  std::vector<std::string> settings;
  /// For the table `replays`: trace with the captures of graphs; null: the trace itself.
  std::shared_ptr<const Trace> captures;
  /// For tables of iterations. `sizes` contains their batch sizes.
  IterationQuery iterations;
  bool force = false;  ///< what-if of a trace: forecast even if too little of the path is explained
  std::vector<std::uint64_t> sizes;  ///< batch sizes for the table `batch-size`, one per file in order (if
                                     ///< empty, they are read from the file names); for tables of
                                     ///< iterations, those to show
};

inline Error request_error(Message what) { return {Error::Kind::not_found, std::move(what)}; }

}  // namespace kino
