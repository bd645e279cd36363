// The drawer's page "What if": what other settings of the allocator would have reserved in this run.
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

/// What a person chose of each of what_if_options(): 0 as recorded, else the number of the value from 1 on.
struct WhatIfChoice {
  std::array<std::size_t, 4> values{};
  bool operator==(const WhatIfChoice&) const = default;
  /// As setting_of() takes it; empty when all is as recorded.
  std::string conf() const;
};

/// Nothing is computed before it is shown.
class WhatIfPage final : public SnapshotPage {
 public:
  explicit WhatIfPage(const SnapshotHost& host);

  std::string_view id() const override { return drawer_page::kWhatIf; }
  const char* title() const override;
  std::optional<CommandId> command() const override { return CommandId::show_what_if; }
  /// Where the file tells of a history: of nothing else something can be replayed.
  bool offered() const override;
  void update(bool shown) override;
  bool complete() const override { return work_ == nullptr || !work_->running(); }
  void tell(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawerLook& look) override;
  bool scrolls() const override { return true; }

 private:
  /// Where the last item is, for UI tests.
  void note_place(const std::string& name);
  void draw_proof(const DrawerLook& look);
  void draw_choices(const DrawerLook& look);
  void draw_capacity(const DrawerLook& look);
  void draw_best(const DrawerLook& look);
  void draw_rows(const DrawerLook& look);
  void draw_row(std::size_t index, const DrawerLook& look);
  void draw_notes(const DrawerLook& look) const;

  std::function<void()> wake_;
  std::unique_ptr<WhatIfWork> work_;
  WhatIfChoice choice_;
  std::array<char, 32> capacity_{};
  bool capacity_wrong_ = false;
  std::vector<std::pair<std::string, ImVec2>> places_;  // of rows and buttons as drawn last, for UI tests
};

}  // namespace kino
