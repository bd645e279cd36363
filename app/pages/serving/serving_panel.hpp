// The page of the iterations of an inference engine: windows over time, groups, parts, and stalls.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class ServingPanel final : public Page {
 public:
  /// Starts finding the iterations. `pool` must outlive the page. `wake` is called from a worker after the
  /// computation.
  ServingPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);
  ~ServingPanel() override;

  static constexpr PageKind kKind = PageKind::serving;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  void poll() override;
  bool complete() const override;
  std::vector<PageFact> facts() const override;
  void write_test_state(nlohmann::ordered_json& json) const override;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  bool has_facts_above() const override { return true; }

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
