// Decides which frames to render and send: only frames that differ from the previous one. Sends fewer frames
// over a slow connection (X over ssh, or VNC to a busy machine).
#pragma once

#include <cstdint>
#include <optional>

namespace kino {

/// Decides for each frame whether it is rendered and sent. Each input causes at least three frames
/// (FramePacer), but most mouse moves change nothing: of 1,137 frames in 24 window tests, 501 equaled their
/// predecessor. Without a GPU, such a frame takes 30 ms at 1600x900 (llvmpipe, one core). Software OpenGL
/// also sends each frame completely: 5.8 MB at 1600x900, which takes 4.6 s at 10 Mbit/s. If every key press
/// sent a frame over such a connection, the user would wait for outdated frames. Therefore, a slow connection
/// carries only a few frames while input is queued or the picture changes. UI thread only.
class Presentation {
 public:
  static constexpr double kSlowSeconds = 0.06;  ///< a connection is slow if sending takes this long

  /// Whether sending the last frame took at least kSlowSeconds.
  bool slow() const { return took_ >= kSlowSeconds; }
  /// Whether a frame with this picture key (GuiContext::picture()) needs to be rendered: it differs from the
  /// one sent last. On a slow connection, `more_to_come` (queued input, a changing picture) delays such
  /// frames by the time that sending the last frame took.
  bool worth_rendering(std::uint64_t picture, bool more_to_come, double now_seconds) {
    if (picture == picture_) return false;
    if (!differs_since_) differs_since_ = now_seconds;
    return !slow() || !more_to_come || now_seconds - *differs_since_ >= took_;
  }
  /// Forces the next frame to be rendered: after an expose event, or when a worker changed pixels that the
  /// draw-data hash does not cover.
  void renew() { picture_.reset(); }
  /// Call when a frame was sent; sending took `took_seconds`.
  void sent(std::uint64_t picture, double took_seconds) {
    took_ = took_seconds;
    picture_ = picture;
    differs_since_.reset();
  }

 private:
  double took_ = 0;                      // seconds to send the last frame
  std::optional<double> differs_since_;  // time of the first frame that differs from the one sent last
  std::optional<std::uint64_t> picture_;
};

}  // namespace kino
