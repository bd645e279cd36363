#include "app/pages/memory_plot/treemap_svg.hpp"

#include <cstdio>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/svg_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/memory_raster.hpp"
#include "core/memory/snapshot_text.hpp"

namespace kino {

TreemapResult compute_treemap(const SnapshotDevice& device, const TreemapParams& question,
                              const std::stop_token& stop) {
  TreemapResult answer;
  answer.question = question;
  const auto last = static_cast<EventIndex>(device.entries.entry_count()) - 1;
  answer.layout = layout_at(device, last);
  if (stop.stop_requested()) return answer;
  answer.memory = fragmentation_of(answer.layout);
  answer.map = segment_treemap(answer.layout, question.width, question.height, question.least_area, stop);
  return answer;
}

std::string treemap_svg(const Snapshot& snapshot, const TreemapResult& answer, const PlotSvgStyle& look) {
  constexpr double kTop = 36;
  constexpr double kFontPx = 12;
  const TreemapParams& question = answer.question;
  const Allocations& all = snapshot.devices[question.device].history.allocations;
  const std::string width = std::to_string(static_cast<int>(question.width));
  const std::string height = std::to_string(static_cast<int>(question.height + kTop));
  std::string out = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + width + R"(" height=")" + height +
                    R"(" viewBox="0 0 )" + width + " " + height +
                    R"(" stroke="none" font-family="sans-serif" font-size="12">)" + "\n";
  out += R"(<rect width="100%" height="100%" fill=")" + svg_color(look.background) + "\"/>\n";
  out += svg_text_line(12, 22, "start", look.text, svg_fitted(look.title, question.width - 24, kFontPx));
  const auto rectangle = [&](const TreemapBox& box, const std::string& style) {
    char text[160];
    std::snprintf(text, sizeof text, R"(<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" )", box.left,
                  box.top + kTop, box.right - box.left, box.bottom - box.top);
    out += text + style + "/>\n";
  };
  for (const TreemapBox& box : answer.map.blocks) {
    const LayoutBlock& block = answer.layout.blocks[box.block];
    const double used = box.bytes > 0 ? static_cast<double>(box.used) / static_cast<double>(box.bytes) : 0;
    std::uint32_t color = mixed(look.background, look.text, box.count > 1 ? 0.5 * used : 0.06);
    const bool held = box.count == 1 && block.kind != LayoutKind::free;
    if (held) {
      MemoryCell cell;
      cell.allocation = static_cast<std::uint32_t>(block.allocation) + 1;
      cell.key = band_group(all, block.allocation);
      color = look.band(cell);
    }
    rectangle(box, "fill=\"" + svg_color(color) + "\" stroke=\"" + svg_color(look.background) + "\"");
    const double room = box.right - box.left - 8;
    if (box.count > 1 || box.bottom - box.top < 18 || room < 30) continue;
    const std::string words =
        held ? text_from_bytes(block.requested) + " · " +
                   in_language(place_message(snapshot, all.stack[static_cast<std::size_t>(block.allocation)]))
             : filled(Text::segments_free_block, {text_from_bytes(block.size)});
    const std::uint32_t ink = held ? 0xff000000U : look.text;
    out += svg_text_line(box.left + 4, box.top + kTop + 14, "start", ink, svg_fitted(words, room, kFontPx));
  }
  for (const TreemapBox& box : answer.map.segments)
    rectangle(box, R"(fill="none" stroke-width="2" stroke=")" + svg_color(look.text) + "\"");
  return out + "</svg>\n";
}

}  // namespace kino
