// Data of the matching trace in a snapshot: kernels at a moment, and steps and GPU load above the plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/job/clock_fit.hpp"
#include "core/job/recording.hpp"
#include "core/trace/links/running_kernels.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/timeline/busy_profile.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// An open trace that matches a device of the snapshot, and the relation of their clocks.
struct MatchingTrace {
  std::shared_ptr<const Trace> trace;  ///< null: there is none
  RecordingId recording = kNoRecording;
  std::optional<ClockFit> clock;  ///< maps ns since the device's first entry to the trace's, if it has times
  std::optional<std::uint32_t> process;  ///< process of the device in the trace
  std::string file;                      ///< title of the trace's tab
  bool operator==(const MatchingTrace&) const = default;
};

/// The work of the trace at a moment.
struct RunMoment {
  RunningKernels kernels;
  std::optional<std::int64_t> step;  ///< number of the step at this moment
  SliceId slice = kNoSlice;          ///< slice that a click on the GPU row shows: the kernel, else the step
};

class MatchingTraceLane {
 public:
  MatchingTraceLane(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// Sets the matching traces: one per device of the snapshot.
  void set(std::vector<MatchingTrace> runs);
  /// Returns the trace of the shown device.
  const MatchingTrace& run() const { return run_; }
  /// Takes finished results. Sets the trace_rows, device_bytes and device_model of the state. Call once per
  /// frame, before state.place().
  void update(SnapshotState& state);
  /// Requests the GPU load of the visible range. Call after state.place().
  void look(const SnapshotState& state);
  /// Returns the work of the trace at the time of an event. If there is no trace, if the device has no times,
  /// or if the time is outside of the trace, returns nullopt.
  std::optional<RunMoment> at(const SnapshotState& state, EventIndex event) const;
  /// Returns the work at an event as text: "GPU: gemm, step 12". Empty if at() returns nullopt.
  std::string text_at(const SnapshotState& state, EventIndex event) const;
  /// Draws the lane into state.boxes.run, with a tooltip under the mouse. A click requests to show the kernel
  /// or step in the trace.
  void draw(ImDrawList& list, const SnapshotState& state, const Theme& theme);
  /// Draws a line of text in the current window: the work at the cursor, when the selected allocation was
  /// made, and at the peak.
  void draw_trace_line(const SnapshotState& state, const Theme& theme);
  /// If the trace contains work at an event, requests to show it.
  void go_to(const SnapshotState& state, EventIndex event);
  /// Returns the slice that was requested since the last call; SliceRef::slice is kNoSlice if there is none.
  SliceRef take_go_to() { return {run_.recording, std::exchange(go_to_, kNoSlice)}; }
  bool complete() const { return !steps_.running() && !busy_.running(); }

 private:
  struct Indexed {
    std::shared_ptr<const Trace> trace;
    BusyIndex index;
  };
  struct Busy {
    std::shared_ptr<const Indexed> indexed;
    TimeRange range;  ///< range in the trace, in ns
    BusyProfile profile;
  };

  void choose();
  /// Sets the capacity and the model of the device in the state if the trace contains the capacity, else
  /// clears both. If the trace lacks the model, sets the device's name.
  void note_device(SnapshotState& state) const;
  std::optional<std::int64_t> time_of(const SnapshotState& state, EventIndex event) const;
  RunMoment moment_at(std::int64_t time_ns) const;
  std::string text_of(const RunMoment& moment) const;
  std::string run_hint() const;
  void draw_steps(ImDrawList& list, const SnapshotState& state, const Box& row, const Theme& theme) const;
  void draw_busy(ImDrawList& list, const SnapshotState& state, const Box& row, const Theme& theme) const;
  void draw_tooltip(std::int64_t time_ns, bool over_steps, const Theme& theme) const;
  bool has_steps() const { return steps_.value() != nullptr && !steps_.value()->steps.empty(); }

  WorkerPool& pool_;
  std::function<void()> wake_;
  std::vector<MatchingTrace> runs_;
  MatchingTrace run_;  // of device_
  std::size_t device_ = ~std::size_t{0};
  BackgroundResult<Steps> steps_;
  BackgroundResult<Busy> busy_;
  TimeRange wanted_;
  std::uint32_t wanted_columns_ = 0;
  SliceId go_to_ = kNoSlice;
};

}  // namespace kino
