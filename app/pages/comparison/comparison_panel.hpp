// The page of two compared runs: a verdict, where the difference is, both typical steps, and all that
// changed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/comparison/comparison_head.hpp"
#include "app/ui/drawer/page.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

class ComparisonPanel final : public Page {
 public:
  /// Starts reading both at once. `pool` outlives the page; `wake` is called from any thread when there is
  /// news.
  ComparisonPanel(std::array<ComparedSide, kSides> sides, WorkerPool& pool,
                  const std::function<void()>& wake);
  ~ComparisonPanel() override;

  void draw(const PageFrame& frame) override;
  bool wants_frames() const override;
  bool complete() const override;
  void fit_all() override;
  void show_page(std::string_view id) override;
  void show_table(std::string_view name) override;
  float drawer_height() const override;
  void set_drawer_height(float height) override;
  std::optional<TimePane> time_pane() const override { return std::nullopt; }
  void tell(nlohmann::ordered_json& json) const override;

  /// The traces that are open, for who wants to compare with another one.
  void set_open(OpenSides open);
  const ComparisonState& shown() const;
  /// The trace of a job's rank that somebody asked to see since the last call; else empty.
  std::filesystem::path take_open_request();
  /// A slice that somebody asked to see in its trace since the last call.
  std::optional<SliceRef> take_go_to_slice();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
