#include "app/shell/window.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/shell/documents/cache_keeper.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/folder_pages.hpp"
#include "app/shell/frame_pacer.hpp"
#include "app/shell/presentation.hpp"
#include "app/shell/settings/settings.hpp"
#include "app/shell/single_instance.hpp"
#include "app/shell/state_file.hpp"
#include "app/shell/ui.hpp"
#include "app/system/atomic_file.hpp"
#include "app/system/frame_report.hpp"
#include "app/ui/backend/gl_backend.hpp"
#include "app/ui/backend/glfw_input.hpp"
#include "app/ui/backend/gui_context.hpp"
#include "app/ui/bookmarks/bookmark_files.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/thread_clock.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "render/gl_gpu.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSmallestWidth = 480;
constexpr int kSmallestHeight = 320;
// Time step of the first frame after a sleep.
constexpr double kFirstFrameSeconds = 1.0 / 60;
constexpr double kLongestFrameSeconds = 0.1;
// Limits the frame rate where vertical sync does not.
constexpr double kShortestFrameSeconds = 1.0 / 240;

void print_sentence(const Error& error, const std::filesystem::path& file) {
  std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(error, file.string()).c_str());
}

std::optional<float> scale_from_environment() {
  const char* text = std::getenv("KINETOSCOPE_SCALE");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const float scale = std::strtof(text, &end);
  if (end == text || *end != '\0' || !(scale >= 0.5F && scale <= 4.0F)) {
    std::fprintf(stderr, "kinetoscope: %s\n", english(msg::log_scale_was_ignored).data());
    return std::nullopt;
  }
  return scale;
}

// Initializes GLFW, and terminates it in the destructor; at most one instance.
class Glfw {
 public:
  Glfw() { initialised_ = glfwInit() == GLFW_TRUE; }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
  ~Glfw() {
    if (initialised_) glfwTerminate();
  }
  bool initialised() const { return initialised_; }

 private:
  bool initialised_ = false;
};

struct WindowDeleter {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, WindowDeleter>;

std::string last_glfw_error() {
  const char* description = nullptr;
  return glfwGetError(&description) == GLFW_NO_ERROR || description == nullptr ? "" : escaped(description);
}

// Makes the window, hidden at first, so that it appears at its final position.
WindowHandle make_window(PixelSize size, bool maximized) {
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_MAXIMIZED, maximized ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "kinetoscope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "kinetoscope");
#ifdef GLFW_WAYLAND_APP_ID  // since GLFW 3.4; selects the icon of the desktop entry
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "kinetoscope");
#endif
  return WindowHandle(glfwCreateWindow(size.width, size.height, "Kinetoscope", nullptr, nullptr));
}

// Wakes the UI thread from any thread to draw a frame.
class Waker {
 public:
  void wake() {
    requested_.store(true, std::memory_order_release);
    glfwPostEmptyEvent();
  }
  bool take() { return requested_.exchange(false, std::memory_order_acq_rel); }

 private:
  std::atomic<bool> requested_{false};
};

