// The drawer's page with the tables of a snapshot.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "app/pages/snapshot_drawer/snapshot_compare.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

class SnapshotTablesPage final : public SnapshotPage {
 public:
  explicit SnapshotTablesPage(const SnapshotHost& host);

  /// Selects one of snapshot_table_kinds().
  void choose(std::string_view kind) { tab_.choose(kind); }

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override { return tr(Text::tab_tables); }
  std::optional<CommandId> command() const override { return CommandId::show_tables; }
  /// A tab for all tables, and one for the rows that a search found.
  std::vector<DrawerTab> tabs(bool shown) const override;
  void open_tab(std::string_view tab) override;
  std::string_view open_tab() const override {
    return hits_shown() ? drawer_page::kHits : std::string_view();
  }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;

 private:
  bool compared() const { return &tab_.kind() == &kCompareTable; }
  std::string_view hits_table() const { return facts().found_events ? "events" : "allocations"; }
  bool hits_shown() const { return !facts().found.empty() && tab_.kind().name == hits_table(); }
  void follow(std::uint32_t row);

  std::function<void()> wake_;
  TableTab tab_;
  SnapshotCompare compare_;
};

}  // namespace kino
