// The page of a set's drawer that estimates the peak at other batch sizes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <imgui.h>

#include "app/pages/snapshot_set/snapshot_set_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "core/memory/snapshot_set/batch_size.hpp"

namespace kino {

/// The page is not available for the ranks of a job, because all ranks have one batch size.
class BatchPage final : public DrawerPage {
 public:
  /// `state` must outlive the page. The user's input is stored in state.batch.
  explicit BatchPage(SetState& state) : state_(state) {}

  std::string_view id() const override { return drawer_page::kBatch; }
  const char* title() const override { return tr(Text::batch_title); }
  bool offered() const override { return state_.set() != nullptr && !state_.set()->by_rank; }
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  using Input = std::array<char, 24>;

  void draw_sizes(ImVec2 size, const DrawContext& look);
  void draw_texts(ImVec2 size, const DrawContext& look);
  void draw_chart(ImVec2 size, const DrawContext& look) const;
  void parse_input();

  SetState& state_;
  std::shared_ptr<const SetResult> picture_;
  BatchQuery requested_;
  BatchFit fit_;
  std::vector<Input> sizes_;  // by file
  Input capacity_{};
  ImVec2 capacity_at_;  // center of the field for the capacity, for tests
  bool size_wrong_ = false;
  bool capacity_wrong_ = false;
};

}  // namespace kino
