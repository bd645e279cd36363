// What each training step's time went into: every moment belongs to the first role that is active in it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/recorded_kinds.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class GpuParts;

/// In order of precedence. The TensorBoard plugin's roles (README.md, Steps), except that communication is
/// what its kernels' names say, that launches of the driver are runtime too, and that annotations on the GPU
/// are no work of the CPU.
enum class StepRole : std::uint8_t {
  compute,
  communication,  ///< exposed: while nothing computes
  memcpy,
  memset,
  runtime,       ///< calls of the runtime and the driver
  data_loading,  ///< enumerate(DataLoader), enumerate(DataPipe)
  cpu,           ///< other operators and annotations; Python frames lie around everything and tell nothing
  idle,          ///< nothing of these
};
inline constexpr std::size_t kStepRoleCount = static_cast<std::size_t>(StepRole::idle) + 1;
/// The key: "data_loading".
std::string_view text_of(StepRole role);
/// For readers: "data loading". The last role is "no operator or call": the GPU is idle during other
/// roles, too, and Python functions may be recorded during this one.
msg::Id shown_name(StepRole role);
/// Whether the recording has the events of a role. Without them its time is unknown, and not 0.
bool is_recorded(StepRole role, const RecordedKinds& kinds);

/// The parts add up to the window's length, in ns, unless nothing is known.
struct TimeSplit {
  TimeRange window;
  std::array<std::int64_t, kStepRoleCount> role_ns{};
  std::int64_t hidden_communication_ns = 0;  ///< under compute; a part of that one
  /// Collectives run on CPU threads, beside operators of others, and none on a GPU: their time is no part.
  bool communication_on_cpu = false;
  /// Roles of other kinds are unknown, and their parts are 0: see is_recorded().
  RecordedKinds recorded;
  /// False if the trace has no operator, annotation, runtime call or GPU work at all. Idle is not what
  /// remains then, and all parts are 0.
  bool known() const {
    return window.length_ns() <= 0 || role_ns != std::array<std::int64_t, kStepRoleCount>{};
  }
  std::int64_t operator[](StepRole role) const { return role_ns[static_cast<std::size_t>(role)]; }
};

/// Which role has each moment of a trace. Times may be asked for of any windows, overlapping ones too.
class TimeRoles {
 public:
  TimeRoles() = default;
  /// Does not refer to the trace later. O(slices), in one thread; 24 bytes for each outermost slice, runtime
  /// call and piece of GPU work at most. Empty when stopped.
  explicit TimeRoles(const Trace& trace, const std::stop_token& stop = {});

  /// O(log slices).
  TimeSplit split(TimeRange window) const;

 private:
  std::array<BusyLine, kStepRoleCount - 1> own_;  // by role
  BusyLine communication_;                        // includes communication under compute
  bool communication_on_cpu_ = false;
  RecordedKinds recorded_;
};

/// A step as it is marked, and what it launched.
struct StepWindow {
  std::string name;          ///< the step's number, or "0" for a trace without steps
  SliceId slice = kNoSlice;  ///< the annotation on the CPU
  /// Of the annotation. Of a trace without steps: from the first to the last GPU work, or else operator, or
  /// else event.
  TimeRange range;
  std::int64_t work_end_ns = kNoInteger;  ///< when the last GPU work it launched ends
  /// Kernels, copies and memsets it launched. Of a trace without steps: those whose launch is in the trace.
  std::uint64_t gpu_work = 0;
  bool operators = true;        ///< of a trace without steps: it has some
  bool complete = true;         ///< false for last steps whose GPU work was not (all) recorded
  StepUse use = StepUse::used;  ///< whether figures of the whole trace are of it
  double unlaunched = 0;        ///< share of its GPU time whose launch is not in the trace
  EarlierWork earlier;          ///< GPU work in its range that was launched before
  /// The TensorBoard plugin's step (README.md, Steps): it goes on until its last GPU work ends, and the next
  /// one begins there; the first begins when GPU work launched before it has ended. Of a trace without steps:
  /// from the first operator to the last, or to the end of its GPU work. These are disjoint and in order.
  TimeRange tensorboard;

  /// False for the row of a trace without steps.
  bool marked() const { return slice != kNoSlice; }
};

/// The plugin leaves incomplete steps out; here they are marked. There is always a row. O(slices). Empty when
/// stopped.
std::vector<StepWindow> step_windows(const Trace& trace, const Steps& steps,
                                     const std::stop_token& stop = {});

/// Sentences on what marks of steps do not say about GPU work: that another process launches it, that the
/// CPU runs ahead of the GPU, so that a step's work ends long after its mark, or that one of few steps begins
/// with much work launched before. Empty without GPU work or steps.
std::vector<Message> mark_notes(const Trace& trace, const std::vector<StepWindow>& steps);

struct SplitStep : StepWindow {
  TimeSplit split;  ///< of its range

  /// False for the row of a trace without steps and without events of any role: tables leave it out.
  bool listed() const { return marked() || (split.known() && !split.recorded.none_of_roles()); }
  /// nullopt if the events were not recorded, or collectives run on CPU threads beside other work.
  std::optional<std::int64_t> known_ns(StepRole role) const;
  std::optional<std::int64_t> known_hidden_communication_ns() const;
  std::optional<std::int64_t> known_gpu_work() const;
};
std::vector<SplitStep> split_steps(const std::vector<StepWindow>& steps, const TimeRoles& roles);
/// The same from the trace alone.
std::vector<SplitStep> step_rows(const Trace& trace, const Steps& steps, const std::stop_token& stop = {});

/// `steps`: a row a step. A trace without steps has one row, or none if no role is recorded.
Table step_table(const std::vector<SplitStep>& all);

extern const TableKind<GpuParts> kStepTable;

}  // namespace kino
