// The data quality sheet of a trace: kept, incomplete, repaired and dropped events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/theme.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Result of drawing the sheet in one frame.
struct DataQualityPanelFrame {
  std::optional<SliceId> go;  ///< the slice whose link was clicked
  std::vector<ImVec2> links;  ///< centers of the links on screen, from the top
};

/// Draws the sheet if `open`; a click on a link closes it. `origin` contains further sentences about the
/// origin of the trace, such as those of a capsule. `report` is null while it is being computed.
DataQualityPanelFrame draw_data_quality_panel(bool& open, const Trace& trace,
                                              std::span<const std::string> origin,
                                              const DataQualityReport* report, const Theme& theme);

/// Returns the first slice whose event starts at byte `offset` of the decompressed file; kNoSlice if there is
/// none. O(slices); 10 ms for 10 million.
SliceId slice_at_offset(const Trace& trace, std::uint64_t offset);

}  // namespace kino
