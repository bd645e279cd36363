#include "core/compare/ledger_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/host_causes.hpp"
#include "core/compare/run_ledger.hpp"
#include "core/compare/run_record.hpp"
#include "core/relations/range_parts.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

struct LedgerRow {
  std::string name;  ///< of the step; empty: there are none
  SliceId slice = kNoSlice;
  TimeRange range;
  CauseTimes causes{};
  HostTimes host{};
};

constexpr std::string_view kKeys[] = {"step"};

struct CauseColumn {
  LedgerCause cause;
  const char* key;
  const char* title;
  const char* about;
};
constexpr std::array kColumns{
    CauseColumn{LedgerCause::compute, "compute_ns", "Compute", "A kernel computes"},
    CauseColumn{LedgerCause::comm, "comm_ns", "Exposed communication",
                "None computes, and a collective runs"},
    CauseColumn{LedgerCause::copy, "copy_ns", "Copies", "Neither, and a copy or memset runs"},
    CauseColumn{LedgerCause::idle_loader, "idle_loader_ns", "Idle: data loader",
                "Nothing runs, and the data loader is at work before the call that launches the next work"},
    CauseColumn{LedgerCause::idle_host, "idle_host_ns", "Idle: host late",
                "Nothing runs, and the call that launches the next work has not begun"},
    CauseColumn{LedgerCause::idle_launch, "idle_launch_ns", "Idle: launch",
                "Nothing runs, and that call has begun"},
    CauseColumn{LedgerCause::idle_tail, "idle_tail_ns", "Idle: after the last work",
                "Nothing runs, and no GPU work follows"},
    CauseColumn{LedgerCause::cpu, "cpu_ns", "CPU", "Of a trace without GPU work: all of it"},
};
static_assert(kColumns.size() == kLedgerCauseCount);

struct HostColumn {
  HostCause cause;
  const char* key;
  const char* title;
  const char* about;
};
/// What is left of idle_host_ns is of none of them.
constexpr std::array kHostColumns{
    HostColumn{HostCause::synchronise, "idle_host_sync_ns", "Host: synchronising",
               "Of the idle time for which the host is late: in a call that waits for the GPU"},
    HostColumn{HostCause::allocate, "idle_host_malloc_ns", "Host: driver's memory",
               "Of it: in a call that gets memory from the driver, or gives it back"},
    HostColumn{HostCause::collect, "idle_host_gc_ns", "Host: garbage collection",
               "Of it: in Python's garbage collection, where the recording shows it"},
    HostColumn{HostCause::lock, "idle_host_lock_ns", "Host: lock",
               "Of it: waiting for another thread, where the recording shows it"},
};

/// Steps as far as they lie in the range; without steps what of the work does.
std::vector<LedgerRow> rows_of(const RangeParts& parts, const RunLedger& ledger, const HostCauses& host,
                               const std::stop_token& stop) {
  std::vector<LedgerRow> rows;
  const TimeRange range = parts.range();
  const auto add = [&](std::string name, SliceId slice, TimeRange of) {
    of.begin_ns = std::max(of.begin_ns, range.begin_ns);
    of.end_ns = std::min(of.end_ns, range.end_ns);
    if (of.end_ns > of.begin_ns) {
      const CauseTimes causes = ledger.times(of);
      rows.push_back({std::move(name), slice, of, causes,
                      host.times(of, causes[static_cast<std::size_t>(LedgerCause::idle_host)])});
    }
  };
  const Steps steps = find_steps(parts.trace(), stop);
  for (const Step& step : steps.steps) add(std::to_string(step.number), step.slice, step.range);
  if (steps.steps.empty()) add({}, kNoSlice, ledger.extent());
  return rows;
}

Table ledger_table(const RangeParts& parts, const TableAsked& /*asked*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const RunLedger ledger(trace, ledger_thread(trace, stop), stop);
  const std::vector<LedgerRow> rows =
      rows_of(parts, ledger, HostCauses(trace, ledger, calls_that_hold_up(trace, stop), stop), stop);
  Table table;
  table.name = kLedgerTable.name;
  table.title = kLedgerTable.title;
  table.definition =
      "Each ns of a step has one cause, so the causes add up to the step. A busy moment is compute before "
      "communication before copies; an idle one is told by what launches the next work. Idle: launch begins "
      "with that call; launch gaps in the findings begin when it has returned. Steps are as they are marked "
      "on the CPU, of all GPUs together.";
  table.texts_of(rows, "step", "Step", "Its number; empty in a trace without steps",
                 [](const LedgerRow& row) { return row.name; });
  table.integers_of(rows, "length_ns", "Length", Unit::ns, "As far as it lies in the range",
                    [](const LedgerRow& row) { return row.range.length_ns(); });
  for (const CauseColumn& column : kColumns) {
    table.integers_of(rows, column.key, column.title, Unit::ns, column.about, [&](const LedgerRow& row) {
      return row.causes[static_cast<std::size_t>(column.cause)];
    });
  }
  for (const HostColumn& column : kHostColumns) {
    table.integers_of(rows, column.key, column.title, Unit::ns, column.about,
                      [&](const LedgerRow& row) { return row.host[static_cast<std::size_t>(column.cause)]; });
  }
  for (const LedgerRow& row : rows) table.links.emplace_back(row.slice);
  return table;
}

}  // namespace

constexpr TableKind kLedgerTable{.name = "ledger",
                                 .title = "Where steps went",
                                 .heading = "Whole trace",
                                 .about = "Each ns of a step by one cause: work, or why the GPU idles",
                                 .keys = kKeys,
                                 .compute = &ledger_table};

}  // namespace kino
