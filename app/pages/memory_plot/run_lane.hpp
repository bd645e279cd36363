// What the trace of the same run tells in a snapshot: what ran at a moment, and above the plot steps and GPU
// use.
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

/// An open trace whose clock a device of a snapshot shares.
struct TraceOfRun {
  std::shared_ptr<const Trace> trace;  ///< null: there is none
  RecordingId recording = kNoRecording;
  std::optional<ClockFit> clock;  ///< from the device's ns to the trace's; nothing where it has no times
  std::optional<std::uint32_t> process;  ///< the device's, in the trace
  std::string file;                      ///< as the trace's tab is called
  bool operator==(const TraceOfRun&) const = default;
};

/// What ran at a moment inside of the trace.
struct RunMoment {
  RunningKernels kernels;
  std::optional<std::int64_t> step;  ///< its number
  SliceId slice = kNoSlice;          ///< what to go to: the kernel, else the step
};

/// UI thread only.
class RunLane {
 public:
  RunLane(WorkerPool& pool, std::function<void()> wake) : pool_(pool), wake_(std::move(wake)) {}

  /// One for each device of the snapshot.
  void set(std::vector<TraceOfRun> runs);
  /// Of the device that is shown.
  const TraceOfRun& run() const { return run_; }
  /// Takes over what was computed and tells the state how many rows there are. Once a frame, before
  /// state.place().
  void update(SnapshotState& state);
  /// Asks for the GPU's use in view. After state.place().
  void look(const SnapshotState& state);
  /// Of the moment of an event; nothing outside of the trace, or where the device has no times.
  std::optional<RunMoment> at(const SnapshotState& state, EventIndex event) const;
  /// "GPU: gemm, step 12"; empty without a moment.
  std::string text_at(const SnapshotState& state, EventIndex event) const;
  /// Into state.boxes.run, with a tooltip where the mouse is; a click there goes to what lies there.
  void draw(ImDrawList& list, const SnapshotState& state, const Theme& theme);
  /// A line in the current window: what ran at the cursor, when the selected allocation was made, at the
  /// peak.
  void draw_moments(const SnapshotState& state, const Theme& theme);
  /// Goes to what ran at an event, if anything did.
  void go_to(const SnapshotState& state, EventIndex event);
  /// What was clicked since the last call, a slice of the trace; else its slice is kNoSlice.
  SliceRef take_go_to() { return {run_.recording, std::exchange(go_to_, kNoSlice)}; }
  bool complete() const { return !steps_.running() && !busy_.running(); }

 private:
  struct Indexed {
    std::shared_ptr<const Trace> trace;
    BusyIndex index;
  };
  struct Busy {
    std::shared_ptr<const Indexed> indexed;
    TimeRange range;  ///< of the trace
    BusyProfile profile;
  };

  void choose();
  /// What the trace tells of the device's memory.
  void note_device(SnapshotState& state) const;
  std::optional<std::int64_t> time_of(const SnapshotState& state, EventIndex event) const;
  RunMoment moment_at(std::int64_t time_ns) const;
  std::string text_of(const RunMoment& moment) const;
  void draw_steps(ImDrawList& list, const SnapshotState& state, const Box& row, const Theme& theme) const;
  void draw_busy(ImDrawList& list, const SnapshotState& state, const Box& row, const Theme& theme) const;
  void draw_tooltip(std::int64_t time_ns, bool over_steps, const Theme& theme) const;
  bool has_steps() const { return steps_.value() != nullptr && !steps_.value()->steps.empty(); }

  WorkerPool& pool_;
  std::function<void()> wake_;
  std::vector<TraceOfRun> runs_;
  TraceOfRun run_;  // of device_
  std::size_t device_ = ~std::size_t{0};
  BackgroundResult<Steps> steps_;
  BackgroundResult<Busy> busy_;
  TimeRange wanted_;
  std::uint32_t wanted_columns_ = 0;
  SliceId go_to_ = kNoSlice;
};

}  // namespace kino
