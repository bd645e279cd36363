#include "core/tables/compare/ledger_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/host_words.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/run_ledger.hpp"
#include "core/tables/compare/run_record.hpp"
#include "core/tables/gpu/cpu_collectives.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/links/recorded_kinds.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

struct LedgerRow {
  std::string name;  ///< step number; empty for a trace without steps
  SliceId slice = kNoSlice;
  TimeRange range;
  CauseTimes causes{};
  std::int64_t unlaunched_ns = 0;  ///< idle before work whose launch is not in the trace; not in `causes`
  HostTimes host{};
};

constexpr std::string_view kKeys[] = {"step"};

struct CauseColumn {
  LedgerCause cause;
  const char* key;
  msg::Id title;
  msg::Id about;
};
constexpr std::array kColumns{
    CauseColumn{LedgerCause::compute, "compute_ns", msg::compute, msg::a_kernel_computes},
    CauseColumn{LedgerCause::comm, "comm_ns", msg::exposed_communication,
                msg::none_computes_and_a_collective_runs},
    CauseColumn{LedgerCause::copy, "copy_ns", msg::copies, msg::neither_and_a_copy_or_memset},
    CauseColumn{LedgerCause::idle_loader, "idle_loader_ns", msg::idle_data_loader,
                msg::nothing_runs_and_the_data_loader},
    CauseColumn{LedgerCause::idle_host, "idle_host_ns", msg::idle_host_late,
                msg::nothing_runs_and_the_call_that},
    CauseColumn{LedgerCause::idle_launch, "idle_launch_ns", msg::idle_launch,
                msg::nothing_runs_and_that_call_has},
    CauseColumn{LedgerCause::idle_tail, "idle_tail_ns", msg::idle_after_the_last_work,
                msg::nothing_runs_and_no_gpu_work},
    CauseColumn{LedgerCause::cpu, "cpu_ns", msg::cpu, msg::of_a_trace_without_gpu_work},
};
static_assert(kColumns.size() == kLedgerCauseCount);

struct HostColumn {
  HostCause cause;
  const char* key;
  msg::Id title;
  msg::Id about;
};
/// The rest of idle_host_ns has none of these causes.
constexpr std::array kHostColumns{
    HostColumn{HostCause::synchronise, "idle_host_sync_ns", msg::host_synchronising,
               msg::of_the_idle_time_for_which},
    HostColumn{HostCause::allocate, "idle_host_malloc_ns", msg::host_drivers_memory,
               msg::of_it_in_a_call_that},
    HostColumn{HostCause::collect, "idle_host_gc_ns", msg::host_garbage_collection,
               msg::of_it_in_pythons_garbage_collection},
    HostColumn{HostCause::lock, "idle_host_lock_ns", msg::host_lock, msg::of_it_waiting_for_another_thread},
};

/// Causes with recorded events. Times of other causes are unknown instead of 0.
class KnownCauses {
 public:
  KnownCauses(const Trace& trace, const RunLedger& ledger, const std::stop_token& stop)
      : recorded_(recorded_kinds(trace, stop)), of_gpu_(ledger.of_gpu()) {
    const bool on_gpu = std::ranges::any_of(
        ledger.items(), [&](SliceId item) { return trace.kind(item) == SliceKind::communication; });
    communication_on_cpu_ = !on_gpu && !cpu_collectives(trace, stop).empty();
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      collects_ = collects_ || collects_garbage(trace.names[i]);
      locks_ = locks_ || waits_for_lock(trace.names[i]);
    }
  }

  bool of_gpu() const { return of_gpu_; }
  bool has(LedgerCause cause) const {
    if (!of_gpu_) return cause == LedgerCause::cpu;
    switch (cause) {
      case LedgerCause::compute:
        return recorded_.kernels;
      case LedgerCause::comm:
        return recorded_.kernels && !communication_on_cpu_;
      case LedgerCause::idle_loader:
        return recorded_.operators;
      case LedgerCause::idle_host:
      case LedgerCause::idle_launch:
        return recorded_.launches;
      default:
        return true;
    }
  }
  bool has(HostCause cause) const {
    if (!of_gpu_ || !recorded_.launches) return false;
    switch (cause) {
      case HostCause::synchronise:
      case HostCause::allocate:
        return recorded_.calls;
      case HostCause::collect:
        return recorded_.python || collects_;
      case HostCause::lock:
        return recorded_.python || locks_;
      default:
        return true;
    }
  }

 private:
  RecordedKinds recorded_;
  bool of_gpu_ = false;
  bool communication_on_cpu_ = false;  // and on no GPU
  bool collects_ = false;
  bool locks_ = false;
};

