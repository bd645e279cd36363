#include "app/system/offscreen_context.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#ifdef KINETOSCOPE_WITH_EGL
#include <dlfcn.h>
#include <epoxy/egl.h>
#else
#include <GLFW/glfw3.h>
#endif
#include <epoxy/gl.h>

#include "core/base/messages/message.hpp"
#include "render/frame_pixels.hpp"

namespace kino {

#ifdef KINETOSCOPE_WITH_EGL

struct OffscreenContext::Driver {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  EGLSurface surface = EGL_NO_SURFACE;

  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
  }

  /// Creates an OpenGL 3.3 core context on this display and makes it current; returns false if it fails.
  bool make_current(EGLDisplay candidate) {
    if (candidate == EGL_NO_DISPLAY || eglInitialize(candidate, nullptr, nullptr) == EGL_FALSE) return false;
    display = candidate;
    if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return false;
    constexpr std::array<EGLint, 13> kConfig = {EGL_SURFACE_TYPE,
                                                EGL_PBUFFER_BIT,
                                                EGL_RENDERABLE_TYPE,
                                                EGL_OPENGL_BIT,
                                                EGL_RED_SIZE,
                                                8,
                                                EGL_GREEN_SIZE,
                                                8,
                                                EGL_BLUE_SIZE,
                                                8,
                                                EGL_ALPHA_SIZE,
                                                8,
                                                EGL_NONE};
    EGLConfig config = nullptr;
    EGLint found = 0;
    if (eglChooseConfig(display, kConfig.data(), &config, 1, &found) == EGL_FALSE || found == 0) return false;
    constexpr std::array<EGLint, 7> kContext = {EGL_CONTEXT_MAJOR_VERSION,
                                                3,
                                                EGL_CONTEXT_MINOR_VERSION,
                                                3,
                                                EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, kContext.data());
    if (context == EGL_NO_CONTEXT) return false;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) return true;
    constexpr std::array<EGLint, 5> kPbuffer = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    surface = eglCreatePbufferSurface(display, config, kPbuffer.data());
    return surface != EGL_NO_SURFACE && eglMakeCurrent(display, surface, surface, context) == EGL_TRUE;
  }
};

namespace {

std::vector<EGLDisplay> candidate_displays() {
  std::vector<EGLDisplay> displays;
  const bool platforms = epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base");
  if (platforms && epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
    displays.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  if (platforms && epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
      epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_TRUE) {
      for (EGLDeviceEXT device : std::span(devices).first(static_cast<std::size_t>(count)))
        displays.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr));
    }
  }
  displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return displays;
}

/// Prevents the OpenGL library from being unloaded. Dear ImGui 1.92 closes the library together with the
/// first context, but still calls the old addresses of its functions in the next context.
void keep_opengl_loaded() {
  for (const char* const library : {"libOpenGL.so.0", "libGL.so.1"}) {
    if (::dlopen(library, RTLD_LAZY | RTLD_NODELETE) != nullptr) return;
  }
}

}  // namespace

Result<std::unique_ptr<OffscreenContext::Driver>> OffscreenContext::start_driver() {
  keep_opengl_loaded();
  for (EGLDisplay display : candidate_displays()) {
    auto driver = std::make_unique<Driver>();
    if (driver->make_current(display)) return driver;
  }
  return Error{Error::Kind::system, msg::no_opengl_without_a_display};
}

#else

struct OffscreenContext::Driver {
  GLFWwindow* window = nullptr;

  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() {
    if (window != nullptr) ::glfwDestroyWindow(window);
    ::glfwTerminate();
  }
};

Result<std::unique_ptr<OffscreenContext::Driver>> OffscreenContext::start_driver() {
  if (::glfwInit() != GLFW_TRUE) return Error{Error::Kind::system, msg::no_egl_in_this_build};
  auto driver = std::make_unique<Driver>();
  ::glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  ::glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  ::glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  ::glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  driver->window = ::glfwCreateWindow(16, 16, "Kinetoscope", nullptr, nullptr);
  if (driver->window == nullptr) return Error{Error::Kind::system, msg::no_opengl_on_the_display};
  ::glfwMakeContextCurrent(driver->window);
  return driver;
}

#endif

Result<std::unique_ptr<OffscreenContext>> OffscreenContext::make(int width_px, int height_px) {
  Result<std::unique_ptr<Driver>> driver = start_driver();
  if (!driver) return driver.error();
  GLint largest = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
  if (std::max(width_px, height_px) > largest)
    return Error{Error::Kind::too_large, {msg::largest_picture_of_the_driver, std::to_string(largest)}};
  std::unique_ptr<OffscreenContext> context(new OffscreenContext(std::move(*driver), width_px, height_px));
  context->bind();
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    return Error{Error::Kind::system, msg::no_framebuffer};
  return context;
}

OffscreenContext::OffscreenContext(std::unique_ptr<Driver> driver, int width_px, int height_px)
    : driver_(std::move(driver)), width_px_(width_px), height_px_(height_px) {
  glGenRenderbuffers(1, &color_);
  glBindRenderbuffer(GL_RENDERBUFFER, color_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width_px_, height_px_);
  glGenFramebuffers(1, &framebuffer_);
  bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
}

OffscreenContext::~OffscreenContext() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &color_);
}

void OffscreenContext::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }

void OffscreenContext::finish() const { glFinish(); }

std::vector<std::uint8_t> OffscreenContext::pixels() const {
  bind();
  return read_pixels(0, 0, width_px_, height_px_);
}

}  // namespace kino
