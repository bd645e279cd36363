#include "core/tables/summary/step_groups.hpp"

#include <numeric>

namespace kino {

std::string_view text_of(StepGroup group) {
  constexpr std::array<std::string_view, kStepGroupCount> kNames{
      "compute",      "recompute", "optimizer",   "communication", "copy",        "idle_loader",
      "idle_late",    "idle_sync", "idle_memory", "idle_gc",       "idle_launch", "idle_bubble",
      "idle_unknown", "idle_tail", "operators",   "loader",        "calls",       "no_events"};
  return kNames[static_cast<std::size_t>(group)];
}

msg::Id title_of(StepGroup group) {
  constexpr std::array<msg::Id, kStepGroupCount> kTitles{
      msg::group_compute,    msg::row_recompute,   msg::row_optimizer,   msg::group_communication,
      msg::row_copy,         msg::row_idle_loader, msg::group_idle_late, msg::row_idle_sync,
      msg::row_idle_malloc,  msg::row_idle_gc,     msg::row_idle_launch, msg::row_idle_bubble,
      msg::row_idle_unknown, msg::row_idle_tail,   msg::group_operators, msg::group_loader,
      msg::group_calls,      msg::group_no_events};
  return kTitles[static_cast<std::size_t>(group)];
}

std::int64_t GroupTimes::total() const { return std::accumulate(ns_.begin(), ns_.end(), std::int64_t{0}); }

StepGroup group_of(StepRow row) {
  switch (row) {
    case StepRow::recompute:
      return StepGroup::recompute;
    case StepRow::optimizer:
      return StepGroup::optimizer;
    case StepRow::comm_waiting:
    case StepRow::comm_moving:
    case StepRow::comm_unsplit:
    case StepRow::comm_p2p:
      return StepGroup::communication;
    case StepRow::copy:
      return StepGroup::copy;
    case StepRow::idle_launch:
      return StepGroup::idle_launch;
    case StepRow::idle_loader:
      return StepGroup::idle_loader;
    case StepRow::idle_sync:
      return StepGroup::idle_sync;
    case StepRow::idle_malloc:
      return StepGroup::idle_memory;
    case StepRow::idle_gc:
      return StepGroup::idle_gc;
    case StepRow::idle_lock:
    case StepRow::idle_dispatch:
    case StepRow::idle_python:
    case StepRow::idle_silent:
      return StepGroup::idle_late;
    case StepRow::idle_bubble:
      return StepGroup::idle_bubble;
    case StepRow::idle_unknown:
      return StepGroup::idle_unknown;
    case StepRow::idle_tail:
      return StepGroup::idle_tail;
    default:
      return StepGroup::compute;
  }
}

GroupTimes group_times(const StepTimes& rows) {
  GroupTimes times;
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    times[group_of(row)] += rows[row];
  }
  return times;
}

GroupTimes group_times(const TimeBreakdown& roles) {
  GroupTimes times;
  times[StepGroup::compute] = roles[StepRole::compute];
  times[StepGroup::communication] = roles[StepRole::communication];
  times[StepGroup::copy] = roles[StepRole::memcpy] + roles[StepRole::memset];
  times[StepGroup::operators] = roles[StepRole::cpu];
  times[StepGroup::loader] = roles[StepRole::data_loading];
  times[StepGroup::calls] = roles[StepRole::runtime];
  times[StepGroup::no_events] = roles[StepRole::idle];
  return times;
}

std::optional<StepRow> ledger_row_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::data_loading:
      return StepRow::idle_loader;
    case FindingKind::launch_bound:
      return StepRow::idle_dispatch;
    case FindingKind::launch_gaps:
      return StepRow::idle_launch;
    case FindingKind::waiting:
      return StepRow::idle_sync;
    case FindingKind::driver_memory:
      return StepRow::idle_malloc;
    case FindingKind::garbage_collection:
      return StepRow::idle_gc;
    case FindingKind::exposed_communication:
      return StepRow::comm_unsplit;
    case FindingKind::copies:
      return StepRow::copy;
    case FindingKind::recompute:
      return StepRow::recompute;
    default:
      return std::nullopt;
  }
}

}  // namespace kino
