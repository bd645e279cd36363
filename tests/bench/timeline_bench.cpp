#include "tests/bench/timeline_bench.hpp"

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <epoxy/gl.h>
#include <fcntl.h>
#include <imgui.h>

#include "app/pages/timeline/timeline_panel.hpp"
#include "app/system/offscreen_context.hpp"
#include "app/ui/backend/gl_backend.hpp"
#include "app/ui/backend/gui_context.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/time_text.hpp"
#include "core/base/worker_pool.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/formats/chrome_trace/json_event_details.hpp"
#include "tests/bench/table.hpp"
#include "tests/bench/trace_generator.hpp"

namespace kino_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSmallestSpan = 1000;
constexpr float kFrameSeconds = 1.0F / 60;
constexpr double kSwayPx = 64;  // the view moves back and forth, so that no frame can be reused
constexpr auto kPatience = std::chrono::seconds(120);

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Draws the timeline on the whole framebuffer, with the mouse in its middle.
class TimelineStage {
 public:
  TimelineStage(std::shared_ptr<const kino::Trace> trace, const kino::OffscreenContext& target,
                const TimelineBenchOptions& options)
      : target_(target),
        options_(options),
        panel_(trace,
               kino::json_event_details(trace, std::make_shared<kino::FileSource>(kino::Descriptor(
                                                   ::open("/dev/null", O_RDONLY | O_CLOEXEC)))),
               bookmarks_, pool_, [] {}) {
    if (!options.pixels) glEnable(GL_RASTERIZER_DISCARD);
  }

  kino::TimelinePanel& panel() { return panel_; }

  void draw_frame() {
    gui_.prepare_frame(theme_, {1, 1});
    ImGuiIO& io = ImGui::GetIO();
    const ImVec2 size(static_cast<float>(options_.width_px), static_cast<float>(options_.height_px));
    io.DisplaySize = size;
    io.DeltaTime = kFrameSeconds;
    io.MousePos = ImVec2(size.x / 2, size.y / 2);
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::Begin("timeline", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    ImGui::PopStyleVar();
    kino::PageFrame frame;
    frame.theme = &theme_;
    frame.delta_seconds = kFrameSeconds;
    panel_.draw(frame);
    ImGui::End();
    target_.bind();
    ImGui::Render();
    gui_.render(theme_);
  }

  // Waits until the workers are idle: each of them reaches the barrier only if there is no tile to build.
  void wait_for_workers() {
    const auto count = static_cast<std::ptrdiff_t>(pool_.thread_count());
    const auto gate = std::make_shared<std::barrier<>>(count + 1);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      pool_.post(kino::WorkerPool::Priority::normal, [gate] { gate->arrive_and_wait(); });
    }
    gate->arrive_and_wait();
  }

  // Draws until all tiles of the view are loaded and labelled. Returns false on timeout.
  bool draw_until_complete() {
    const Clock::time_point begin = Clock::now();
    draw_frame();
    while (!panel_.complete()) {
      if (Clock::now() - begin > kPatience) return false;
      draw_frame();
    }
    return true;
  }

 private:
  const kino::OffscreenContext& target_;
  const TimelineBenchOptions& options_;
  kino::Theme theme_ = kino::Theme::make(true);
  kino::WorkerPool pool_;
  kino::GuiContext gui_{std::make_unique<kino::GlBackend>()};
  kino::Bookmarks bookmarks_{{}, {}, pool_, [] {}};
  kino::TimelinePanel panel_;
};

// Positions of views in the trace, from 0 (begin) to 1 (end). Frames are measured at the last one.
constexpr std::array<double, 5> kPlaces = {0.83, 0.11, 0.59, 0.71, 0.37};

// Returns the visible time range for a span and a position, moved by `sway_px`.
kino::TimeRange range_at(const kino::Trace& trace, double span_ns, double place, double sway_px,
                         int width_px) {
  const auto whole = static_cast<double>(trace.content.length_ns());
  const double begin =
      static_cast<double>(trace.content.begin_ns) + (whole - span_ns) * place + sway_px * span_ns / width_px;
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + span_ns)};
}

