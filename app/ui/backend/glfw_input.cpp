#include "app/ui/backend/glfw_input.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include "app/ui/backend/imgui_input.hpp"
#include "app/ui/widgets/field_focus.hpp"

namespace kino {
namespace {

using Kind = InputEvent::Kind;

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

}  // namespace

GlfwInput::GlfwInput(GLFWwindow* window, DropHandler dropped)
    : window_(window), dropped_(std::move(dropped)) {
  glfwSetWindowUserPointer(window_, this);
  ImGui_ImplGlfw_InitForOpenGL(window_, false);
  begin_input();
  install_callbacks();
  install_window_callbacks();
  mouse_inside_ = glfwGetWindowAttrib(window_, GLFW_HOVERED) == GLFW_TRUE;
  if (mouse_inside_) enter();
}

GlfwInput::~GlfwInput() {
  ImGui_ImplGlfw_Shutdown();
  glfwSetDropCallback(window_, nullptr);
  glfwSetWindowUserPointer(window_, nullptr);
}

GlfwInput& GlfwInput::of(GLFWwindow* window) {
  return *static_cast<GlfwInput*>(glfwGetWindowUserPointer(window));
}

void GlfwInput::push(const InputEvent& event) {
  queue_.push(event);
  activity_ = true;
}

// Queues an enter event and the position of the mouse. GLFW does not report a position that it considers
// unchanged, even if it was never reported.
void GlfwInput::enter() {
  push({.kind = Kind::enter, .down = true});
  InputEvent move{.kind = Kind::move};
  glfwGetCursorPos(window_, &move.x, &move.y);
  push(move);
}

void GlfwInput::install_callbacks() {
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int) {
    GlfwInput& input = of(window);
    // Dear ImGui repeats held keys itself.
    if (action == GLFW_REPEAT || key < 0 || key >= kKeys) return;
    InputEvent event{.kind = Kind::key, .scancode = scancode, .down = action == GLFW_PRESS};
    event.code = event.down ? input.cap_of(key, scancode) : input.pressed_as_[static_cast<std::size_t>(key)];
    if (event.down) input.pressed_as_[static_cast<std::size_t>(key)] = event.code;
    event.modifier = is_modifier(event.code);
    input.push(event);
  });
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned code_point) {
    of(window).push({.kind = Kind::character, .code = static_cast<int>(code_point)});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int) {
    of(window).push({.kind = Kind::button, .code = button, .down = action == GLFW_PRESS});
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).push({.kind = Kind::move, .x = x, .y = y});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).push({.kind = Kind::wheel, .x = x, .y = y});
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* window, int entered) {
    if (entered == GLFW_TRUE) {
      of(window).enter();
    } else {
      of(window).push({.kind = Kind::enter, .down = false});
    }
  });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* window, int focused) {
    of(window).push({.kind = Kind::focus, .down = focused == GLFW_TRUE});
  });
}

void GlfwInput::install_window_callbacks() {
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* window) { of(window).uncover(); });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* window, int, int) { of(window).uncover(); });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* window, float, float) { of(window).uncover(); });
  glfwSetWindowIconifyCallback(window_, [](GLFWwindow* window, int) { of(window).uncover(); });
  glfwSetWindowCloseCallback(window_, [](GLFWwindow* window) { of(window).activity_ = true; });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    std::vector<std::filesystem::path> files(paths, paths + count);
    GlfwInput& input = of(window);
    input.activity_ = true;
    input.dropped_(std::move(files));
  });
}

// Returns the code of the key whose cap shows the typed character, so that Ctrl+W is at the W of the keyboard
// layout. GLFW's codes refer to positions on a US keyboard.
int GlfwInput::cap_of(int key, int scancode) {
  if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL) return key;
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == '\0' || name[1] != '\0') return key;
  constexpr const char* kPunctuation = "`-=[]\\,;'./";
  if (std::isalnum(static_cast<unsigned char>(name[0])) != 0)
    return std::toupper(static_cast<unsigned char>(name[0]));
  return std::strchr(kPunctuation, name[0]) != nullptr ? name[0] : key;
}

void GlfwInput::uncover() {
  activity_ = true;
  uncovered_ = true;
}

bool GlfwInput::take_activity() { return std::exchange(activity_, false); }
bool GlfwInput::take_uncovered() { return std::exchange(uncovered_, false); }

bool GlfwInput::begin_frame() {
  const std::vector<InputEvent> events = queue_.take_frame(field_awaits_keys());
  for (const InputEvent& event : events) feed(event);
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
  // The backend reads the current mouse state from GLFW, but the queue may lag behind.
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = mouse_inside_ ? ImVec2(static_cast<float>(mouse_x_), static_cast<float>(mouse_y_))
                              : ImVec2(-1e6F, -1e6F);
  for (std::size_t i = 0; i < buttons_.size(); ++i) io.MouseDown[i] = buttons_[i];
#endif
  return !events.empty();
}

void GlfwInput::feed(const InputEvent& event) {
  switch (event.kind) {
    case Kind::key:
      send_key(window_, event.code, event.scancode, event.down);
      break;
    case Kind::character:
      ImGui_ImplGlfw_CharCallback(window_, static_cast<unsigned>(event.code));
      break;
    case Kind::button:
      if (event.code < static_cast<int>(buttons_.size()))
        buttons_[static_cast<std::size_t>(event.code)] = event.down;
      send_button(window_, event.code, event.down);
      break;
    case Kind::move:
      mouse_x_ = event.x;
      mouse_y_ = event.y;
      mouse_inside_ = true;
#if IMGUI_VERSION_NUM >= 18700
      ImGui_ImplGlfw_CursorPosCallback(window_, event.x, event.y);
#endif
      break;
    case Kind::wheel:
      ImGui_ImplGlfw_ScrollCallback(window_, event.x, event.y);
      break;
    case Kind::enter: {
      const bool dragging = std::find(buttons_.begin(), buttons_.end(), true) != buttons_.end();
      if (!dragging) mouse_inside_ = event.down;
      ImGui_ImplGlfw_CursorEnterCallback(window_, event.down ? GLFW_TRUE : GLFW_FALSE);
      break;
    }
    case Kind::focus:
      ImGui_ImplGlfw_WindowFocusCallback(window_, event.down ? GLFW_TRUE : GLFW_FALSE);
      break;
  }
}

}  // namespace kino
