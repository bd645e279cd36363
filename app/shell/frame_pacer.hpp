// Decides when the window draws and when it may sleep. After each event, the window draws until the layout is
// stable.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kino {

/// Dear ImGui lays out with sizes of the previous frame. A popup opens in the second frame and has its final
/// size in the third, and a column gets the width of its previous content. Therefore, several frames are
/// drawn after each event and each change of the picture. UI thread only.
class FramePacer {
 public:
  static constexpr int kFramesAfterEvent = 3;
  /// Maximum number of changes of the picture after an event that cause further frames. A limit, since some
  /// pictures change in every frame (such as the debug figures).
  static constexpr int kMostRestingFrames = 8;

  /// Call after input, when a document was opened or a worker has a result, or when a part of the window
  /// became visible.
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
