// Where each moment of a run went: one cause a ns, so that the causes of any stretch add up to its length.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// In the order in which tables list them, which is that of their names.
enum class LedgerCause : std::uint8_t {
  comm,
  compute,
  copy,
  cpu,  ///< of a trace without GPU work: what the step's thread does
  idle_host,
  idle_launch,
  idle_loader,
  idle_tail,
};
inline constexpr std::size_t kLedgerCauseCount = static_cast<std::size_t>(LedgerCause::idle_tail) + 1;
/// "comm", "idle:host", ...
std::string_view text_of(LedgerCause cause);
std::optional<LedgerCause> ledger_cause_named(std::string_view name);
constexpr bool is_idle(LedgerCause cause) { return cause >= LedgerCause::idle_host; }

/// Whether a kernel of this name is a collective to the ledger: the libraries' own, and not also every kernel
/// that moves something between ranks, as is SliceKind::communication. O(length).
bool is_ledger_collective(std::string_view kernel);

/// The kernels that count as communication.
enum class LedgerCollectives : std::uint8_t {
  of_libraries,  ///< is_ledger_collective(): the definition that comparisons, gates and stored records share
  all,           ///< SliceKind::communication: also those of the program itself and of XLA
};

using CauseTimes = std::array<std::int64_t, kLedgerCauseCount>;

/// A stretch of one cause, up to where the next one begins.
struct LedgerPart {
  std::int64_t begin_ns = 0;
  SliceId slice = kNoSlice;  ///< what has it; of an idle part what ends it, of the CPU the innermost event
  LedgerCause cause = LedgerCause::idle_tail;
};

/// The parts of a trace, in order of time. Immutable; does not refer to the trace.
class RunLedger {
 public:
  RunLedger() = default;
  /// Of all GPUs of the trace together; without GPU work, or if `cpu` is set, of a thread: each moment
  /// belongs to its innermost operator, annotation or call. Before the first and behind the last part nothing
  /// is known of the CPU; a GPU is idle there. O(work log streams). Empty when stopped.
  explicit RunLedger(const Trace& trace, std::optional<TrackId> cpu = std::nullopt,
                     const std::stop_token& stop = {},
                     LedgerCollectives communication = LedgerCollectives::of_libraries);

  bool of_gpu() const { return of_gpu_; }
  const std::vector<LedgerPart>& parts() const { return parts_; }
  /// All GPU work, or all events of the thread, in order of start.
  const std::vector<SliceId>& items() const { return items_; }
  /// From the first GPU work to the end of the last; of the thread likewise.
  TimeRange extent() const { return extent_; }

  /// Calls body(begin_ns, end_ns, cause, slice) for the parts of `window`, in order; they fill it. O(log
  /// parts
  /// + parts in it).
  template <class Body>
  void for_each(TimeRange window, Body&& body) const {
    std::size_t at = first_at(window.begin_ns);
    std::int64_t from_ns = window.begin_ns;
    while (from_ns < window.end_ns) {
      const LedgerPart& part = at < parts_.size() ? parts_[at] : nothing_;
      const std::int64_t next_ns = at + 1 < parts_.size() ? parts_[at + 1].begin_ns : window.end_ns;
      const std::int64_t to_ns = next_ns < window.end_ns ? next_ns : window.end_ns;
      if (to_ns > from_ns) body(from_ns, to_ns, part.cause, part.slice);
      from_ns = to_ns > from_ns ? to_ns : from_ns;
      ++at;
    }
  }
  /// They add up to the window's length.
  CauseTimes times(TimeRange window) const;

 private:
  /// The part that covers a time.
  std::size_t first_at(std::int64_t time_ns) const;
  void add(std::int64_t begin_ns, LedgerCause cause, SliceId slice);
  friend class GpuLedgerSweep;
  friend class CpuLedgerSweep;

  std::vector<LedgerPart> parts_;  // the first begins before any window
  std::vector<SliceId> items_;
  LedgerPart nothing_;
  TimeRange extent_;
  bool of_gpu_ = false;
};

/// Merged intervals of the calls of the data loader on any thread: what idle:loader is within. O(slices).
std::vector<TimeRange> loader_intervals(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
