// Computes the critical path of a trace or job on workers, and draws it: shared by the page of a trace and the
// page of a job.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/pages/critical/critical_content.hpp"
#include "app/pages/critical/critical_state.hpp"
#include "app/system/background_result.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// UI thread only.
class CriticalView {
 public:
  using Compute = std::function<std::shared_ptr<const CriticalContent>(const std::stop_token&)>;

  /// `pool` must outlive the view. `wake` is called from a worker after each computation.
  CriticalView(WorkerPool& pool, std::function<void()> wake);

  /// Starts finding the path. `compute` runs on a worker and owns its input. Discards earlier content and its
  /// forecasts; settings remain.
  void start(Compute compute);
  /// Discards the content, the forecasts and the settings.
  void reset();
  /// Takes over finished results. Call once per frame.
  void poll();
  bool computing() const;

  /// Handles the keys of the page of a trace.
  void handle_keys();
  /// Draws the page into this part of the window. ImGui's cursor must be at its top left.
  void draw(const Theme& theme, float scale, ImVec2 at, ImVec2 size);
  /// Writes the content, settings and boxes.
  void write_test_state(nlohmann::ordered_json& json) const;

  /// Returns the requests since the last call.
  std::vector<PageRequest> take_requests();

 private:
  using UsualForecasts = std::shared_ptr<const std::vector<Forecast>>;

  void take(const std::shared_ptr<const CriticalContent>& done);
  void retime();

  CriticalState state_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::shared_ptr<const CriticalContent>> made_;
  BackgroundResult<UsualForecasts> forecasts_;
  BackgroundResult<std::shared_ptr<const RetimedContent>> retiming_;
  std::vector<std::string> retimed_for_;  // settings of the newest computation
};

}  // namespace kino
