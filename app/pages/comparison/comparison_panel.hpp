// The page of two compared runs: the verdict, its causes, both typical steps, and all changes.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/comparison/comparison_head.hpp"
#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

class ComparisonPanel final : public Page {
 public:
  /// Starts to read both runs. `pool` must outlive the page. `wake` is called from any thread when a result
  /// is ready. `open` returns the open runs, with which the user can replace a side.
  ComparisonPanel(std::array<ComparedSide, kSides> sides, std::function<OpenSides()> open, WorkerPool& pool,
                  const std::function<void()>& wake);
  ~ComparisonPanel() override;

  static constexpr PageKind kKind = PageKind::comparison;
  PageKind kind() const override { return kKind; }
  std::vector<PageRequest> take_requests() override;
  bool wants_frames() const override;
  bool complete() const override;
  std::vector<PageView> views() const override;
  void show_view(std::string_view id) override;
  std::vector<PageFact> facts() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  std::span<const TableInfo* const> tables() const override;
  void show_table(std::string_view name) override;
  void write_test_state(nlohmann::ordered_json& json) const override;

  const ComparisonState& shown() const;

 private:
  void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) override;
  DrawerChoice* drawer_choice() override;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
