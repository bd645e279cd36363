// Decides when the window draws and when it may sleep: it draws after each event until the layout is stable.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kino {

/// Dear ImGui lays out with the sizes of the previous frame: a popup opens in the second frame and has its
/// size in the third, and a column gets the width of its previous content. So frames follow each event and
/// each change of the picture. UI thread only.
class FramePacer {
 public:
  static constexpr int kFramesAfterEvent = 3;
  /// Frames in which the picture may still change; after that, a picture that never rests (such as the debug
  /// figures) no longer causes frames.
  static constexpr int kMostRestingFrames = 8;

  /// Call on input, exposure of the window, an opened document, or a worker's result.
  void arrived() {
    due_ = kFramesAfterEvent;
    resting_ = kMostRestingFrames;
  }
  /// Call when a timeout has passed, for a blinking cursor or an expiring message.
  void time_passed() { due_ = std::max(due_, 1); }
  /// Call after each frame. `took_input`: ImGui received queued input in this frame, possibly long after it
  /// arrived. `picture` is a hash of the draw data.
  void drawn(bool took_input, std::uint64_t picture) {
    due_ = std::max(0, due_ - 1);
    if (took_input) {
      due_ = kFramesAfterEvent - 1;
      resting_ = kMostRestingFrames;
    }
    if (picture != picture_ && resting_ > 0) {
      --resting_;
      due_ = std::max(due_, kFramesAfterEvent - 1);
    }
    picture_ = picture;
  }

  bool frame_due() const { return due_ > 0; }

 private:
  int due_ = kFramesAfterEvent;
  int resting_ = kMostRestingFrames;
  std::uint64_t picture_ = 0;
};

}  // namespace kino
