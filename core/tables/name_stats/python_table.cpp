#include "core/tables/name_stats/python_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/name_stats/named_slices.hpp"
#include "core/trace/links/call_nesting.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

constexpr std::string_view kPythonKeys[] = {"name"};

/// Finds the innermost Python function around each slice of a track with nested slices. Results are cached,
/// so deeply nested slices that are not Python functions are traversed only once.
class PythonCallers {
 public:
  explicit PythonCallers(const Trace& trace) : trace_(trace) {}

  SliceId of(SliceId slice) {
    passed_.clear();
    SliceId at = trace_.parent(slice);
    while (at != kNoSlice && trace_.kind(at) != SliceKind::python) {
      const auto known = known_.find(index_of(at));
      if (known != known_.end()) {
        at = known->second;
        break;
      }
      passed_.push_back(at);
      at = trace_.parent(at);
    }
    for (const SliceId slice_passed : passed_) known_.emplace(index_of(slice_passed), at);
    return at;
  }

 private:
  const Trace& trace_;
  std::unordered_map<std::uint32_t, SliceId> known_;
  std::vector<SliceId> passed_;
};

}  // namespace

std::vector<PythonRow> python_rows(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  std::vector<PythonRow> rows;
  std::unordered_map<std::uint32_t, std::size_t> indices;  // by name
  const auto row_of = [&](SliceId slice) -> PythonRow& {
    const NameId name = trace.name(slice);
    const auto [found, added] = indices.try_emplace(index_of(name), rows.size());
    if (added) rows.emplace_back().name = name;
    return rows[found->second];
  };
  const auto add = [&](const NestedCall& call) {
    const std::int64_t duration = clipped_ns(trace, index_of(call.slice), range);
    PythonRow& row = row_of(call.slice);
    ++row.calls;
    add_saturating(row.total_ns, duration);
    add_saturating(row.self_ns, duration);
    if (duration > row.longest_ns) {
      row.longest_ns = duration;
      row.longest = call.slice;
    }
    if (call.caller == kNoSlice) return;
    const TimeRange own = clipped(range, call.free_from_ns, trace.end_ns(call.slice));
    subtract_saturating(row_of(call.caller).self_ns, own.length_ns());
  };
  const auto is_python = [&](SliceId slice) { return trace.kind(slice) == SliceKind::python; };
  PythonCallers callers(trace);
  for (const Track& track : trace.tracks) {
    if (track.spilled_count > 0) {
      for_each_nested_call(trace, track, range, stop, is_python, [&](const NestedCall& call) {
        if (is_python(call.slice)) add(call);
      });
      continue;
    }
    for_each_slice_of(trace, track, range, stop, [&](SliceId slice) {
      if (is_python(slice)) add({slice, callers.of(slice), trace.start_ns(slice)});
    });
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &PythonRow::self_ns);
  return rows;
}

Table python_table(const Trace& trace, const std::vector<PythonRow>& rows) {
  Table table{.definition = msg::row_per_python_function};
  table.texts_of(rows, "name", msg::function, msg::as_recorded,
                 [&](const PythonRow& row) { return std::string(trace.name_text(row.name)); });
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::number_of_calls, &PythonRow::calls);
  table.integers_of(rows, "self_ns", msg::self, Unit::ns, msg::without_the_recorded_python_functions_it,
                    &PythonRow::self_ns);
  table.integers_of(rows, "total_ns", msg::total, Unit::ns, msg::with_everything_it_calls,
                    &PythonRow::total_ns);
  table.number_column(
      rows, "mean_ns", msg::mean, Unit::ns, msg::total_divided_by_calls, [](const PythonRow& row) {
        return row.calls == 0 ? kNoNumber
                              : static_cast<double>(row.total_ns) / static_cast<double>(row.calls);
      });
  table.integers_of(rows, "max_ns", msg::max, Unit::ns, msg::the_longest, &PythonRow::longest_ns);
  for (const PythonRow& row : rows) table.links.emplace_back(row.longest);
  if (rows.empty() && std::ranges::find(trace.slices.kind, SliceKind::python) == trace.slices.kind.end()) {
    table.notes.emplace_back(msg::trace_has_no_python_functions);
  }
  return table;
}

constexpr TableKind<RangeParts> kPythonTable{
    {.name = "python",
     .title = msg::python_functions,
     .heading = msg::cpu,
     .about = msg::about_python,
     .keys = kPythonKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return python_table(parts.trace(), python_rows(parts.trace(), parts.range(), stop));
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      const NameId name = parts.trace().name(query.example);
      std::vector<SliceId> found;
      for_each_slice(parts.trace(), parts.range(), SliceKind::python, stop, [&](SliceId slice) {
        if (parts.trace().name(slice) == name) found.push_back(slice);
      });
      return found;
    }};

}  // namespace kino
