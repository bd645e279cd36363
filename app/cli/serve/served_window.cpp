#include "app/cli/serve/served_window.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/serve/page_downloads.hpp"
#include "app/cli/serve/page_message.hpp"
#include "app/cli/serve/page_uploads.hpp"
#include "app/cli/serve/served_paths.hpp"
#include "app/cli/serve/session_channel.hpp"
#include "app/cli/serve/session_folder.hpp"
#include "app/cli/serve/session_memory.hpp"
#include "app/shell/documents/cache_keeper.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/folder_pages.hpp"
#include "app/shell/frame_pacer.hpp"
#include "app/shell/settings/settings.hpp"
#include "app/shell/ui.hpp"
#include "app/system/assets.hpp"
#include "app/ui/backend/gui_context.hpp"
#include "app/ui/backend/recording_backend.hpp"
#include "app/ui/backend/remote_clipboard.hpp"
#include "app/ui/backend/remote_input.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "render/recording_gpu.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostFramesOnTheWay = 2;
constexpr double kFirstFrameSeconds = 1.0 / 60;
constexpr double kLongestFrameSeconds = 0.1;
constexpr double kShortestFrameSeconds = 1.0 / 60;

/// Wakes the UI thread from any thread.
class EventWaker {
 public:
  EventWaker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.fd, &one, sizeof one);
  }
  bool take() const {
    std::uint64_t count = 0;
    return ::read(event_.fd, &count, sizeof count) == sizeof count;
  }
  int descriptor() const { return event_.fd; }

 private:
  Descriptor event_;
};

const char* css_cursor(ImGuiMouseCursor cursor) {
  switch (cursor) {
    case ImGuiMouseCursor_None:
      return "none";
    case ImGuiMouseCursor_TextInput:
      return "text";
    case ImGuiMouseCursor_ResizeAll:
      return "move";
    case ImGuiMouseCursor_ResizeNS:
      return "ns-resize";
    case ImGuiMouseCursor_ResizeEW:
      return "ew-resize";
    case ImGuiMouseCursor_ResizeNESW:
      return "nesw-resize";
    case ImGuiMouseCursor_ResizeNWSE:
      return "nwse-resize";
    case ImGuiMouseCursor_Hand:
      return "pointer";
    case ImGuiMouseCursor_NotAllowed:
      return "not-allowed";
    default:
      return "default";
  }
}

Settings settings_or_complaint() {
  Result<Settings> settings = read_settings(settings_path());
  if (settings.ok()) return std::move(settings).value();
  fail_with(settings.error(), settings_path());
  return {};
}

std::optional<Language> language_of_browser(std::string_view name) {
  if (name.starts_with("ja")) return Language::japanese;
  if (name.starts_with("zh")) return Language::chinese;
  return Language::english;
}

UiOptions ui_options(const PageHello& hello, const ServedPaths& paths,
                     std::function<bool(const std::filesystem::path&)> may_open) {
  const Settings settings = settings_or_complaint();
  Keymap keymap = read_keymap(keymap_path());
  keymap.adapt_to_browser();
  const std::optional<Language> language =
      settings.language ? settings.language : language_of_browser(hello.language);
  return {.appearance = {.dark = settings.dark,
                         .language = language,
                         .look = settings.look,
                         .interface_scale = settings.interface_scale},
          .splitters = {},
          .dragging = settings.dragging.value_or(Dragging::selects),
          .keymap = std::move(keymap),
          .recent_file = {},
          .may_open = std::move(may_open),
          .dialog_folder = paths.first_folder()};
}

/// The paths, and the sample trace of the tour.
std::vector<std::filesystem::path> with_sample(std::vector<std::filesystem::path> paths) {
  if (const auto sample = find_sample()) paths.push_back(*sample);
  return paths;
}

/// Members are in the order of construction.
class ServedWindow {
 public:
  ServedWindow(SessionChannel& channel, const PageHello& hello, const ServedWindowOptions& options)
      : channel_(channel),
        options_(options),
        paths_(with_sample(options.paths)),
        folder_(own_session_folder()),
        downloads_(channel, folder_),
        uploads_(channel, folder_, options.most_upload_bytes),
        gpu_(hello.largest_texture),
        gui_(make_backend(), [this] { waker_.wake(); }),
        clipboard_([this](const std::string& text) {
          send({{"t", "clipboard"}, {"text", text}});
        }),
        session_([this] { waker_.wake(); },
                 [](const Document& document) { fail_with(document.error(), document.path()); }, {},
                 open_options()),
        ui_(session_, ui_options(hello, paths_, may_open()), [this] { waker_.wake(); }) {
    for (const ShaderProgram program :
         {ShaderProgram::slices, ShaderProgram::instants, ShaderProgram::counter})
      gpu_.prepare(program);
    attach(hello);
    open_first(hello);
  }

