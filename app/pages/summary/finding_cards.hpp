// The findings of the summary. Findings with a time have a card with their advice, code and worst example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "app/pages/summary/page_column.hpp"
#include "app/ui/view/slice_style.hpp"
#include "core/tables/summary/trace_overview.hpp"

namespace kino {

struct FindingClick {
  enum class Link : std::uint8_t { worst, ledger, table };
  std::size_t finding = 0;  ///< index into Findings::list
  Link link = Link::worst;
};

/// Draws the title, a card per finding with a time, and the findings that are not estimated. Returns the link
/// that was clicked. Slices of the pictures have the colors of the timeline.
std::optional<FindingClick> draw_findings(PageColumn& column, const TraceOverview& overview,
                                          const SliceStyle& style);

}  // namespace kino
