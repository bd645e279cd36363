// The drawer's page with the categories of memory: the live bytes of each category at the cursor, and the
// rules.
#pragma once

#include <memory>
#include <string>

#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class CategoriesPage final : public SnapshotPage {
 public:
  explicit CategoriesPage(const SnapshotHost& host);

  std::string_view id() const override { return drawer_page::kCategories; }
  const char* title() const override { return tr(Text::snapshot_tab_categories); }
  bool has_tab() const override { return false; }  // it is a view
  std::optional<CommandId> command() const override { return CommandId::show_categories; }
  void handle_keys(bool shown) override { tab_.handle_keys(shown); }
  void update(bool shown) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;

 private:
  void edit_rules();
  void draw_rules(const DrawContext& look);

  TableTab tab_;
  std::string edit_result_;  // result of editing the rules
};

}  // namespace kino
