// Says which drawn frames are worth sending where sending is slow: X over ssh, or VNC of a busy machine.
#pragma once

#include <cstdint>

namespace kino {

/// A frame of software OpenGL is sent whole: 5.8 MB at 1600x900, 4.6 s at 10 Mbit/s. Over such a link three
/// frames an input, or one a key of ten that were struck, would keep the person waiting for pictures of the
/// past. So frames that show nothing new are not sent, and while input is still to be handed out only a few.
/// On a fast link every frame is. UI thread only.
class Presentation {
 public:
  static constexpr double kSlowSeconds = 0.06;   ///< sending takes that long: a slow link
  static constexpr double kOftenSeconds = 0.25;  ///< how often at least, while input is handed out

  /// Whether the link was slow the last time that something was sent.
  bool slow() const { return slow_; }
  /// Whether a frame needs to be rendered at all: not on a slow link while `more_input` waits for the next
  /// one, unless the newest picture is kOftenSeconds old.
  bool worth_rendering(bool more_input, double now_seconds) const {
    return !slow_ || !more_input || now_seconds - sent_at_ >= kOftenSeconds;
  }
  /// Whether a rendered frame needs to be sent: on a slow link only when its pixels are others than those of
  /// the one sent last.
  bool worth_sending(std::uint64_t pixels) const { return !slow_ || pixels != pixels_; }
  /// A frame was sent at a time, which took so long. `pixels` counts on a slow link only.
  void sent(double now_seconds, double took_seconds, std::uint64_t pixels) {
    slow_ = took_seconds >= kSlowSeconds;
    sent_at_ = now_seconds;
    pixels_ = pixels;
  }

 private:
  bool slow_ = false;
  double sent_at_ = -1;
  std::uint64_t pixels_ = 0;
};

}  // namespace kino
