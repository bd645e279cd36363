// State that the parts of the serving page share: positions, content and selection.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/pages/serving/serving_content.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct ServingBoxes {
  Box all;
  Box bar;     ///< facts about the iterations, and buttons
  Box plot;    ///< iterations, with title and legend
  Box bars;    ///< the bars of the plot alone
  Box groups;  ///< table of groups
  Box stalls;  ///< table of stalls
  Box parts;   ///< parts of the selected group
  Box limits;  ///< line with the information that no trace contains
};

struct ServingState {
  Theme theme;
  float scale = 1;
  ServingBoxes boxes;
  std::shared_ptr<const ServingContent> content;  ///< null until it is computed
  bool failed = false;                            ///< the computation ran out of memory
  std::optional<std::size_t> iteration;           ///< selected index of Iterations::list
  std::optional<std::size_t> group;               ///< selected index of ServingContent::groups
  bool scroll = false;                            ///< whether the table of stalls shows the selection next
  std::vector<PageRequest> requests;

  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  bool has_iterations() const { return content != nullptr && !content->empty(); }
  /// Returns the selected group or, without a selection, ServingContent::main_group(). Null without groups.
  const IterationGroup* shown_group() const;

  /// Selects the next (+1) or previous (-1) stall after the selected iteration. After the last, continues at
  /// the first. Does nothing without stalls.
  void step_stall(int by);
  /// Selects the next (+1) or previous (-1) iteration. Stays at the first and last.
  void step_iteration(int by);
  /// Selects the next (+1) or previous (-1) group. Stays at the first and last.
  void step_group(int by);
  /// Selects an iteration and requests the timeline to show its window or, without one, its mark.
  void open(std::size_t index);
  /// Opens the selected iteration. Without a selection, opens the first stall or, without stalls, the first
  /// iteration.
  void open_selection();
};

/// Sets the boxes of the page's parts, which share the area `all`. Uses ImGui's cursor as the top of the bar.
void place_serving(ServingState& state, const Box& all);

std::uint32_t part_color(IterationPart part, const Theme& theme);

/// Draws the title of a part of the page, and a note beside it if there is room. Returns the right end of
/// both.
float draw_serving_title(ImDrawList& list, const ServingState& state, const Box& box,
                         const std::string& title, const std::string& note);

}  // namespace kino
