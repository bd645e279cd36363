// The page of a trace's critical path: what bounds its steps, what would help, and the path after changes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/critical/critical_view.hpp"
#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class CriticalPanel final : public Page {
 public:
  /// Starts finding the path. `pool` must outlive the page. `wake` is called from a worker after each
  /// computation.
  CriticalPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);

  static constexpr PageKind kKind = PageKind::critical;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  void poll() override;
  bool complete() const override;
  std::vector<PageFact> facts() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  bool has_facts_above() const override { return true; }

  std::shared_ptr<const Trace> trace_;
  CriticalView view_;
};

}  // namespace kino
