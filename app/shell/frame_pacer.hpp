// Says when the window draws and when it may sleep: what comes in is drawn until the interface knows its
// sizes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kino {

/// Dear ImGui lays out with the sizes of the frame before: it opens a popup in the second frame and knows its
/// size in the third, and a column is as wide as what the frame before had in it. So frames follow whatever
/// comes, and follow a picture that still changes. UI thread only.
class FramePacer {
 public:
  static constexpr int kFramesAfterEvent = 3;
  /// Frames that a picture gets to come to rest; something that never rests (figures of the frame) does not
  /// keep the window drawing.
  static constexpr int kMostRestingFrames = 8;

  /// Input, a window uncovered, a document opened, or what a worker has brought.
  void arrived() {
    due_ = kFramesAfterEvent;
    resting_ = kMostRestingFrames;
  }
  /// The time is there that was waited for: a cursor blinks, a message goes.
  void time_passed() { due_ = std::max(due_, 1); }
  /// A frame was drawn. `took_input`: some of the input that had come was handed out in it, which may be long
  /// after it came. `picture` differs when what was drawn does.
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