bool measure_level(TimelineStage& stage, const kino::Trace& trace, double span_ns,
                   const TimelineBenchOptions& options, TimelineLevel& figures) {
  double place = 0;
  const auto show = [&](double sway_px) {
    stage.panel().show(range_at(trace, span_ns, place, sway_px, options.width_px));
  };
  for (const double next : kPlaces) {
    place = next;
    const Clock::time_point begin = Clock::now();
    show(0);
    stage.draw_frame();
    const Clock::time_point drawn = Clock::now();
    stage.wait_for_workers();
    figures.tiles_ms.push_back(seconds_since(drawn) * 1e3);
    if (!stage.draw_until_complete()) return false;
    figures.jump_ms.push_back(seconds_since(begin) * 1e3);
  }
  for (const double sway_px : {-kSwayPx, kSwayPx}) {
    show(sway_px);
    if (!stage.draw_until_complete()) return false;
  }
  for (int i = 0; i < options.frames; ++i) {
    show(kSwayPx * std::sin(i * 0.1));
    stage.draw_frame();
    if (!stage.panel().complete() && stage.panel().draw_stats().tiles_missing > 0) continue;
    figures.frame_ms.push_back(stage.panel().frame_cpu_ms());
    figures.renderer_ms.push_back(stage.panel().draw_stats().cpu_ms);
  }
  return true;
}

}  // namespace

std::optional<TimelineFigures> measure_timeline(const TimelineBenchOptions& options) {
  auto target = kino::OffscreenContext::make(options.width_px, options.height_px);
  if (!target.ok()) {
    std::fprintf(stderr, "kinetoscope_bench: %s\n", target.error().what.str().c_str());
    return std::nullopt;
  }
  const Clock::time_point begin = Clock::now();
  const std::shared_ptr<const kino::Trace> trace = make_large_trace(options.slices);
  if (trace == nullptr) {
    std::fputs("kinetoscope_bench: there is not enough memory for so many slices\n", stderr);
    return std::nullopt;
  }
  TimelineFigures figures;
  figures.build_seconds = seconds_since(begin);
  figures.slices = trace->slice_count();
  figures.lanes = trace->rows.size();
  figures.model_bytes = trace->size_bytes();

  TimelineStage stage(trace, *target.value(), options);
  if (!stage.draw_until_complete()) return std::nullopt;
  const auto whole = static_cast<double>(trace->content.length_ns());
  for (int i = 0; i < options.levels; ++i) {
    const double share = options.levels > 1 ? static_cast<double>(i) / (options.levels - 1) : 0;
    TimelineLevel level;
    level.span_ns = whole * std::pow(kSmallestSpan / whole, share);
    if (!measure_level(stage, *trace, level.span_ns, options, level)) {
      std::fputs("kinetoscope_bench: the tiles of a view do not arrive\n", stderr);
      return std::nullopt;
    }
    level.tiles = stage.panel().draw_stats().tiles_drawn;
    level.instances = stage.panel().draw_stats().instances;
    figures.levels.push_back(std::move(level));
  }
  return figures;
}

bool run_timeline_bench(const TimelineBenchOptions& options) {
  const auto figures = measure_timeline(options);
  if (!figures) return false;
  const std::string title =
      grouped_number(figures->slices, options.csv) + " slices in " + std::to_string(figures->lanes) +
      " lanes, built in " + fixed(figures->build_seconds, 2) + " s with " +
      fixed(static_cast<double>(figures->model_bytes) / static_cast<double>(figures->slices), 1) +
      " bytes a slice; timeline at " + std::to_string(options.width_px) + "x" +
      std::to_string(options.height_px);
  std::printf("%s%s\n", options.csv ? "# " : "", title.c_str());
  Table table({"in view", "frames", "CPU ms median", "CPU ms 99 %", "of it renderer", "tiles", "instances",
               "ms for the tiles of a jump", "slowest", "ms until drawn"});
  for (const TimelineLevel& level : figures->levels) {
    table.add({kino::text_from_duration(static_cast<std::int64_t>(level.span_ns)),
               std::to_string(level.frame_ms.size()), fixed(median(level.frame_ms), 3),
               fixed(percentile(level.frame_ms, 0.99), 3), fixed(median(level.renderer_ms), 3),
               std::to_string(level.tiles), grouped_number(level.instances, options.csv),
               fixed(median(level.tiles_ms), 1),
               fixed(*std::max_element(level.tiles_ms.begin(), level.tiles_ms.end()), 1),
               fixed(median(level.jump_ms), 1)});
  }
  std::printf("%s", table.text(options.csv).c_str());
  return true;
}

}  // namespace kino_test