  /// Returns the exit code.
  int run() {
    try {
      return serve();
    } catch (const std::bad_alloc&) {
      end_out_of_memory();
    }
  }

 private:
  int serve() {
    while (!channel_.closed()) {
      const bool draws = may_draw();
      const double sleep_seconds = !draws  ? std::numeric_limits<double>::infinity()
                                   : due() ? 0
                                           : ui_.sleep_seconds();
      const bool timed_out = wait(sleep_seconds);
      take_messages();
      if (const auto files = uploads_.take_complete(); !files.empty()) {
        ui_.open(files);
        pacer_.arrived();
      }
      if (timed_out) pacer_.time_passed();
      if (waker_.take()) woken_ = true;
      if (!may_draw()) continue;
      if (session_.poll(ImGui::IsAnyMouseDown()) || std::exchange(woken_, false)) {
        pacer_.arrived();
        picture_.reset();
      }
      if (!due()) continue;
      draw_frame();
      if (ui_.quit_requested()) {
        channel_.send(SessionMessage::Kind::end, nlohmann::json{{"t", "end"}, {"why", "quit"}}.dump());
        return 0;
      }
    }
    return 0;
  }

  std::unique_ptr<GuiBackend> make_backend() {
    auto backend = std::make_unique<RecordingBackend>(gpu_);
    backend_ = backend.get();
    return backend;
  }

  /// Returns whether a path is shared, or the user has uploaded it.
  std::function<bool(const std::filesystem::path&)> may_open() const {
    return
        [this](const std::filesystem::path& path) { return paths_.contains(path) || folder_.contains(path); };
  }

  OpenOptions open_options() {
    OpenOptions opening = options_.opening.open_options();
    opening.may_open = may_open();
    if (options_.opening.no_cache) return opening;
    opening.cache.keep = [this, plain = opening](const OpenedTrace& opened) {
      // An uploaded file does not outlive the session.
      if (!folder_.contains(opened.source.path)) keeper_.add(opened, plain);
    };
    return opening;
  }

