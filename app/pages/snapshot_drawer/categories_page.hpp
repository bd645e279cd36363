// The drawer's page with the categories of memory and their rules.
#pragma once

#include "app/pages/snapshot_drawer/category_sheet.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"

namespace kino {

class CategoriesPage final : public SnapshotPage {
 public:
  explicit CategoriesPage(const SnapshotHost& host)
      : SnapshotPage(host), sheet_(host.state.snapshot, host.pool, host.wake) {}

  std::string_view id() const override { return drawer_page::kCategories; }
  const char* title() const override;
  std::optional<CommandId> command() const override { return CommandId::show_categories; }
  void update(bool shown) override { sheet_.update(shown, state(), colors().categories()); }
  bool complete() const override { return sheet_.complete(); }
  void tell(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawerLook& look) override;

 private:
  void edit_rules();

  CategorySheet sheet_;
  std::string told_;  // what became of editing the rules
};

}  // namespace kino
