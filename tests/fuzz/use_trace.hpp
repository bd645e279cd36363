// Helpers of the fuzz targets for stored traces: functions that make a trace, change its stored bytes, and
// use the trace that is read from them.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/analysis/range_summary.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/flow_links.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace kino_test {

using kino::index_of;

inline constexpr std::size_t kMostChanges = 16;

/// Returns a trace with all kinds of events, long enough for an index of several levels.
inline std::string made_trace() {
  std::string text =
      R"({"distributedInfo": {"rank": 1, "backend": "nccl"}, "traceEvents": [{"ph": "M", "name": "process_name",
 "pid": 1, "args": {"name": "python"}}, {"ph": "X", "name": "no time"}, {"ph": "i", "name": "p", "pid": 1,
 "tid": 2, "ts": 3})";
  for (int i = 0; i < 700; ++i) {
    const std::string ts = R"(, "ts": )" + std::to_string(10 * i);
    const std::string id = std::to_string(1 + i / 2);
    text +=
        R"(, {"ph": "X", "cat": "cpu_op", "name": "op)" + std::to_string(i % 9) +
        R"(", "pid": 1, "tid": 1, "dur": 9)" + ts + "}" +
        R"(, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "dur": 2)" +
        ts + R"(, "args": {"correlation": )" + id + "}}" +
        R"(, {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "dur": 12)" + ts +
        R"(, "args": {"correlation": )" + id + "}}";
    if (i % 50 == 0) {
      text += R"(, {"ph": "C", "name": "memory", "pid": 1)" + ts + R"(, "args": {"bytes": )" + id + "}}" +
              R"(, {"ph": "s", "cat": "fwdbwd", "name": "f", "pid": 1, "tid": 1, "id": )" + id + ts + "}" +
              R"(, {"ph": "f", "cat": "fwdbwd", "name": "f", "pid": 1, "tid": 1, "bp": "e", "id": )" + id +
              R"(, "ts": )" + std::to_string(10 * i + 40) + "}" +
              R"(, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(i) +
              R"(", "pid": 1, "tid": 3, "dur": 400)" + ts + "}";
    }
  }
  return text + "]}";
}

inline void use_rows(const kino::Trace& trace) {
  for (std::uint32_t r = 0; r < trace.rows.size(); ++r) {
    const kino::SliceRow row = kino::SliceRow::of(trace, kino::RowId{r});
    if (row.start_ns.empty()) continue;
    std::vector<kino::TileInstance> instances;
    std::vector<kino::TileLabel> labels;
    for (const int level : {0, 12, 20, kino::kMaxTileLevel}) {
      kino::emit_slices(row, kino::TilePlace::at(level, row.start_ns.front()), instances, labels);
    }
    require(!instances.empty(), "a slice is in no tile");
  }
}

inline void use_slices(const kino::Trace& trace) {
  for (std::uint32_t i = 0; i < trace.slice_count(); i += 13) {
    const kino::SliceId slice{i};
    require(index_of(trace.row_of(slice)) < trace.rows.size(), "a slice is in no row");
    require(trace.name_of(slice).size() <= trace.names.size_bytes(), "a name is no text");
    kino::children_of(trace, slice);
    kino::parents_of(trace, slice);
    kino::self_ns(trace, slice);
    kino::operator_of(trace, slice);
    kino::forward_of(trace, slice);
    kino::backward_of(trace, slice);
    for (const std::uint32_t arrow : kino::flows_from(trace, slice)) {
      require(index_of(trace.flows.to[arrow]) < trace.slice_count(), "an arrow ends nowhere");
    }
    for (const kino::SliceId work : kino::launched_by(trace, slice)) trace.name_of(work);
  }
}

inline void use_points(const kino::Trace& trace) {
  std::vector<kino::TileInstance> instances;
  std::vector<kino::CounterInstance> counters;
  for (const kino::Track& track : trace.tracks) {
    const kino::TilePlace place = kino::TilePlace::at(16, trace.range.begin_ns);
    kino::emit_instants(trace.instants.time_ns.sub(track.first_instant, track.instant_count), place,
                        instances);
    kino::emit_counter(trace.samples.time_ns.sub(track.first_sample, track.sample_count),
                       trace.samples.value.sub(track.first_sample, track.sample_count), place, counters);
  }
}

inline void use_trace(const kino::Trace& trace) {
  use_rows(trace);
  use_slices(trace);
  use_points(trace);
  kino::data_quality_report(trace);
  kino::find_steps(trace);
  require(kino::summarize_range(trace, trace.range, std::nullopt, {}, 1).ok(), "a range has no summary");
}

/// Parses the input as a list of changes. Longer inputs, such as seeds of other targets, give one to four
/// changes that depend on all bytes.
inline std::vector<std::uint32_t> changes_of(std::string_view data) {
  std::vector<std::uint32_t> changes;
  if (data.size() > 4 * kMostChanges) {
    std::minstd_rand random(static_cast<std::uint32_t>(std::hash<std::string_view>()(data)));
    for (std::uint32_t left = 1 + random() % 4; left > 0; --left) {
      changes.push_back(static_cast<std::uint32_t>(random() << 8 | (1U << random() % 8)));
    }
    return changes;
  }
  changes.resize(data.size() / 4);
  if (!changes.empty()) std::memcpy(changes.data(), data.data(), 4 * changes.size());
  return changes;
}

}  // namespace kino_test
