// Names on slices that are wide enough.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <imgui.h>

#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/track_layout.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/trace/trace.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Draws names on slices and caches their short forms. `trace` and `look` must outlive the object.
class SliceLabels {
 public:
  SliceLabels(const Trace& trace, const SliceStyle& look) : trace_(trace), look_(look) {}

  /// Draws labels on the slices that the renderer drew last, at their positions in `view` and in the layout
  /// scrolled to `scroll`. Lengths are in ImGui units; `renderer_scale` is the number of renderer px per
  /// unit. O(slices with a label).
  void draw(ImDrawList& list, const TimelineRenderer& renderer, double renderer_scale, const TimeView& view,
            const ShownRows& rows, const TrackLayout& layout, TrackScroll scroll, ImVec2 origin,
            const Theme& theme, float ui_scale);
  /// Returns the full name or its short form, as `look` requests. Valid as long as the object.
  std::string_view label_of(NameId name);

 private:
  const Trace& trace_;
  const SliceStyle& look_;
  std::unordered_map<std::uint32_t, std::string> short_forms_;
};

}  // namespace kino
