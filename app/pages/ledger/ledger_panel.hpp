// The ledger page of a trace: time of a step by cause, utilization, roofline and ceiling.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

class LedgerPanel final : public Page {
 public:
  /// Starts computing the ledger. `pool` must outlive the page. A worker calls `wake` when the
  /// ledger is computed.
  LedgerPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, const std::function<void()>& wake);
  ~LedgerPanel() override;

  static constexpr PageKind kKind = PageKind::ledger;
  PageKind kind() const override { return kKind; }
  /// Selects a row by its key (text_of(StepRow)), once the ledger is computed. Does nothing if the shown step
  /// has no time in the row.
  void show_row(std::string_view row);
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
