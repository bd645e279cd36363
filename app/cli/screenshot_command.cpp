#include "app/cli/screenshot_command.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <imgui.h>

#include "app/cli/command_line/choices.hpp"
#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/pages/job/job_panel.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/ui.hpp"
#include "app/system/atomic_file.hpp"
#include "app/system/offscreen_context.hpp"
#include "app/system/png_text.hpp"
#include "app/ui/backend/gl_backend.hpp"
#include "app/ui/backend/gui_context.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongestDrawing = std::chrono::seconds(60);
constexpr auto kReadingPause = std::chrono::milliseconds(50);
// Number of consecutive complete frames before the picture is taken: several, because Dear ImGui's layout
// uses measurements of the previous frame.
constexpr int kSettlingFrames = 3;
constexpr float kFrameSeconds = 1.0F / 60;

// Draws frames of the window into a framebuffer.
class Painter {
 public:
  Painter(const OffscreenContext& target, Session& session, Ui& ui, PixelSize size, float scale)
      : target_(target), session_(session), ui_(ui), size_(size), scale_{scale, 1} {}

  void draw_frame(GuiContext& gui) {
    session_.poll();
    ui_.request_glyphs(gui.fonts());
    gui.prepare_frame(ui_.theme(), scale_);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
    io.DeltaTime = kFrameSeconds;
    io.MousePos = ImVec2(-1e6F, -1e6F);
    ImGui::NewFrame();
    ui_.draw(scale_, kFrameSeconds, {});
    target_.bind();
    ImGui::Render();
    gui.render(ui_.theme());
    target_.finish();
  }

 private:
  const OffscreenContext& target_;
  Session& session_;
  Ui& ui_;
  PixelSize size_;
  DisplayScale scale_;
};

