// Says which frames are worth rendering and sending: those that show something new, and where sending is slow
// (X over ssh, or VNC of a busy machine) not all of them.
#pragma once

#include <cstdint>
#include <optional>

namespace kino {

/// Three frames follow an input (FramePacer), and what moves the mouse mostly changes nothing: of 1,137
/// frames of 24 window checks 501 had the pixels of the one before. Such a frame costs a processor without a
/// GPU 30 ms at 1600x900 (llvmpipe, one core), and any machine its rest. A frame of software OpenGL is also
/// sent whole: 5.8 MB at 1600x900, 4.6 s at 10 Mbit/s. Over such a link one frame a key of ten that were
/// struck would keep the person waiting for pictures of the past, so while input is still to be handed out,
/// or the picture moves, only a few are sent. UI thread only.
class Presentation {
 public:
  static constexpr double kSlowSeconds = 0.06;  ///< sending takes that long: a slow link

  /// Whether the link was slow the last time that something was sent.
  bool slow() const { return took_ >= kSlowSeconds; }
  /// Whether a frame whose picture has this key (GuiContext::picture()) needs to be rendered: not when it was
  /// sent last, nor on a slow link while `more_to_come` (input that waits, a picture that moves), until that
  /// has lasted as long as sending takes.
  bool worth_rendering(std::uint64_t picture, bool more_to_come, double now_seconds) {
    if (picture == picture_) return false;
    if (!differs_since_) differs_since_ = now_seconds;
    return !slow() || !more_to_come || now_seconds - *differs_since_ >= took_;
  }
  /// The window was uncovered, or a worker has brought something that keys do not tell: the next frame is
  /// new.
  void renew() { picture_.reset(); }
  /// A frame was sent, which took so long.
  void sent(std::uint64_t picture, double took_seconds) {
    took_ = took_seconds;
    picture_ = picture;
    differs_since_.reset();
  }

 private:
  double took_ = 0;                      // to send
  std::optional<double> differs_since_;  // from what was sent
  std::optional<std::uint64_t> picture_;
};

}  // namespace kino