/// Sentences on rows without step marks, on empty columns, and on idle time of unknown cause.
std::vector<Message> notes_of(const std::vector<LedgerRow>& rows, const KnownCauses& known) {
  std::vector<Message> notes;
  if (rows.empty()) return notes;
  const bool marked = rows.front().slice != kNoSlice;
  if (!known.of_gpu()) {
    notes.emplace_back(marked ? msg::no_gpu_work_was_recorded_the
                              : msg::no_gpu_work_was_recorded_the_time_is);
  }
  if (!marked) {
    notes.emplace_back(known.of_gpu() ? msg::this_trace_marks_no_steps_the
                                      : msg::this_trace_marks_no_steps_the_row_is_from_the);
  }
  std::int64_t unlaunched_ns = 0;
  for (const LedgerRow& row : rows) add_saturating(unlaunched_ns, row.unlaunched_ns);
  if (unlaunched_ns > 0) {
    notes.emplace_back(msg::of_idle_time_is_before_work, text_from_duration(unlaunched_ns));
  }
  return notes;
}

/// Steps clipped to the range; without steps the extent of the work.
std::vector<LedgerRow> rows_of(const RangeParts& parts, const RunLedger& ledger, const HostCauses& host,
                               const std::stop_token& stop) {
  std::vector<LedgerRow> rows;
  const TimeRange range = parts.range();
  const auto add = [&](std::string name, SliceId slice, TimeRange step) {
    const TimeRange part{std::max(step.begin_ns, range.begin_ns), std::min(step.end_ns, range.end_ns)};
    if (part.end_ns <= part.begin_ns) return;
    LedgerRow& row = rows.emplace_back();
    row.name = std::move(name);
    row.slice = slice;
    row.range = part;
    ledger.for_each(part, [&](std::int64_t begin_ns, std::int64_t end_ns, LedgerCause cause, SliceId next) {
      const bool unlaunched =
          cause == LedgerCause::idle_host && next != kNoSlice && parts.trace().link(next) == kNoSlice;
      (unlaunched ? row.unlaunched_ns : row.causes[static_cast<std::size_t>(cause)]) += end_ns - begin_ns;
    });
    row.host = host.times(part, row.causes[static_cast<std::size_t>(LedgerCause::idle_host)]);
  };
  const Steps steps = find_steps(parts.trace(), stop);
  for (const Step& step : steps.steps) add(std::to_string(step.number), step.slice, step.range);
  if (steps.steps.empty()) add({}, kNoSlice, ledger.extent());
  return rows;
}

Table ledger_table(const RangeParts& parts, const TableQuery& /*query*/, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  // Counts the same kernels as communication as other tables of the trace.
  const RunLedger ledger(trace, ledger_thread(trace, stop), stop, LedgerCollectives::all);
  const KnownCauses known(trace, ledger, stop);
  const std::vector<LedgerRow> rows =
      rows_of(parts, ledger, HostCauses(trace, ledger, calls_that_hold_up(trace, stop), stop), stop);
  Table table{.name = std::string(kLedgerTable.name),
              .title = kLedgerTable.title,
              .definition = msg::each_ns_of_a_step_has_one_cause};
  table.texts_of(rows, "step", msg::step, msg::its_number_empty_in_a_trace, &LedgerRow::name);
  table.integers_of(rows, "length_ns", msg::length, Unit::ns, msg::as_far_as_it_lies_in,
                    [](const LedgerRow& row) { return row.range.length_ns(); });
  for (const CauseColumn& column : kColumns) {
    table.integers_of(rows, column.key, column.title, Unit::ns, column.about, [&](const LedgerRow& row) {
      return known.has(column.cause) ? row.causes[static_cast<std::size_t>(column.cause)] : kNoInteger;
    });
    if (column.cause != LedgerCause::idle_launch) continue;
    table.integers_of(rows, "idle_unlaunched_ns", msg::idle_launch_not_recorded, Unit::ns,
                      msg::nothing_runs_and_the_launch_of,
                      [&](const LedgerRow& row) { return known.of_gpu() ? row.unlaunched_ns : kNoInteger; });
  }
  for (const HostColumn& column : kHostColumns) {
    table.integers_of(rows, column.key, column.title, Unit::ns, column.about, [&](const LedgerRow& row) {
      return known.has(column.cause) ? row.host[static_cast<std::size_t>(column.cause)] : kNoInteger;
    });
  }
  for (const LedgerRow& row : rows) table.links.emplace_back(row.slice);
  table.notes = notes_of(rows, known);
  return table;
}

}  // namespace

constexpr TableKind<RangeParts> kLedgerTable{{.name = "ledger",
                                              .title = msg::where_steps_went,
                                              .heading = msg::whole_trace,
                                              .about = msg::about_ledger,
                                              .keys = kKeys},
                                             &ledger_table};

}  // namespace kino
