// The sheet that says what of a trace can be trusted: what was kept, how far its parts belong together, what
// was repaired or dropped, and where.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "core/tables/gpu/trust_report.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What came of drawing the sheet once.
struct TrustPanelFrame {
  std::optional<SliceId> go;  ///< the slice to go to, if one was asked for
  std::vector<ImVec2> links;  ///< the middles of the links to first cases, in the window, top down
};

/// Draws the sheet while `open`. `origin` are sentences about how the trace came to be, beyond its recording;
/// `report` is null while it is being computed.
TrustPanelFrame draw_trust_panel(bool& open, const Trace& trace, std::span<const std::string> origin,
                                 const TrustReport* report, const Theme& theme);

/// The slice whose event begins at a byte of the text; kNoSlice when there is none. O(slices): 10 ms for 10
/// M.
SliceId slice_at_offset(const Trace& trace, std::uint64_t offset);

}  // namespace kino
