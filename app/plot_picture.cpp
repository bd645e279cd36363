#include "app/plot_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/file_beside.hpp"
#include "app/png_text.hpp"
#include "app/text_export.hpp"
#include "app/texts.hpp"
#include "render/frame_pixels.hpp"

namespace kino {
bool PlotPicture::tells() const { return ImGui::GetTime() - told_at_ < kToldSeconds; }

PlotPicture::Written PlotPicture::write(const std::filesystem::path& file, const char* extension,
                                        const Result<std::string>& text) {
  if (!text.ok()) return {{}, text.error().what};
  const auto written = write_file_beside(file, ".memory", extension, text.value());
  if (!written.ok()) return {{}, written.error().what};
  return {written.value().string(), {}};
}

void PlotPicture::start_svg(const SnapshotState& state, PlotSvgLook look) {
  PlotGeometry geometry = plot_geometry(state);
  // Without the margins for panning.
  const TimeView& view = state.navigation.view();
  geometry.begin_units = view.begin_ns;
  geometry.columns =
      static_cast<std::uint32_t>(std::max(1.0, (view.end_ns() - view.begin_ns) / geometry.units_per_column));
  written_.start(
      pool_, wake_,
      [snapshot = snapshot_, file = file_, geometry, look = std::move(look)](const std::stop_token& stop) {
        return write(file, ".svg", plot_svg(*snapshot, plot_raster(*snapshot, geometry, stop), look));
      });
}

void PlotPicture::read(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  PlotPicture& it = *static_cast<PlotPicture*>(command->UserCallbackData);
  if (it.width_ <= 0 || it.height_ <= 0) return;
  it.written_.start(it.pool_, it.wake_,
                    [file = it.file_, pixels = read_pixels(it.left_, it.bottom_, it.width_, it.height_),
                     width = it.width_, height = it.height_](const std::stop_token&) {
                      return write(file, ".png", png_of(pixels, width, height));
                    });
}

void PlotPicture::draw(ImDrawList& list, const SnapshotState& state) {
  if (!std::exchange(png_wanted_, false)) return;
  const double fine = state.framebuffer_scale;
  const auto whole = [fine](float value) { return static_cast<int>(std::lround(value * fine)); };
  const ImVec2 origin = ImGui::GetMainViewport()->Pos;
  const Box& all = state.boxes.all;
  const float bottom = state.boxes.plot.bottom;
  left_ = whole(all.left - origin.x);
  width_ = whole(all.right - origin.x) - left_;
  bottom_ = whole(ImGui::GetIO().DisplaySize.y) - whole(bottom - origin.y);
  height_ = whole(bottom - origin.y) - whole(all.top - origin.y);
  list.AddCallback(&PlotPicture::read, this);
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void PlotPicture::update() {
  if (!written_.poll()) return;
  const Written& done = *written_.value();
  message_ = done.problem.empty() ? filled(Text::table_saved, {done.path})
                                  : filled(Text::table_not_saved, {done.problem});
  told_at_ = ImGui::GetTime();
}

}  // namespace kino
