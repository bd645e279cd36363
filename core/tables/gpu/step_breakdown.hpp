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
/// Communication is recognized by kernel name. Launches of the driver are runtime. Annotations on the GPU are
/// not CPU work.
enum class StepRole : std::uint8_t {
  compute,
  communication,  ///< exposed: no concurrent compute
  memcpy,
  memset,
  runtime,       ///< calls of the runtime and the driver
  data_loading,  ///< enumerate(DataLoader), enumerate(DataPipe)
  cpu,           ///< other operators and annotations; Python frames are ignored, since they surround
                 ///< everything
  idle,          ///< none of these
};
inline constexpr std::size_t kStepRoleCount = static_cast<std::size_t>(StepRole::idle) + 1;
/// Key: "data_loading".
std::string_view text_of(StepRole role);
/// Display name: "data loading". The last role is "no operator or call": the GPU may be idle during other
/// roles, and Python functions may run during this one.
msg::Id shown_name(StepRole role);
/// Whether the recording has the events of a role. Otherwise its time is unknown instead of 0.
bool is_recorded(StepRole role, const RecordedKinds& kinds);

/// Times by role in ns. They add up to the window's length, unless nothing is known.
struct TimeBreakdown {
  TimeRange window;
  std::array<std::int64_t, kStepRoleCount> role_ns{};
  std::int64_t hidden_communication_ns = 0;  ///< during compute; part of the compute time
  /// Collectives run on CPU threads beside other operators, and none on a GPU. Their time is not a role.
  bool communication_on_cpu = false;
  /// Roles whose kinds were not recorded are unknown and have time 0: see is_recorded().
  RecordedKinds recorded;
  /// False if the trace has no operator, annotation, runtime call or GPU work. All parts, including idle, are
  /// then 0.
  bool known() const {
    return window.length_ns() <= 0 || role_ns != std::array<std::int64_t, kStepRoleCount>{};
  }
  std::int64_t operator[](StepRole role) const { return role_ns[static_cast<std::size_t>(role)]; }
};

/// Role of each moment of a trace. Windows may overlap.
class SliceRoles {
 public:
  SliceRoles() = default;
  /// Does not refer to the trace later. O(slices), in one thread; at most 24 bytes per outermost slice,
  /// runtime call and piece of GPU work.
  explicit SliceRoles(const Trace& trace, const std::stop_token& stop = {});

  /// O(log slices).
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
  /// Range of the annotation. Without steps: from the first to the last GPU work, else operator, else event.
  TimeRange range;
  std::int64_t work_end_ns = kNoInteger;  ///< end of the last GPU work it launched
  /// Number of kernels, copies and memsets it launched. Without steps: those with a recorded launch.
  std::uint64_t gpu_work = 0;
  bool operators = true;        ///< without steps: whether there are operators
  bool complete = true;         ///< false for last steps with missing GPU work
  StepUse use = StepUse::used;  ///< whether figures of the whole trace include it
  double unlaunched = 0;        ///< share of its GPU time without a recorded launch
  EarlierWork earlier;          ///< GPU work in its range that was launched before
  /// Step of the TensorBoard plugin (README.md, Steps). It ends with its last GPU work, and the next one
  /// begins there. The first begins when GPU work launched before it has ended. Without steps: from the first
  /// operator to the last, or to the end of its GPU work. Disjoint and in order.
  TimeRange tensorboard;

  /// False for the row of a trace without steps.
  bool marked() const { return slice != kNoSlice; }
};

/// Incomplete steps are marked (the plugin omits them). Returns at least one step. O(slices).
std::vector<StepWindow> step_windows(const Trace& trace, const Steps& steps,
                                     const std::stop_token& stop = {});

/// Sentences on limits of step marks for GPU work. Cases: another process launches the work; the CPU runs
/// ahead of the GPU, so a step's work ends long after its mark; or one of few steps begins with much earlier
/// work. Empty without GPU work or steps.
std::vector<Message> mark_notes(const Trace& trace, const std::vector<StepWindow>& steps);

struct StepBreakdown : StepWindow {
  TimeBreakdown split;  ///< split of its range

  /// False for the row of a trace without steps or events of any role: tables omit it.
  bool listed() const { return marked() || (split.known() && !split.recorded.has_no_roles()); }
  /// nullopt if the events were not recorded, or collectives run on CPU threads beside other work.
  std::optional<std::int64_t> known_ns(StepRole role) const;
  std::optional<std::int64_t> known_hidden_communication_ns() const;
  std::optional<std::int64_t> known_gpu_work() const;
};
std::vector<StepBreakdown> break_down_steps(const std::vector<StepWindow>& steps, const SliceRoles& roles);
/// Computes everything from the trace.
std::vector<StepBreakdown> step_rows(const Trace& trace, const Steps& steps,
                                     const std::stop_token& stop = {});

/// Table `steps`: one row per step. A trace without steps has one row, or none if no role is recorded.
Table step_table(const std::vector<StepBreakdown>& all);

extern const TableKind<GpuParts> kStepTable;

}  // namespace kino
