// The line of facts above the views of a document that are not timelines: its type, size and warnings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/widgets/box.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Height of the line, at scale 1.
inline constexpr float kFactsPx = 30;

struct PageFact {
  std::string words;     ///< in the language in use
  std::string hint{};    ///< tooltip; may be empty
  bool warning = false;  ///< whether it has a triangle; warnings are drawn last
};

/// Draws the line into `box`, with the warnings last. Facts that do not fit are elided.
void draw_facts_line(std::span<const PageFact> facts, const Box& box, const DrawContext& look);

/// Returns the type, GPUs, number of events and warnings of a trace. `base` describes the steps that the
/// figures cover; empty if it is not known. O(tracks).
std::vector<PageFact> trace_facts(const Trace& trace, const std::string& base);

}  // namespace kino