// Files received from other processes. The server's thread adds them, and the UI thread takes them.
class Inbox {
 public:
  void put(std::vector<std::filesystem::path> files) {
    const std::scoped_lock lock(mutex_);
    if (!files_) files_.emplace();
    files_->insert(files_->end(), std::make_move_iterator(files.begin()),
                   std::make_move_iterator(files.end()));
  }
  // Returns the files received since the last call; nullopt if there was no message. An empty list only
  // raises the window.
  std::optional<std::vector<std::filesystem::path>> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(files_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<std::vector<std::filesystem::path>> files_;  // guarded by mutex_
};

void raise_window(GLFWwindow* window) {
  if (glfwGetWindowAttrib(window, GLFW_ICONIFIED) == GLFW_TRUE) glfwRestoreWindow(window);
  glfwShowWindow(window);
  glfwFocusWindow(window);
  // Request attention if the window manager has refused the focus.
  if (glfwGetWindowAttrib(window, GLFW_FOCUSED) == GLFW_FALSE) glfwRequestWindowAttention(window);
}

// The running window. Members are in the order of construction.
class App {
 public:
  App(GLFWwindow* window, const WindowOptions& command, const OpeningOptions& opening, UiOptions options,
      std::optional<float> scale, std::unique_ptr<InstanceServer> server)
      : window_(window),
        scale_override_(scale),
        state_path_(command.state_file),
        frame_report_(command.frame_report ? std::optional<FrameReport>(std::in_place) : std::nullopt),
        gui_(std::make_unique<GlBackend>(), [this] { waker_.wake(); }),
        input_(window, [this](std::vector<std::filesystem::path> paths) { ui_.open(paths); }),
        session_([this] { waker_.wake(); },
                 [](const Document& document) { print_sentence(document.error(), document.path()); },
                 bookmarks_folder(), keeping_options(opening)),
        ui_(session_, std::move(options), [this] { waker_.wake(); }),
        server_(std::move(server)) {
    // Compile the shaders of the timeline before the first trace is opened.
    for (const ShaderProgram program :
         {ShaderProgram::slices, ShaderProgram::instants, ShaderProgram::counter})
      gpu_.prepare(program);
    const std::vector<std::filesystem::path>& given = command.input.files;
    if (command.compares && given.size() == kSides) {
      ui_.open_and_compare(given[0], given[1]);
    } else if (!command.watches || holds_files(given.front())) {
      ui_.open(given);
    }
    if (command.watches) session_.watch_folder(given.front());
    prepare_gui(display_scale());  // the first call is slow, so it is made before run()
    if (!server_) return;
    server_->start([this](std::vector<std::filesystem::path> files) {
      inbox_.put(std::move(files));
      waker_.wake();
    });
  }

  /// Runs until the window is closed. `save` is called after changes of theme, language, colors, scale,
  /// units or the meaning of a drag, because the process may be ended without warning.
  void run(const std::function<void(const App&)>& save) {
    saved_ = chosen();
    while (glfwWindowShouldClose(window_) == GLFW_FALSE && !ui_.quit_requested()) {
      laps_.lap_ms();
      const double sleep_seconds = pacer_.frame_due() || !input_.empty() ? 0 : ui_.sleep_seconds();
      const bool slept = wait_for_events(sleep_seconds);
      const bool timed_out = slept && std::isfinite(sleep_seconds);
      cost_ = {.events = laps_.lap_ms()};
      const FrameReport::Beside before = beside();
      if (timed_out) pacer_.time_passed();
      if (input_.take_activity()) pacer_.arrived();
      if (input_.take_uncovered()) presentation_.renew();
      const bool woken = waker_.take();
      if (open_from_others() || session_.poll(ImGui::IsAnyMouseDown()) || woken) {
        pacer_.arrived();
        presentation_.renew();
      }
      cost_.documents = laps_.lap_ms();
      const bool minimised = glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE;
      if (minimised || (slept && !pacer_.frame_due())) continue;
      draw_frame(slept);
      // An activity that has ended during the frame is still recorded for this frame.
      if (frame_report_) frame_report_->add(cost_, std::min(before, beside()), seconds_since_start());
      if (const Chosen now = chosen(); now != saved_) {
        saved_ = now;
        save(*this);
      }
    }
  }

  /// Costs of the frames; nullopt unless requested.
  const std::optional<FrameReport>& frame_report() const { return frame_report_; }
  bool dark() const { return ui_.theme().dark; }
  std::optional<Language> chosen_language() const { return ui_.appearance().language_choice().wanted(); }
  const ColorOptions& look() const { return ui_.appearance().look(); }
  float interface_scale() const { return ui_.appearance().interface_scale(); }
  const Splitters& splitters() const { return ui_.splitters(); }
  std::optional<Dragging> dragging() const { return ui_.dragging(); }

 private:
  OpenOptions keeping_options(const OpeningOptions& opening) {
    OpenOptions options = opening.open_options();
    if (!opening.no_cache)
      options.cache.keep = [this, plain = options](const OpenedTrace& opened) { keeper_.add(opened, plain); };
    return options;
  }

  struct Chosen {
    bool dark = true;
    std::optional<Language> language;
    ColorOptions look;
    float interface_scale = 1;
    ByteUnits units = ByteUnits::decimal;
    std::optional<Dragging> dragging;
    bool operator==(const Chosen&) const = default;
  };
  Chosen chosen() const {
    return {dark(), chosen_language(), look(), interface_scale(), byte_units(), dragging()};
  }

