// A flame graph of the live bytes at a moment of a snapshot, by call stack.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/flame_view.hpp"
#include "core/memory/snapshot.hpp"
#include "core/tables/flame_tree.hpp"

namespace kino {

struct LiveFlameParams {
  std::size_t device = 0;
  EventIndex event = kBeforeRecording;
  FlameDirection direction = FlameDirection::top_down;
  bool libraries = false;  ///< whether every library frame is shown, instead of one per run
  bool operator==(const LiveFlameParams&) const = default;
};

/// Names of the frames that live_flame() adds to the recorded frames.
struct LiveFlameLabels {
  std::string no_stack;
  std::string freed_only;  ///< root of allocations of which only the free was recorded
};

/// Returns the flame graph of the allocations that are live at question.event. The weight of a stack is its
/// requested bytes. Unless question.libraries is set, a run of library frames becomes one frame. This is its
/// outermost Python frame that is not a pass-through frame, else its outermost C++ frame. Omits runs without
/// such a frame, and the run outside of all user frames. A stack without user frames keeps all frames except
/// those that start the thread. O(live * log n + frames of distinct stacks).
FlameGraph live_flame(const Snapshot& snapshot, const LiveFlameParams& question, const LiveFlameLabels& words,
                      const std::stop_token& stop = {});

class LiveFlame {
 public:
  LiveFlame(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path file, WorkerPool& pool,
            const std::function<void()>& wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(wake), view_(std::move(file), pool, wake) {}

  /// Takes finished results and requests missing ones. Call once per frame. Computes nothing unless the page
  /// is `shown`.
  void update(const SnapshotState& state, bool shown);
  /// Handles the commands of flame graphs. The commands for direction, library frames and search open the
  /// page if it is not shown.
  void handle_keys(SnapshotState& state, bool shown);
  void draw(const SnapshotState& state, const Theme& theme);
  bool complete() const { return !graph_.running() && view_.complete(); }
  const FlameView& view() const { return view_; }
  /// Returns the parameters of the graph in view(); empty until the first graph is computed.
  const std::optional<LiveFlameParams>& shown() const { return shown_; }

 private:
  using Answer = std::pair<LiveFlameParams, std::shared_ptr<const FlameGraph>>;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  FlameView view_;
  bool libraries_ = false;
  std::optional<LiveFlameParams> requested_;
  std::optional<LiveFlameParams> shown_;
  BackgroundResult<Answer> graph_;
};

}  // namespace kino
