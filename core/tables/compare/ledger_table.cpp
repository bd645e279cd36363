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
#include "core/tables/compare/run_record.hpp"
#include "core/tables/compare/time_attribution.hpp"
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
  std::int64_t unlaunched_ns = 0;  ///< idle time before work whose launch is not in the trace; not part of
                                   ///< `causes`
  HostTimes host{};
};

struct CauseColumn {
  TimeCategory cause;
  const char* key;
  msg::Id title;
  msg::Id about;
};
constexpr std::array kColumns{
    CauseColumn{TimeCategory::compute, "compute_ns", msg::compute, msg::a_kernel_computes},
    CauseColumn{TimeCategory::comm, "comm_ns", msg::exposed_communication, msg::cause_communication_meaning},
    CauseColumn{TimeCategory::copy, "copy_ns", msg::copies, msg::cause_copy_meaning},
    CauseColumn{TimeCategory::idle_loader, "idle_loader_ns", msg::idle_data_loader,
                msg::cause_data_loader_meaning},
    CauseColumn{TimeCategory::idle_host, "idle_host_ns", msg::idle_host_late, msg::cause_host_late_meaning},
    CauseColumn{TimeCategory::idle_launch, "idle_launch_ns", msg::idle_launch, msg::cause_launch_meaning},
    CauseColumn{TimeCategory::idle_tail, "idle_tail_ns", msg::idle_after_the_last_work,
                msg::cause_tail_meaning},
    CauseColumn{TimeCategory::cpu, "cpu_ns", msg::cpu, msg::cause_cpu_meaning},
};
static_assert(kColumns.size() == kTimeCategoryCount);

struct HostColumn {
  HostCause cause;
  const char* key;
  msg::Id title;
  msg::Id about;
};
/// Columns for parts of idle_host_ns. The rest of idle_host_ns has none of these causes.
constexpr std::array kHostColumns{
    HostColumn{HostCause::synchronize, "idle_host_sync_ns", msg::host_synchronization,
               msg::host_synchronization_meaning},
    HostColumn{HostCause::allocate, "idle_host_malloc_ns", msg::host_driver_memory,
               msg::host_driver_memory_meaning},
    HostColumn{HostCause::collect, "idle_host_gc_ns", msg::host_garbage_collection,
               msg::host_garbage_collection_meaning},
    HostColumn{HostCause::lock, "idle_host_lock_ns", msg::host_lock, msg::host_lock_meaning},
};

/// Determines the causes whose events were recorded. Times of other causes are unknown instead of 0.
class KnownCauses {
 public:
  KnownCauses(const Trace& trace, const TimeAttribution& ledger, const std::stop_token& stop)
      : recorded_(recorded_kinds(trace, stop)), of_gpu_(ledger.of_gpu()) {
    const bool on_gpu = std::ranges::any_of(
        ledger.items(), [&](SliceId item) { return trace.kind(item) == SliceKind::communication; });
    communication_on_cpu_ = !on_gpu && !cpu_collectives(trace, stop).empty();
    for (const std::string_view name : trace.names) {
      collects_ = collects_ || is_garbage_collection(name);
      locks_ = locks_ || is_lock_wait(name);
    }
  }

  bool of_gpu() const { return of_gpu_; }
  bool has(TimeCategory cause) const {
    if (!of_gpu_) return cause == TimeCategory::cpu;
    switch (cause) {
      case TimeCategory::compute:
        return recorded_.kernels;
      case TimeCategory::comm:
        return recorded_.kernels && !communication_on_cpu_;
      case TimeCategory::idle_loader:
        return recorded_.operators;
      case TimeCategory::idle_host:
      case TimeCategory::idle_launch:
        return recorded_.launches;
      default:
        return true;
    }
  }
  bool has(HostCause cause) const {
    if (!of_gpu_ || !recorded_.launches) return false;
    switch (cause) {
      case HostCause::synchronize:
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
  bool communication_on_cpu_ = false;  // whether collectives run on CPU threads, and on no GPU
  bool collects_ = false;
  bool locks_ = false;
};

/// Returns notes on traces without GPU work or without steps, and on idle time before work whose launch is
/// not in the trace.
std::vector<Message> notes_of(const std::vector<LedgerRow>& rows, const KnownCauses& known) {
  std::vector<Message> notes;
  if (rows.empty()) return notes;
  const bool marked = rows.front().slice != kNoSlice;
  if (!known.of_gpu()) {
    notes.emplace_back(marked ? msg::no_gpu_work_times_of_step_thread
                              : msg::no_gpu_work_times_of_busiest_thread);
  }
  if (!marked) {
    notes.emplace_back(known.of_gpu() ? msg::no_steps_row_covers_device_window
                                      : msg::no_steps_row_covers_thread);
  }
  std::int64_t unlaunched_ns = 0;
  for (const LedgerRow& row : rows) add_saturating(unlaunched_ns, row.unlaunched_ns);
  if (unlaunched_ns > 0) {
    notes.emplace_back(msg::idle_time_before_unlaunched_work, text_from_duration(unlaunched_ns));
  }
  return notes;
}

/// Returns the rows: the steps clipped to the range. If there are no steps, the extent of the work is the
/// only row.
std::vector<LedgerRow> rows_of(const RangeParts& parts, const TimeAttribution& ledger, const HostCauses& host,
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
    ledger.for_each(part, [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory cause, SliceId next) {
      const bool unlaunched =
          cause == TimeCategory::idle_host && next != kNoSlice && parts.trace().link(next) == kNoSlice;
      (unlaunched ? row.unlaunched_ns : row.causes[static_cast<std::size_t>(cause)]) += end_ns - begin_ns;
    });
    row.host = host.times(part, row.causes[static_cast<std::size_t>(TimeCategory::idle_host)]);
  };
  const Steps steps = find_steps(parts.trace(), stop);
  for (const Step& step : steps.steps) add(std::to_string(step.number), step.slice, step.range);
  if (steps.steps.empty()) add({}, kNoSlice, ledger.extent());
  return rows;
}

}  // namespace

Table ledger_step_table(const RangeParts& parts, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  // As in other tables of the trace, all SliceKind::communication kernels count as communication.
  const TimeAttribution ledger(trace, attributed_thread(trace, stop), stop, AttributedCollectives::all);
  const KnownCauses known(trace, ledger, stop);
  const std::vector<LedgerRow> rows =
      rows_of(parts, ledger, HostCauses(trace, ledger, find_blocking_calls(trace, stop), stop), stop);
  Table table{.definition = msg::ledger_definition};
  table.texts_of(rows, "step", msg::step, msg::step_number_or_empty, &LedgerRow::name);
  table.integers_of(rows, "length_ns", msg::length, Unit::ns, msg::length_in_range,
                    [](const LedgerRow& row) { return row.range.length_ns(); });
  for (const CauseColumn& column : kColumns) {
    table.integers_of(rows, column.key, column.title, Unit::ns, column.about, [&](const LedgerRow& row) {
      return known.has(column.cause) ? row.causes[static_cast<std::size_t>(column.cause)] : kNoInteger;
    });
    if (column.cause != TimeCategory::idle_launch) continue;
    table.integers_of(rows, "idle_unlaunched_ns", msg::idle_launch_not_recorded, Unit::ns,
                      msg::idle_launch_not_in_trace,
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

}  // namespace kino
