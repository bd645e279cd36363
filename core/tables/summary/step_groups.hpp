// Groups of the time of a step, for charts: sums of rows of the ledger, or the roles of the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/compare/step_rows.hpp"
#include "core/tables/gpu/step_breakdown.hpp"

namespace kino {

/// Groups in the order of charts. The last four are for traces without GPU work.
enum class StepGroup : std::uint8_t {
  compute,  ///< kernels, except those of the next two groups
  recompute,
  optimizer,
  communication,  ///< exposed communication
  copy,           ///< exposed copies and memsets
  idle_loader,    ///< StepRow::idle_loader
  idle_late,      ///< the launch is late: StepRow::idle_dispatch, _python, _silent and _lock
  idle_sync,      ///< StepRow::idle_sync
  idle_memory,    ///< StepRow::idle_malloc
  idle_gc,        ///< StepRow::idle_gc
  idle_launch,    ///< StepRow::idle_launch
  idle_bubble,    ///< StepRow::idle_bubble
  idle_unknown,   ///< StepRow::idle_unknown
  idle_tail,      ///< StepRow::idle_tail
  operators,      ///< operators and annotations of the CPU
  loader,         ///< data loader, on the CPU
  calls,          ///< calls of the runtime and the driver
  no_events,      ///< none of the groups above
};
inline constexpr std::size_t kStepGroupCount = static_cast<std::size_t>(StepGroup::no_events) + 1;
constexpr bool is_idle(StepGroup group) {
  return (group >= StepGroup::idle_loader && group <= StepGroup::idle_tail) || group == StepGroup::no_events;
}
/// Returns the key, such as "idle_loader".
std::string_view text_of(StepGroup group);
/// Returns the title, such as "Idle: data loader".
msg::Id title_of(StepGroup group);

/// Time of each group, in ns.
class GroupTimes {
 public:
  std::int64_t& operator[](StepGroup group) { return ns_[static_cast<std::size_t>(group)]; }
  std::int64_t operator[](StepGroup group) const { return ns_[static_cast<std::size_t>(group)]; }
  std::int64_t total() const;
  bool operator==(const GroupTimes&) const = default;

 private:
  std::array<std::int64_t, kStepGroupCount> ns_{};
};

/// Returns the group that contains a row.
StepGroup group_of(StepRow row);
/// Returns the sums of the rows by group.
GroupTimes group_times(const StepTimes& rows);
/// Returns the times of the roles by group.
GroupTimes group_times(const TimeBreakdown& roles);

/// Returns the row of the ledger that usually contains most of the time of such a finding; nullopt if the
/// finding does not correspond to a row.
std::optional<StepRow> ledger_row_of(FindingKind kind);

}  // namespace kino