  // Waits for events for at most `sleep_seconds`, or half a second if the window is minimized. If
  // `sleep_seconds` is 0, only limits the frame rate, and returns false.
  bool wait_for_events(double sleep_seconds) {
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE) {
      glfwWaitEventsTimeout(0.5);
      return true;
    }
    if (sleep_seconds > 0) {
      if (std::isfinite(sleep_seconds)) {
        glfwWaitEventsTimeout(sleep_seconds);
      } else {
        glfwWaitEvents();
      }
      return true;
    }
    const double spent = std::chrono::duration<double>(Clock::now() - last_frame_).count();
    if (spent < kShortestFrameSeconds) {
      glfwWaitEventsTimeout(kShortestFrameSeconds - spent);
    } else {
      glfwPollEvents();
    }
    return false;
  }

  bool open_from_others() {
    const auto files = inbox_.take();
    if (!files) return false;
    ui_.open(*files);
    raise_window(window_);
    return true;
  }

  DisplayScale display_scale() const {
    int window_width = 1;
    int framebuffer_width = 1;
    float content_x = 1;
    float content_y = 1;
    glfwGetWindowSize(window_, &window_width, nullptr);
    glfwGetFramebufferSize(window_, &framebuffer_width, nullptr);
    glfwGetWindowContentScale(window_, &content_x, &content_y);
    DisplayScale scale;
    scale.framebuffer = window_width > 0 && framebuffer_width > 0
                            ? static_cast<float>(framebuffer_width) / static_cast<float>(window_width)
                            : 1;
    scale.ui = std::clamp(
        scale_override_.value_or(content_x) / scale.framebuffer * ui_.appearance().interface_scale(), 0.5F,
        4.0F);
    return scale;
  }

  // Prepares fonts and styles for the frame.
  void prepare_gui(DisplayScale scale) {
    ui_.request_glyphs(gui_.fonts());
    gui_.prepare_frame(ui_.theme(), scale);
  }

  void draw_frame(bool after_sleep) {
    const Clock::time_point now = Clock::now();
    const double since_last = std::chrono::duration<double>(now - last_frame_).count();
    const double delta =
        after_sleep ? kFirstFrameSeconds : std::clamp(since_last, 1e-4, kLongestFrameSeconds);
    last_frame_ = now;
    const DisplayScale scale = display_scale();
    prepare_gui(scale);
    cost_.fonts = laps_.lap_ms();
    const bool took_input = input_.begin_frame();
    ImGui::GetIO().DeltaTime = static_cast<float>(delta);
    ImGui::NewFrame();
    ui_.draw(scale, delta, figures_);
    ImGui::Render();
    cost_.interface = laps_.lap_ms();
    present(took_input);
    cost_.tiles = ui_.tiles_cpu_ms();
    cost_.driver = std::max(0.0, laps_.lap_ms() - cost_.tiles);
    figures_.frame_cpu_ms = cost_.own();
    count_draw(now);
    update_title();
    write_state();
  }

  void present(bool took_input) {
    const std::uint64_t picture = gui_.picture();
    pacer_.drawn(took_input, picture);
    const bool more = pacer_.frame_due() || !input_.empty() || ui_.sleep_seconds() == 0;
    if (!presentation_.worth_rendering(picture, more, seconds_since_start())) return;
    gui_.render(ui_.theme());
    ++rendered_;
    const double before = seconds_since_start();
    glfwSwapBuffers(window_);
    presentation_.sent(picture, seconds_since_start() - before);
  }

  FrameReport::Beside beside() const {
    if (session_.loading()) return FrameReport::Beside::loading;
    const Document* const document = session_.active_document();
    const Page* const page = document != nullptr ? document->page() : nullptr;
    if (page == nullptr) return FrameReport::Beside::nothing;
    if (page->searching()) return FrameReport::Beside::searching;
    return page->moving() ? FrameReport::Beside::moving : FrameReport::Beside::nothing;
  }

  double seconds_since_start() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void count_draw(Clock::time_point now) {
    ++frame_;
    draws_.push_back(now);
    std::erase_if(draws_, [&](Clock::time_point draw) { return now - draw > std::chrono::seconds(1); });
    figures_.draws_per_second = static_cast<double>(draws_.size());
  }

  void update_title() {
    const std::string title = ui_.window_title();
    if (title == title_) return;
    glfwSetWindowTitle(window_, title.c_str());
    title_ = title;
  }

