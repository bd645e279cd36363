// The verdict on a trace above its tracks: computes the findings in the background and describes them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/timeline_drawer/tables_page.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/drawer/verdict_strip.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the color of a finding in lists: the color of the time that it describes.
std::uint32_t finding_color(FindingKind kind, const Theme& theme);

/// Returns the headline of verdict_text() in the language in use.
std::string verdict_headline(const Findings& findings);
/// Returns verdict_text() and the first findings in the language in use.
Verdict verdict_texts(const Findings& findings, const Theme& theme);

/// UI thread only.
class TraceVerdict {
 public:
  /// Starts the computation, which reads the whole trace. Call once the trace is complete.
  void start(std::shared_ptr<const Trace> trace, WorkerPool& pool, const std::function<void()>& wake);
  /// Takes over the finished findings, and sets the height of the strip. If keys do not step through other
  /// examples yet, they step through those of the first finding. `sizes` may be null. `page_px` is the height
  /// of the page.
  void update(TimelineState& state, const Splitters* sizes, float page_px);
  bool complete() const { return !made_.running(); }
  /// Returns null until the computation is finished.
  const Findings* findings() const { return made_.value() != nullptr ? made_.value()->get() : nullptr; }
  /// Shows a button that opens the job of the trace, with this number of ranks, or more if `more` is set.
  void offer_job(std::size_t ranks, bool more);
  /// Draws the strip and carries out its clicks: shows the examples of a finding, the summary, or the other
  /// size of the strip. Returns whether to open the job of the trace. `sizes` may be null.
  bool draw(TimelineState& state, TablesPage& tables, Splitters* sizes, const Theme& theme);
  void write_test_state(nlohmann::ordered_json& panel) const;

 private:
  /// Returns the texts; while there are no findings, the reason why.
  Verdict texts(const Theme& theme) const;

  BackgroundResult<std::shared_ptr<const Findings>> made_;
  VerdictPlaces places_;
  std::size_t job_ranks_ = 0;  // 0: no job was found
  bool job_has_more_ = false;
};

}  // namespace kino
