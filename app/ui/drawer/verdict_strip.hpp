// The verdict above a page: one sentence, its evidence, the largest findings, and the next steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct VerdictRow {
  std::string name;
  std::string amount;  ///< such as "52.1 ms"; empty if not estimated
  std::string share;   ///< such as "24.3 %"; may be empty
  std::uint32_t color = 0;
};

/// Texts of the strip in the language in use.
struct Verdict {
  std::uint32_t edge = 0;  ///< color of the left edge
  std::string headline;
  std::string evidence;          ///< may be empty
  std::vector<VerdictRow> rows;  ///< the first kVerdictRows are shown
  std::string job;               ///< label of the first button, which opens the trace's job; empty for none
  std::string worst;             ///< label of the button for the worst example; empty for no button
  bool has_summary = true;       ///< whether there is a link to a summary
};
inline constexpr std::size_t kVerdictRows = 3;

/// Returns headline, evidence and rows as text of several lines.
std::string text_of(const Verdict& verdict);

struct VerdictActions {
  std::optional<std::size_t> row;  ///< row that was clicked
  bool job = false;
  bool worst = false;
  bool summary = false;
  bool resize = false;  ///< whether to switch between the small and the large size
};

/// Positions of the clickable parts, for tests.
struct VerdictPlaces {
  std::vector<ImVec2> rows;
  std::optional<ImVec2> job;
  std::optional<ImVec2> worst;
  ImVec2 summary{};
  ImVec2 resize{};
};

/// Returns the height of the strip, in the unit of the arguments. `page` is the height of the page, and
/// `unit` is one unit at scale 1.
float verdict_height(bool small, float page, float unit);
/// Draws the strip into `box`. The headline shrinks to the width. If it would become about as small as other
/// texts, it takes two lines instead, and the evidence is left out. If the rows leave too little room for the
/// headline, they are left out. A box that is too low gets the small form.
VerdictActions draw_verdict(const Verdict& verdict, bool small, const Box& box, const Theme& theme,
                            float scale, VerdictPlaces& places);

}  // namespace kino
