// Charts of the summary: GPUs, steps, the mean step, and allocated memory.
#pragma once

#include <cstddef>
#include <optional>

#include "app/pages/summary/page_column.hpp"
#include "app/pages/summary/time_scale.hpp"
#include "core/tables/summary/trace_overview.hpp"

namespace kino {

inline constexpr std::size_t kMostStepRows = 12;  ///< more steps are drawn as columns

/// Draws one bar per GPU. Returns the index of the GPU that was clicked, in TraceOverview::gpus.
std::optional<std::size_t> draw_gpu_rows(PageColumn& column, const TraceOverview& overview, std::size_t shown,
                                         const TimeScale& unit);
/// Draws the steps of one GPU, as rows or as columns, with a legend. Returns the index of the step that was
/// clicked, in FindingBase::all.
std::optional<std::size_t> draw_step_chart(PageColumn& column, const TraceOverview& overview,
                                           const OverviewGpu& gpu, const TimeScale& unit);
/// Draws the groups of the mean step, which add up to it.
void draw_mean_step(PageColumn& column, const TraceOverview& overview, const OverviewGpu& gpu,
                    const TimeScale& unit);
/// Draws the curve of allocated bytes.
void draw_memory_curve(PageColumn& column, const MemoryColumns& curve);

/// Draws one bar per step for a finding, within the box. Bars of steps that are not part of the mean are
/// hollow. If not all steps fit, adjacent steps share a bar that shows their mean.
void draw_step_bars(PageColumn& column, const Box& box, const FindingBase& base, const Finding& finding,
                    std::uint32_t color);

}  // namespace kino