  void write_state() {
    if (state_path_.empty()) return;
    const std::string state = state_json(session_, ui_,
                                         {frame_, rendered_, figures_.frame_cpu_ms, gui_.fonts().complete(),
                                          !pacer_.frame_due() && input_.empty()});
    if (const auto error = write_file_atomically(state_path_, state, Durability::process_crash)) {
      print_sentence(*error, state_path_);
      state_path_.clear();
    }
  }

  GLFWwindow* window_;
  std::optional<float> scale_override_;
  std::filesystem::path state_path_;
  std::optional<FrameReport> frame_report_;
  Waker waker_;
  GlGpu gpu_;
  CurrentGpu current_gpu_{gpu_};
  GuiContext gui_;
  GlfwInput input_;
  CacheKeeper keeper_;
  Session session_;
  Ui ui_;
  DebugFigures figures_;
  FramePacer pacer_;
  Presentation presentation_;
  Chosen saved_;
  std::vector<Clock::time_point> draws_;  // times of the frames in the last second
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_frame_ = start_;
  ThreadLaps laps_;
  FrameCost cost_;  // cost of the current frame
  std::uint64_t frame_ = 0;
  std::uint64_t rendered_ = 0;
  std::string title_;
  Inbox inbox_;
  std::unique_ptr<InstanceServer> server_;  // last: its thread ends before the members it wakes are destroyed
};

Settings load_settings(const std::filesystem::path& path) {
  auto settings = read_settings(path);
  if (settings.ok()) return settings.value();
  print_sentence(settings.error(), path);
  return {};
}

void save_settings(const std::filesystem::path& path, const Settings& before, const Settings& now) {
  if (now == before) return;
  if (const auto error = write_settings(path, now)) print_sentence(*error, path);
}

Keymap load_keymap() {
  const std::filesystem::path path = keymap_path();
  Keymap keymap = read_keymap(path);
  for (const Message& problem : keymap.problems()) {
    std::fprintf(stderr, "kinetoscope: %s: %s\n", problem.str().c_str(), escaped(path.string()).c_str());
  }
  return keymap;
}

bool on_a_monitor(int x, int y, PixelSize size) {
  constexpr int kVisible = 100;  // pixels of the window that suffice to grab it
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int left = 0;
    int top = 0;
    int width = 0;
    int height = 0;
    glfwGetMonitorWorkarea(monitors[i], &left, &top, &width, &height);
    const int across = std::min(x + size.width, left + width) - std::max(x, left);
    const int down = std::min(y + size.height, top + height) - std::max(y, top);
    if (across >= kVisible && down >= kVisible && y >= top) return true;
  }
  return false;
}

// Saves whether the window is maximized and, unless it is maximized or minimized, its position and size.
void remember_place(GLFWwindow* window, Settings& settings) {
  settings.maximized = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) == GLFW_TRUE;
  if (settings.maximized || glfwGetWindowAttrib(window, GLFW_ICONIFIED) == GLFW_TRUE) return;
  glfwGetWindowSize(window, &settings.window_width, &settings.window_height);
  int x = 0;
  int y = 0;
  glfwGetWindowPos(window, &x, &y);
  settings.window_x = x;
  settings.window_y = y;
}

