// The drawer's page with the tables of a snapshot.
#pragma once

#include <memory>

#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/pages/snapshot_drawer/snapshot_tables.hpp"

namespace kino {

class SnapshotTablesPage final : public SnapshotPage {
 public:
  explicit SnapshotTablesPage(const SnapshotHost& host);

  /// One of snapshot_table_kinds().
  void choose(std::string_view kind) { tables_.choose(kind); }

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override;
  std::optional<CommandId> command() const override { return CommandId::show_tables; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  bool wants_frames() const override { return tables_.wants_frames(); }
  bool complete() const override { return tables_.complete(); }
  void tell(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawerLook& look) override;

 private:
  SnapshotTables tables_;
  std::shared_ptr<SnapshotCategories> categories_;  // that tables_ knows
};

}  // namespace kino
