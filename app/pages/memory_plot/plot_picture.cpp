#include "app/pages/memory_plot/plot_picture.hpp"

#include <algorithm>
#include <utility>

#include "app/pages/memory_plot/band_paint.hpp"

namespace kino {

void PlotPicture::start_svg(const SnapshotState& state, PlotSvgStyle look,
                            std::optional<OverlayParams> over) {
  PlotGeometry geometry = plot_geometry(state);
  // The picture has exactly the visible columns, without the margins for panning.
  const TimeView& view = state.navigation.view();
  geometry.begin_units = view.begin_ns;
  geometry.columns =
      static_cast<std::uint32_t>(std::max(1.0, (view.end_ns() - view.begin_ns) / geometry.units_per_column));
  if (over) over->plot = geometry;
  picture_.save_svg(
      [snapshot = snapshot_, geometry, look = std::move(look), over](const std::stop_token& stop) {
        const PlotRaster plot = plot_raster(*snapshot, geometry, stop);
        const std::shared_ptr<const Snapshot> other = over ? over->other.lock() : nullptr;
        if (other == nullptr) return plot_svg(*snapshot, plot, look);
        const OverlayCurves curves = overlay_curves(*over, stop);
        return plot_svg(*snapshot, plot, look, &curves);
      });
}

void PlotPicture::start_svg(const TreemapResult& shown, PlotSvgStyle look) {
  picture_.save_svg([snapshot = snapshot_, question = shown.question,
                     look = std::move(look)](const std::stop_token& stop) {
    return treemap_svg(*snapshot, compute_treemap(snapshot->devices[question.device], question, stop), look);
  });
}

void PlotPicture::draw(ImDrawList& list, const SnapshotState& state) {
  picture_.draw(list, state.boxes.picture(), state.framebuffer_scale);
}

}  // namespace kino
