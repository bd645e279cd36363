// Time of each training step by role: each moment belongs to the first role active in it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

/// Roles of the TensorBoard plugin (README.md, Steps) in order of precedence, with three differences.
/// Communication is recognized by kernel name. Calls of the driver belong to `runtime`. Annotations on the
/// GPU are not CPU work.
enum class StepRole : std::uint8_t {
  compute,
  communication,  ///< exposed: no concurrent compute
  memcpy,
  memset,
  runtime,       ///< calls of the runtime and the driver
  data_loading,  ///< enumerate(DataLoader), enumerate(DataPipe)
  cpu,           ///< other operators and annotations; Python frames are ignored, since they enclose
                 ///< everything
  idle,          ///< none of the roles above
};
inline constexpr std::size_t kStepRoleCount = static_cast<std::size_t>(StepRole::idle) + 1;
/// Returns the key, such as "data_loading".
std::string_view text_of(StepRole role);
/// Returns the display name: "data loading". StepRole::idle is called "no operator or runtime call", since
/// the GPU may be idle during other roles and Python functions may run during this one.
msg::Id shown_name(StepRole role);
/// Whether the events of a role were recorded. Otherwise the time of the role is unknown instead of 0.
bool is_recorded(StepRole role, const RecordedKinds& kinds);

/// Times by role in ns. They add up to the window's length, unless known() is false.
struct TimeBreakdown {
  TimeRange window;
  std::array<std::int64_t, kStepRoleCount> role_ns{};
  std::int64_t hidden_communication_ns = 0;  ///< communication during compute; part of the compute time
  /// Whether collectives run on CPU threads and none on a GPU. Other operators run at the same time, so the
  /// time of these collectives is not a role.
  bool communication_on_cpu = false;
  /// Roles whose kinds were not recorded are unknown and have time 0: see is_recorded().
  RecordedKinds recorded;
  /// False if the trace has no operator, annotation, runtime call or GPU work. The times of all roles,
  /// including idle, are then 0.
  bool known() const {
    return window.length_ns() <= 0 || role_ns != std::array<std::int64_t, kStepRoleCount>{};
  }
  std::int64_t operator[](StepRole role) const { return role_ns[static_cast<std::size_t>(role)]; }
};

/// Determines the role of each moment of a trace. The windows passed to split() may overlap.
class SliceRoles {
 public:
  SliceRoles() = default;
  /// Collects the intervals of all roles. The object does not refer to the trace afterwards. It takes about 6
  /// bytes per merged interval, see BusyLine. O(slices), in one thread.
  explicit SliceRoles(const Trace& trace, const std::stop_token& stop = {});

  /// Returns the times by role within the window. O(log slices).
  TimeBreakdown split(TimeRange window) const;

 private:
  std::array<BusyLine, kStepRoleCount - 1> own_;  // by role
  BusyLine communication_;                        // includes communication during compute
  bool communication_on_cpu_ = false;
  RecordedKinds recorded_;
};

/// A step as it is marked, and the work it launched.
struct StepWindow {
  std::string name;          ///< step number, or "0" for a trace without steps
  SliceId slice = kNoSlice;  ///< the annotation on the CPU
  /// Range of the annotation. In a trace without steps, the range of the GPU work. Without GPU work, the
  /// range of the operators, and without operators the range of all events.
  TimeRange range;
  std::int64_t work_end_ns = kNoInteger;  ///< end of the last GPU work that the step launched
  /// Number of kernels, copies and memsets that the step launched. In a trace without steps, the number of
  /// those with a recorded launch.
  std::uint64_t gpu_work = 0;
  bool operators = true;        ///< whether there are operators, for a trace without steps
  bool complete = true;         ///< false for last steps with missing GPU work
  StepUse use = StepUse::used;  ///< whether figures of the whole trace include the step
  double unlaunched = 0;        ///< share of the step's GPU time without a recorded launch
  EarlierWork earlier;          ///< GPU work in the step's range that was launched before the range
  /// Range of the step in the TensorBoard plugin (README.md, Steps). A step ends with its last GPU work, and
  /// the next step starts there. The first step starts when GPU work launched before it has ended. In a trace
  /// without steps, the range from the first operator to the last, extended to the end of its GPU work.
  /// Without operators, the range of the GPU work. The ranges are disjoint and in order.
  TimeRange tensorboard;

  /// False for the row of a trace without steps.
  bool marked() const { return slice != kNoSlice; }
};

/// Returns the steps, at least one. Incomplete steps, which the plugin omits, have `complete` set to false.
/// O(slices).
std::vector<StepWindow> step_windows(const Trace& trace, const Steps& steps,
                                     const std::stop_token& stop = {});

/// Returns sentences on why step marks do not match the GPU work. There are three cases. Another process
/// launches the work. The CPU runs ahead of the GPU, so a step's work ends long after its mark. One of few
/// steps starts with much work launched earlier. Empty if no case applies.
std::vector<Message> mark_notes(const Trace& trace, const std::vector<StepWindow>& steps);

struct StepBreakdown : StepWindow {
  TimeBreakdown split;  ///< times by role within `range`

  /// Whether tables list the row. False if the trace has neither steps nor events of any role.
  bool listed() const { return marked() || (split.known() && !split.recorded.has_no_roles()); }
  /// Returns the time of the role. Returns nullopt if its events were not recorded. For communication, also
  /// returns nullopt if collectives run on CPU threads concurrently with other work.
  std::optional<std::int64_t> known_ns(StepRole role) const;
  std::optional<std::int64_t> known_hidden_communication_ns() const;
  std::optional<std::int64_t> known_gpu_work() const;
};
std::vector<StepBreakdown> break_down_steps(const std::vector<StepWindow>& steps, const SliceRoles& roles);
/// Computes step windows, roles and breakdowns from the trace.
std::vector<StepBreakdown> step_rows(const Trace& trace, const Steps& steps,
                                     const std::stop_token& stop = {});

/// Table `steps`: one row per step. A trace without steps has one row, or none if no role is recorded.
Table step_table(const std::vector<StepBreakdown>& all);

extern const TableKind<GpuParts> kStepTable;

}  // namespace kino
