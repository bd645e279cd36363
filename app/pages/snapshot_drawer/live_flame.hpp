// What is live at a moment of a snapshot as a flame graph of bytes by call stack.
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

struct LiveFlameQuestion {
  std::size_t device = 0;
  EventIndex event = kBeforeRecording;
  FlameDirection direction = FlameDirection::top_down;
  bool libraries = false;  ///< every frame of libraries, not one for each run of them
  bool operator==(const LiveFlameQuestion&) const = default;
};

/// What stands for a frame where there is none.
struct LiveFlameWords {
  std::string no_stack;
  std::string freed_only;  ///< above stacks that are those of a free
};

/// Bytes as requested. Folded, a run of library frames is one frame: the outermost of Python, which the
/// user's code called, else of PyTorch's C++. Runs around all of the user's frames, frames of the interpreter
/// and those that only pass calls on are left out; stacks without a frame of the user's keep all but
/// those of the thread's start.
/// O(live * log n + frames of distinct stacks); incomplete when stopped.
FlameGraph live_flame(const Snapshot& snapshot, const LiveFlameQuestion& question,
                      const LiveFlameWords& words, const std::stop_token& stop = {});

/// The drawer's tab. UI thread only.
class LiveFlame {
 public:
  LiveFlame(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path file, WorkerPool& pool,
            const std::function<void()>& wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(wake), view_(std::move(file), pool, wake) {}

  /// Once a frame; nothing is computed unless it is `shown`.
  void update(const SnapshotState& state, bool shown);
  /// Answers the commands of flame graphs; those that change what is shown open the page.
  void handle_keys(SnapshotState& state, bool shown);
  void draw(const SnapshotState& state, const Theme& theme);
  bool complete() const { return !graph_.running() && view_.complete(); }
  const FlameView& view() const { return view_; }
  /// What view() shows.
  const std::optional<LiveFlameQuestion>& shown() const { return shown_; }

 private:
  using Answer = std::pair<LiveFlameQuestion, std::shared_ptr<const FlameGraph>>;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  FlameView view_;
  bool libraries_ = false;
  std::optional<LiveFlameQuestion> asked_;
  std::optional<LiveFlameQuestion> shown_;
  BackgroundResult<Answer> graph_;
};

}  // namespace kino
