// Parts of the page of many snapshots: the drawer's tables, and the list of differences from the median.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include <imgui.h>

#include "app/pages/snapshot_set/snapshot_set_state.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/drawer_choice.hpp"

namespace kino {

class SnapshotSetTablesPage final : public DrawerPage {
 public:
  /// `state` and `pool` must outlive the page. Rows are saved beside `file`.
  SnapshotSetTablesPage(SetState& state, const std::filesystem::path& file, WorkerPool& pool,
                        const std::function<void()>& wake);

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override { return tr(Text::tab_tables); }
  bool copies_rows() const override { return true; }
  std::vector<DrawerTab> tabs(bool shown) const override { return tab_.drawer_tabs(shown, id()); }
  void open_tab(std::string_view tab) override { tab_.open_drawer_tab(tab); }
  std::string_view open_tab() const override { return tab_.drawer_tab(); }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

  void choose(std::string_view name) { tab_.choose(name); }

 private:
  void follow(std::uint32_t row);

  SetState& state_;
  TableTab tab_;
  std::shared_ptr<const SetResult> picture_;
  BatchQuery batch_;
};

/// Draws the differences of the selected snapshot into state.boxes.side.
void draw_differences(SetState& state, bool keyboard);

}  // namespace kino
