// Which table the command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class TableFormat : std::uint8_t { text, csv, json, markdown, folded };

struct TableRequest {
  std::string name;                    ///< one of table_kinds(), snapshot_table_kinds() or job_table_kinds()
  std::optional<TimeRange> range;      ///< the whole trace unless told
  std::optional<std::int64_t> step;    ///< number of a step, instead of a range
  std::string group;                   ///< the table's first grouping unless told
  std::vector<std::string> sort;       ///< keys of columns, each with ":asc" or ":desc" behind it or not
  std::optional<std::uint64_t> limit;  ///< rows
  TableFormat format = TableFormat::text;
  ByteUnits units = ByteUnits::decimal;  ///< for amounts of memory in texts
  bool columns = false;                  ///< what its columns mean, and no rows
  std::optional<std::string> stream;     ///< of gaps: the number of a stream, instead of the whole GPU
  // Of an allocator snapshot only.
  std::string at;                      ///< the moment: "peak" unless told; see moment_named()
  std::string since;                   ///< another one to compare with
  std::string find;                    ///< of SnapshotQuery
  std::optional<std::int64_t> device;  ///< its ordinal
  std::vector<std::string> settings;   ///< of the allocator: "expandable_segments=True"
  std::vector<std::uint64_t> sizes;    ///< of batch-size: of each file, in their order; empty: by their names
};

inline Error request_error(Message what) { return {Error::Kind::not_found, std::move(what)}; }

}  // namespace kino