  /// Opens the files that the page names, or those of the command line and folders that could be a job.
  void open_first(const PageHello& hello) {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : hello.open) {
      std::filesystem::path path = paths_.first_folder() / name;
      if (paths_.contains(path)) {
        files.push_back(std::move(path));
      } else {
        send({{"t", "refused"}, {"path", name}});
      }
    }
    std::error_code code;
    for (const std::filesystem::path& path : options_.paths) {
      if (hello.open.empty() && (!std::filesystem::is_directory(path, code) || holds_files(path)))
        files.push_back(path);
    }
    if (!files.empty()) ui_.open(files);
  }

  void send(const nlohmann::json& message) {
    channel_.send(SessionMessage::Kind::text,
                  message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void attach(const PageHello& hello) {
    size_ = hello.size;
    attached_ = true;
    visible_ = true;
    title_.clear();
    cursor_.clear();
    channel_.send(SessionMessage::Kind::attach, std::string_view());
    resend();
    uploads_.cancel();
    downloads_.attach();
  }

  void resend() {
    on_the_way_ = 0;
    gpu_.resend();
    backend_->resend();
    picture_.reset();
    pacer_.arrived();
  }

  bool may_draw() const { return attached_ && visible_ && on_the_way_ < kMostFramesOnTheWay; }
  bool due() const { return pacer_.frame_due() || !input_.empty() || ui_.sleep_seconds() == 0; }

  /// Waits for messages, workers or the time of the next frame. Returns whether `seconds` was positive and
  /// that time passed without a message or a worker's call.
  bool wait(double seconds) const {
    const double since_last = std::chrono::duration<double>(Clock::now() - last_frame_).count();
    const double left = std::max(seconds, kShortestFrameSeconds - since_last);
    const int timeout_ms = std::isfinite(left) ? static_cast<int>(std::ceil(std::max(left, 0.0) * 1000)) : -1;
    std::array<pollfd, 2> sources = {pollfd{.fd = channel_.descriptor(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = waker_.descriptor(), .events = POLLIN, .revents = 0}};
    return ::poll(sources.data(), sources.size(), timeout_ms) == 0 && seconds > 0;
  }

  void take_messages() {
    while (const std::optional<SessionChannel::Received> message = channel_.receive()) {
      if (message->kind == SessionMessage::Kind::attach) {
        if (const std::optional<PageHello> hello = parse_hello(message->content)) attach(*hello);
      } else if (message->kind == SessionMessage::Kind::detach) {
        attached_ = false;
        downloads_.detach();
        uploads_.cancel();
        input_.focus(false);
      } else if (message->kind == SessionMessage::Kind::file) {
        uploads_.take(message->content);
      } else if (const auto parsed = parse_page_message(message->content, input_)) {
        take(*parsed);
      }
    }
  }

  void take(const PageMessage& message) {
    switch (message.kind) {
      case PageMessage::Kind::input:
        pacer_.arrived();
        break;
      case PageMessage::Kind::size:
        if (std::exchange(size_, message.size) != message.size) pacer_.arrived();
        break;
      case PageMessage::Kind::acknowledged:
        on_the_way_ = std::max(on_the_way_ - 1, 0);
        break;
      case PageMessage::Kind::visible:
        visible_ = true;
        on_the_way_ = 0;  // a hidden page does not acknowledge
        picture_.reset();
        pacer_.arrived();
        break;
      case PageMessage::Kind::hidden:
        visible_ = false;
        break;
      case PageMessage::Kind::pasted:
        clipboard_.set(message.text);
        break;
      case PageMessage::Kind::resend:
        resend();
        break;
      case PageMessage::Kind::received:
        downloads_.acknowledged();
        break;
      case PageMessage::Kind::upload:
        uploads_.begin(message.request);
        break;
      case PageMessage::Kind::cancel:
        uploads_.cancel();
        break;
    }
  }

  void draw_frame() {
    const Clock::time_point now = Clock::now();
    const double since_last = std::chrono::duration<double>(now - last_frame_).count();
    const double delta = since_last > kLongestFrameSeconds ? kFirstFrameSeconds : std::max(since_last, 1e-4);
    last_frame_ = now;
    const DisplayScale scale{std::clamp(size_.ratio * ui_.appearance().interface_scale(), 0.5F, 4.0F), 1};
    ui_.request_glyphs(gui_.fonts());
    gui_.prepare_frame(ui_.theme(), scale);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
    io.DeltaTime = static_cast<float>(delta);
    const bool took_input = input_.begin_frame();
    ImGui::NewFrame();
    ui_.draw(scale, delta, {});
    ImGui::Render();
    const std::uint64_t picture = gui_.picture();
    pacer_.drawn(took_input, picture);
    if (picture_ != picture) {
      picture_ = picture;
      gui_.render(ui_.theme());
      ++on_the_way_;
      channel_.send(SessionMessage::Kind::frame, gpu_.end_frame());
    }
    send_changes();
  }

  void send_changes() {
    if (const std::string title = ui_.window_title(); title != title_) {
      title_ = title;
      send({{"t", "title"}, {"title", title}});
    }
    if (const std::string cursor = css_cursor(ImGui::GetMouseCursor()); cursor != cursor_) {
      cursor_ = cursor;
      send({{"t", "cursor"}, {"cursor", cursor}});
    }
  }

  SessionChannel& channel_;
  const ServedWindowOptions& options_;
  ServedPaths paths_;
  SessionFolder folder_;
  PageDownloads downloads_;
  PageUploads uploads_;
  EventWaker waker_;
  RecordingGpu gpu_;
  CurrentGpu current_gpu_{gpu_};
  RecordingBackend* backend_ = nullptr;  // owned by gui_
  GuiContext gui_;
  RemoteClipboard clipboard_;
  RemoteInput input_;
  CacheKeeper keeper_;
  Session session_;
  Ui ui_;
  FramePacer pacer_;
  PageSize size_;
  bool attached_ = true;
  bool visible_ = true;
  bool woken_ = false;                    // whether a worker has changed the picture since the last frame
  int on_the_way_ = 0;                    // number of frames that the page has not acknowledged
  std::optional<std::uint64_t> picture_;  // hash of the last frame sent; nullopt: send the next one
  Clock::time_point last_frame_ = Clock::now();
  std::string title_;
  std::string cursor_;
};

/// Waits for the first message of the server. Returns nullopt if there is none.
std::optional<PageHello> first_hello(SessionChannel& channel) {
  while (!channel.closed()) {
    if (const auto message = channel.receive()) {
      if (message->kind == SessionMessage::Kind::attach) return parse_hello(message->content);
      continue;
    }
    pollfd source{.fd = channel.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&source, 1, -1);
  }
  return std::nullopt;
}

}  // namespace

int run_served_window(Descriptor server, const ServedWindowOptions& options) {
  SessionChannel channel(std::move(server));
  const std::optional<PageHello> hello = first_hello(channel);
  if (!hello) return 1;
  report_out_of_memory(channel);
  ServedWindow window(channel, *hello, options);
  return window.run();
}

}  // namespace kino