/// Shows the window, at its saved position if that is on a monitor, and makes its OpenGL context current.
void show_window(GLFWwindow* window, PixelSize size, const Settings& settings) {
  glfwMakeContextCurrent(window);
  glfwSetWindowSizeLimits(window, kSmallestWidth, kSmallestHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwSwapInterval(1);
  if (settings.window_x && settings.window_y && !settings.maximized &&
      on_a_monitor(*settings.window_x, *settings.window_y, size)) {
    glfwSetWindowPos(window, *settings.window_x, *settings.window_y);
  }
  glfwShowWindow(window);
}

UiOptions ui_options(const WindowOptions& command, const Settings& settings) {
  const PictureOptions& picture = command.picture;
  return {.appearance = {.dark = picture.dark.value_or(settings.dark),
                         .language = picture.language ? picture.language : settings.language,
                         .look = settings.look,
                         .interface_scale = settings.interface_scale},
          .splitters = {.header_width = settings.header_width,
                        .drawer_heights = settings.drawer_heights,
                        .small_verdict = settings.small_verdict,
                        .inspector = settings.inspector},
          .dragging = settings.dragging,
          .keymap = load_keymap(),
          .recent_file = recent_files_path()};
}

/// Copies the user's choices from the window to the settings. Options from the command line are saved only if
/// the user has changed them since.
void take_settings(const App& app, const WindowOptions& command, const OpeningOptions& opening,
                   Settings& settings) {
  const PictureOptions& picture = command.picture;
  settings.header_width = app.splitters().header_width;
  settings.drawer_heights = app.splitters().drawer_heights;
  settings.small_verdict = app.splitters().small_verdict;
  settings.inspector = app.splitters().inspector;
  if (!picture.language || app.chosen_language() != picture.language)
    settings.language = app.chosen_language();
  settings.look = app.look();
  settings.dragging = app.dragging();
  settings.interface_scale = app.interface_scale();
  if (!opening.units || byte_units() != *opening.units) settings.units = byte_units();
  if (!picture.dark || app.dark() != *picture.dark) settings.dark = app.dark();
}

struct Joined {
  bool handed_over = false;
  std::unique_ptr<InstanceServer> server;  // null: this window accepts no files from other processes
};

// Sends the files to the running window, or becomes the window for later processes.
Joined join_instance(const WindowOptions& command, const OpeningOptions& opening) {
  const char* socket_given = std::getenv("KINETOSCOPE_SOCKET");
  // Tests, which use --state-file, need a separate window.
  if (!command.state_file.empty() && socket_given == nullptr) return {};
  const auto socket = instance_socket_path();
  if (!socket.ok()) {
    std::fprintf(stderr, "kinetoscope: %s\n", escaped(socket.error().what.str()).c_str());
    return {};
  }
  // These options need a separate window. Input that can be read only once must be read by this process.
  const PictureOptions& picture = command.picture;
  const bool own_window = command.new_window || opening.no_limit || opening.no_cache || picture.size ||
                          picture.scale || picture.dark ||
                          std::ranges::any_of(command.input.files, is_read_once);
  const Clock::time_point give_up = Clock::now() + std::chrono::seconds(3);
  for (;;) {
    if (!own_window && hand_over(socket.value(), command.input.files))
      return {.handed_over = true, .server = {}};
    auto server = InstanceServer::claim(socket.value());
    if (!server.ok()) {
      print_sentence(server.error(), socket.value());
      return {};
    }
    if (server.value() != nullptr) return {.handed_over = false, .server = std::move(server).value()};
    if (own_window || Clock::now() > give_up) return {};
    // Try again: the other process has claimed the socket, but does not listen yet.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void tell_no_window(msg::Id what, const std::string& detail) {
  const Message why = detail.empty() ? Message(what) : Message(msg::with_parentheses, what, detail);
  std::fprintf(stderr, "kinetoscope: %s\n", Message(msg::log_no_window, why).str().c_str());
}

}  // namespace

std::optional<int> run_window(const WindowOptions& command, const OpeningOptions& opening) {
  Joined joined = join_instance(command, opening);
  if (joined.handed_over) return 0;
  const std::filesystem::path settings_file = settings_path();
  const Settings before = load_settings(settings_file);
  const Glfw glfw;
  if (!glfw.initialised()) {
    tell_no_window(msg::no_display_for_a_window, last_glfw_error());
    return std::nullopt;
  }
  const PixelSize size = command.picture.size.value_or(PixelSize{before.window_width, before.window_height});
  const WindowHandle window = make_window(size, before.maximized && !command.picture.size);
  if (!window) {
    tell_no_window(msg::no_window_with_opengl, last_glfw_error());
    return std::nullopt;
  }
  show_window(window.get(), size, before);
  Settings now = before;
  Settings saved = before;
  const std::optional<float> scale = command.picture.scale ? command.picture.scale : scale_from_environment();
  set_byte_units(opening.units.value_or(before.units));
  {
    App app(window.get(), command, opening, ui_options(command, before), scale, std::move(joined.server));
    app.run([&](const App& changed) {
      take_settings(changed, command, opening, now);
      save_settings(settings_file, saved, now);
      saved = now;
    });
    take_settings(app, command, opening, now);
    if (app.frame_report()) std::fputs(app.frame_report()->text().c_str(), stdout);
  }
  if (!command.picture.size) remember_place(window.get(), now);
  save_settings(settings_file, saved, now);
  return 0;
}

}  // namespace kino
