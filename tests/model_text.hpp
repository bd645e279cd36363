// A whole model as lines of text, to compare two of them: everything but the numbers given to names.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/trace.hpp"

namespace kino_test {

/// In the model's own order: rows, slices, points, arrows, counts and damage, names in full.
inline std::vector<std::string> model_lines(const kino::Trace& trace) {
  using kino::index_of;
  std::vector<std::string> lines;
  const auto add = [&](const auto&... parts) {
    std::ostringstream line;
    line.precision(17);
    ((line << parts << '\x1f'), ...);
    lines.push_back(line.str());
  };
  const auto name = [&](kino::NameId id) { return trace.names[index_of(id)]; };
  const auto category = [&](kino::CategoryId id) { return trace.categories[index_of(id)]; };
  for (const kino::Process& process : trace.processes)
    add("process", process.pid, process.title, process.gpu, process.bookkeeping, process.track_count);
  for (const kino::Track& track : trace.tracks) {
    add("track", static_cast<int>(track.kind), track.name, track.contents, track.tid, track.process,
        track.row_count, track.spilled_count, track.first_instant * (track.instant_count > 0 ? 1U : 0U),
        track.instant_count, track.first_sample * (track.sample_count > 0 ? 1U : 0U), track.sample_count,
        track.min_value, track.max_value, track.bytes);
  }
  for (const kino::Row& row : trace.rows)
    add("row", index_of(row.track), row.lane, row.first_slice, row.slice_count);
  const kino::SliceColumns& slices = trace.slices;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    add("slice", slices.start_ns[i], slices.duration_ns[i], slices.source_offset[i], name(slices.name[i]),
        index_of(slices.parent[i]), index_of(slices.link[i]), category(slices.category[i]),
        static_cast<int>(slices.kind[i]), static_cast<int>(trace.name_kind[index_of(slices.name[i])]));
  }
  for (std::size_t i = 0; i < trace.instants.time_ns.size(); ++i) {
    add("instant", trace.instants.time_ns[i], trace.instants.source_offset[i], name(trace.instants.name[i]),
        category(trace.instants.category[i]));
  }
  for (std::size_t i = 0; i < trace.samples.time_ns.size(); ++i)
    add("sample", trace.samples.time_ns[i], trace.samples.value[i]);
  for (std::size_t i = 0; i < trace.flows.size(); ++i) {
    add("arrow", index_of(trace.flows.from[i]), index_of(trace.flows.to[i]),
        category(trace.flows.category[i]), trace.flows.by_to[i]);
  }
  for (const kino::SliceId id : trace.flows.launched) add("launched", index_of(id));
  const kino::EventCounts& n = trace.counts;
  add("counts", n.total, n.complete, n.begin, n.end, n.async, n.instants, n.counters, n.flows, n.metadata,
      n.empty, n.dropped, trace.paired_slices, trace.async_slices, trace.launches_linked);
  add("times", trace.origin_unix_ns, trace.range.begin_ns, trace.range.end_ns, trace.content.begin_ns,
      trace.content.end_ns);
  for (const kino::Damage& damage : trace.damage.entries())
    add("damage", kino::text_of(damage.reason), damage.count, damage.first_offset, damage.sample);
  return lines;
}

/// The first place where two lists of lines differ; empty when they are the same.
inline std::string first_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string left = i < a.size() ? a[i] : "nothing";
    const std::string right = i < b.size() ? b[i] : "nothing";
    if (left != right) return std::to_string(i) + ": " + left + " | " + right;
  }
  return {};
}

inline std::string model_difference(const kino::Trace& a, const kino::Trace& b) {
  return first_difference(model_lines(a), model_lines(b));
}

}  // namespace kino_test