std::optional<Error> wait_until_loaded(Session& session) {
  while (session.document(0).state() == Document::State::loading) {
    if (!session.poll()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (const auto choices = session.take_choices(); !choices.empty()) return choices.front().error;
    if (session.empty()) return Error{Error::Kind::cancelled, "loading was cancelled"};
  }
  const Document& document = session.document(0);
  if (document.state() == Document::State::ready) return std::nullopt;
  return document.error();
}

/// Checks that the document has the slice, time range and plot that the command requests. Selects the slice
/// and sets up the plot, but does not show the time range.
std::optional<Error> choose_view(const ScreenshotCommand& command, const Document& document) {
  auto* const timeline = document.as<TimelinePanel>();
  if (timeline == nullptr && (command.select || command.range)) {
    return Error{Error::Kind::not_found,
                 "--select, --from and --to are for traces; this is an allocator snapshot"};
  }
  if (command.select) {
    if (index_of(*command.select) >= document.opened().trace->slice_count())
      return Error{Error::Kind::not_found, "the trace has no slice with the number of --select"};
    timeline->select(*command.select);
  }
  if (command.range) {
    if (auto error = outside_trace(*command.range, document.opened().trace->range)) return error;
  }
  if (command.look == PlotOptions{}) return std::nullopt;
  auto* const snapshot = document.as<SnapshotPanel>();
  if (snapshot == nullptr) {
    return Error{Error::Kind::not_found,
                 "--at, --layout, --color, --axis, --find and --device are for allocator snapshots; this is "
                 "a trace"};
  }
  return snapshot->look(command.look);
}

/// Draws until kSettlingFrames consecutive frames are complete. Fails after kLongestDrawing.
std::optional<Error> draw_until_complete(Painter& painter, GuiContext& gui, const Ui& ui,
                                         const Document& document) {
  Clock::time_point give_up = Clock::now() + kLongestDrawing;
  int complete_frames = 0;
  while (complete_frames < kSettlingFrames) {
    painter.draw_frame(gui);
    if (const auto* const job = document.as<JobPanel>(); job != nullptr && job->reading()) {
      // Pauses, because reading needs the cores that drawing would use, and restarts the timeout, because
      // reading a thousand files may take long.
      std::this_thread::sleep_for(kReadingPause);
      give_up = Clock::now() + kLongestDrawing;
      continue;
    }
    const bool settled = ui.complete() && !document.wants_frames();
    complete_frames = settled ? complete_frames + 1 : 0;
    if (Clock::now() > give_up) return Error{Error::Kind::system, "drawing did not finish within a minute"};
    if (!settled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

}  // namespace

void ScreenshotCommand::declare(CLI::App& app) {
  input.add_to(app, "The trace, allocator snapshot or folder of a job to draw");
  output.add_to(app, "The PNG file to write");
  picture.add_to(app, "Size of the picture in pixels (default 1600x900)");
  CLI::Option* const from =
      app.add_option("--from", from_ns_, "Start of the time range, in ns since the start of the trace")
          ->type_name("NS");
  CLI::Option* const to = app.add_option("--to", to_ns_, "End of the time range")->type_name("NS");
  from->needs(to);
  to->needs(from);
  app.add_option_function<std::uint32_t>(
         "--select", [this](const std::uint32_t& id) { select = SliceId{id}; },
         "Number of the slice to select")
      ->type_name("N");
  declare_style(app);
  strict.add_to(app);
  opening.add_to(app);
}

void ScreenshotCommand::declare_style(CLI::App& app) {
  moment_.add_to(app);
  one_of(app.add_option("--layout", look.layout, "For snapshots: arrangement of the memory"),
         {"stacked", "stack", "stream", "pool", "segment", "lanes", "addresses"});
  one_of(app.add_option("--color", look.color, "For snapshots: meaning of the colors"),
         {"stack", "category", "stream", "pool", "size"});
  one_of(app.add_option("--axis", look.axis, "For snapshots: unit of the horizontal axis"),
         {"events", "time", "steps"});
  app.add_option("--find", look.find,
                 "For snapshots: highlight allocations that match the query (see `kinetoscope table --help`)")
      ->type_name("QUERY");
  app.add_flag("--only-hits", look.only_hits, "For snapshots: show only allocations that --find finds");
}

std::string ScreenshotCommand::finish() {
  look.at = moment_.at;
  look.device = moment_.device;
  if (from_ns_ && to_ns_) range = TimeRange{*from_ns_, *to_ns_};
  if (range && range->length_ns() <= 0) return "--to must be after --from";
  return look.only_hits && look.find.empty() ? "--only-hits needs --find" : "";
}

Result<std::string> ScreenshotCommand::png(DamageLog* damage) const {
  const PixelSize size = picture.size.value_or(PixelSize{});
  auto target = OffscreenContext::make(size.width, size.height);
  if (!target.ok()) return target.error();
  GuiContext gui(std::make_unique<GlBackend>());
  Session session([] {}, [](const Document&) {}, {}, opening.open_options());
  session.open({&input.file, 1});
  if (auto problem = wait_until_loaded(session)) return *problem;

  const Document& document = session.document(0);
  auto* const timeline = document.as<TimelinePanel>();
  if (damage != nullptr && timeline != nullptr) *damage = document.opened().trace->damage;
  if (damage != nullptr && document.snapshot() != nullptr && timeline == nullptr)
    *damage = document.snapshot()->damage;
  if (auto problem = choose_view(*this, document)) return *problem;
  UiOptions options;
  options.appearance.dark = picture.dark.value_or(true);
  options.appearance.language = picture.language;
  Ui ui(session, std::move(options), [] {});
  Painter painter(*target.value(), session, ui, size, picture.scale.value_or(1));
  painter.draw_frame(gui);
  if (range) timeline->show(*range);
  if (auto problem = draw_until_complete(painter, gui, ui, document)) return *problem;
  return png_of(target.value()->pixels(), size.width, size.height);
}

int ScreenshotCommand::run() const {
  if (folder_missing(output.file)) return 1;
  DamageLog damage;
  const Result<std::string> drawn = png(&damage);
  if (!drawn.ok()) return fail_with(drawn.error(), input.file);
  if (rejects_truncated(damage, input.file.string(), strict.on)) return 1;
  if (auto error = write_file_atomically(output.file, drawn.value(), Durability::process_crash))
    return fail_with(*error, output.file);
  return 0;
}

}  // namespace kino
