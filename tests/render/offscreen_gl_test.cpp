// Covers: no unit
#include "tests/fixtures/offscreen_gl.hpp"

#include <doctest/doctest.h>
#ifdef KINETOSCOPE_WITH_EGL
#include <epoxy/egl.h>
#else
#include <GLFW/glfw3.h>
#endif
#include <epoxy/gl.h>

#include "render/gl_gpu.hpp"

namespace kino {
namespace {

#ifdef KINETOSCOPE_WITH_EGL

std::string make_context() {
  EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
    return "EGL has no surfaceless display: install libegl-mesa0 and libgl1-mesa-dri";
  }
  eglBindAPI(EGL_OPENGL_API);
  const EGLint config_wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                  EGL_NONE};
  EGLConfig config = nullptr;
  EGLint configs = 0;
  eglChooseConfig(display, config_wanted, &config, 1, &configs);
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                           3,
                           EGL_CONTEXT_MINOR_VERSION,
                           3,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK,
                           EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                           EGL_NONE};
  EGLContext context = eglCreateContext(display, configs > 0 ? config : nullptr, EGL_NO_CONTEXT, wanted);
  if (context == EGL_NO_CONTEXT ||
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE) {
    return "EGL gives no OpenGL 3.3 core context";
  }
  return {};
}

#else

/// Makes a context in an invisible window, which exists until the end of the program.
std::string make_context() {
  if (::glfwInit() != GLFW_TRUE) return "this build has no EGL, so these tests need a display: use xvfb-run";
  ::glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  ::glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  ::glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  ::glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* const window = ::glfwCreateWindow(16, 16, "Kinetoscope", nullptr, nullptr);
  if (window == nullptr) return "the display gives no OpenGL 3.3 core context";
  ::glfwMakeContextCurrent(window);
  return {};
}

#endif

std::string make_current() {
  if (std::string failure = make_context(); !failure.empty()) return failure;
  GLuint color = 0;
  GLuint framebuffer = 0;
  glGenRenderbuffers(1, &color);
  glBindRenderbuffer(GL_RENDERBUFFER, color);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, kOffscreenWidth, kOffscreenHeight);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return "the framebuffer is incomplete";
  }
  static GlGpu* const gpu = new GlGpu;  // never deleted: at the end of the program, there is no context
  static const CurrentGpu current(*gpu);
  return {};
}

TEST_CASE("provides an OpenGL 3.3 context without a display") {
  REQUIRE_MESSAGE(offscreen_gl_failure().empty(), offscreen_gl_failure());
  CHECK(epoxy_gl_version() >= 33);
}

}  // namespace

const std::string& offscreen_gl_failure() {
  static const std::string failure = make_current();
  return failure;
}

}  // namespace kino
