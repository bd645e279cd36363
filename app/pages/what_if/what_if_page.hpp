// The drawer page "What if": memory that the run would have reserved with other allocator settings.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/pages/what_if/what_if_work.hpp"

namespace kino {

/// The user's choice for each of what_if_options(): 0 for the recorded value, else the number of the value,
/// counted from 1.
struct WhatIfChoice {
  std::array<std::size_t, 4> values{};
  bool operator==(const WhatIfChoice&) const = default;
  /// Returns the choice in the format of setting_of(); empty if all values are as recorded.
  std::string conf() const;
};

/// The page. It starts to compute when it is first shown.
class WhatIfPage final : public SnapshotPage {
 public:
  explicit WhatIfPage(const SnapshotHost& host);

  std::string_view id() const override { return drawer_page::kWhatIf; }
  const char* title() const override;
  bool has_tab() const override { return false; }  // it is a view
  std::optional<CommandId> command() const override { return CommandId::show_what_if; }
  /// Returns whether the file was recorded by the allocator and the shown device has a history, which can be
  /// replayed.
  bool offered() const override;
  void update(bool shown) override;
  bool complete() const override { return work_ == nullptr || !work_->running(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;
  bool scrolls() const override { return true; }

 private:
  /// Records the position of the last item for UI tests.
  void record_position(const std::string& name);
  void draw_proof(const DrawContext& look);
  void draw_choices(const DrawContext& look);
  void draw_capacity(const DrawContext& look);
  void draw_best(const DrawContext& look);
  void draw_rows(const DrawContext& look);
  void draw_row(std::size_t index, const DrawContext& look);
  void draw_notes(const DrawContext& look) const;

  std::function<void()> wake_;
  std::unique_ptr<WhatIfWork> work_;
  WhatIfChoice choice_;
  std::array<char, 32> capacity_{};
  bool capacity_wrong_ = false;
  // positions of rows and buttons in the last frame, for UI tests
  std::vector<std::pair<std::string, ImVec2>> places_;
};

}  // namespace kino
