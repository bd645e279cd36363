// An OpenGL 3.3 context and a framebuffer without a display, for pictures over ssh and in tests.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.hpp"
#include "render/gl_gpu.hpp"

namespace kino {

/// The context and its Gpu are current on the thread that made this object, until the object is destroyed.
class OffscreenContext {
 public:
  /// Creates the context and a framebuffer of this size. Tries EGL's surfaceless platform, then its devices,
  /// then the default display. A build without EGL uses a hidden window, which needs a display.
  static Result<std::unique_ptr<OffscreenContext>> make(int width_px, int height_px);
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;
  ~OffscreenContext();

  /// Binds the framebuffer; all drawing must use it.
  void bind() const;
  /// Waits until everything has been drawn; otherwise, a software driver would queue frames in memory.
  void finish() const;
  /// Returns the framebuffer's pixels with 4 bytes each (red, green, blue, 255), from the top row down.
  std::vector<std::uint8_t> pixels() const;

 private:
  struct Driver;  // creates and owns the context
  static Result<std::unique_ptr<Driver>> start_driver();
  OffscreenContext(std::unique_ptr<Driver> driver, int width_px, int height_px);

  std::unique_ptr<Driver> driver_;
  GlGpu gpu_;
  CurrentGpu current_gpu_{gpu_};
  int width_px_;
  int height_px_;
  unsigned framebuffer_ = 0;
  unsigned color_ = 0;
};

}  // namespace kino
