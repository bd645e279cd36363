#include "app/screenshot_command.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <imgui.h>
#include <stb_image_write.h>

#include "app/atomic_file.hpp"
#include "app/gui_context.hpp"
#include "app/offscreen_context.hpp"
#include "app/session.hpp"
#include "app/terminal_text.hpp"
#include "app/ui.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongestDrawing = std::chrono::seconds(60);
constexpr int kSettlingFrames = 3;  // Dear ImGui lays out by what it measured the frame before
constexpr float kFrameSeconds = 1.0F / 60;

// Draws frames of the program's window into a framebuffer.
class Painter {
 public:
  Painter(const OffscreenContext& target, Session& session, Ui& ui, PixelSize size, float scale)
      : target_(target), session_(session), ui_(ui), size_(size), scale_{scale, 1} {}

  void draw_frame(GuiContext& gui) {
    session_.poll();
    for (std::size_t i = 0; i < session_.size(); ++i) gui.fonts().want(session_.document(i).glyphs());
    gui.fonts().want(ui_.glyphs());
    gui.fonts().want_in_headings(ui_.text_glyphs());
    gui.fonts().prefer(font_language_of(language()));
    gui.prepare_frame(ui_.theme(), scale_);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
    io.DeltaTime = kFrameSeconds;
    io.MousePos = ImVec2(-1e6F, -1e6F);
    ImGui::NewFrame();
    ui_.draw(scale_, kFrameSeconds, {});
    target_.bind();
    gui.render(ui_.theme());
  }

 private:
  const OffscreenContext& target_;
  Session& session_;
  Ui& ui_;
  PixelSize size_;
  DisplayScale scale_;
};

void append_png(void* context, void* data, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

std::optional<Error> write_png(const std::filesystem::path& path, const std::vector<std::uint8_t>& pixels,
                               PixelSize size) {
  std::string png;
  if (stbi_write_png_to_func(append_png, &png, size.width, size.height, 4, pixels.data(), size.width * 4) ==
      0) {
    return Error{Error::Kind::out_of_memory, "there is not enough memory to write the picture"};
  }
  return write_file_atomically(path, png, Durability::process_crash);
}

// Here a string is the sentence that says what went wrong, empty when nothing did.

std::string wait_until_loaded(Session& session, const std::string& file) {
  while (session.document(0).state() == Document::State::loading) {
    if (!session.poll()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (const auto choices = session.take_choices(); !choices.empty()) {
      return error_sentence(choices.front().error, file);
    }
    if (session.empty()) return error_sentence({Error::Kind::cancelled, "loading was cancelled"}, file);
  }
  const Document& document = session.document(0);
  return document.state() == Document::State::ready ? std::string() : error_sentence(document.error(), file);
}

std::string take_screenshot(const CommandLine& command) {
  const PixelSize size = command.size.value_or(PixelSize{});
  const std::string file = command.files.front().string();
  auto target = OffscreenContext::make(size.width, size.height);
  if (!target.ok()) return error_sentence(target.error(), file);
  GuiContext gui;
  Session session([] {}, [](const Document&) {}, {}, open_options(command));
  session.open(command.files);
  if (std::string problem = wait_until_loaded(session, file); !problem.empty()) return problem;

  const Document& document = session.document(0);
  if (!document.shows_timeline() && (command.select || command.range)) {
    return error_sentence(
        {Error::Kind::not_found, "--select and --range are for traces; this is an allocator snapshot"}, file);
  }
  if (command.select) {
    if (index_of(*command.select) >= document.opened().trace->slice_count()) {
      return error_sentence(
          {Error::Kind::not_found, "the trace has no slice of the number given with --select"}, file);
    }
    document.panel().select(*command.select);
  }
  UiOptions options;
  options.dark = command.dark.value_or(true);
  options.language = command.language;
  Ui ui(session, std::move(options), [] {});
  Painter painter(*target.value(), session, ui, size, command.scale.value_or(1));
  painter.draw_frame(gui);
  if (command.range) document.panel().show(*command.range);
  const Clock::time_point give_up = Clock::now() + kLongestDrawing;
  int complete_frames = 0;
  while (complete_frames < kSettlingFrames) {
    painter.draw_frame(gui);
    const bool settled = ui.complete() && !document.wants_frames();
    complete_frames = settled ? complete_frames + 1 : 0;
    if (Clock::now() > give_up) {
      return error_sentence({Error::Kind::system, "the picture was not complete after a minute of drawing"},
                            file);
    }
    if (!settled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (auto error = write_png(command.output, target.value()->pixels(), size)) {
    return error_sentence(*error, command.output.string());
  }
  return {};
}

}  // namespace

int run_screenshot_command(const CommandLine& command) {
  const std::string problem = take_screenshot(command);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "kinetoscope: %s\n", problem.c_str());
  return 1;
}

}  // namespace kino
