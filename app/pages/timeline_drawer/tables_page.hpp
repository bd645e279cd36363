// The drawer's page with the tables of a trace.
#pragma once

#include <functional>
#include <memory>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_panel.hpp"

namespace kino {

class TablesPage final : public DrawerPage {
 public:
  /// `steps` tells the trace's steps; null until they are known.
  TablesPage(const TimelineHost& host, std::function<const Steps*()> steps)
      : state_(host.state),
        asks_(host.asks),
        steps_(std::move(steps)),
        tables_(host.state.trace, host.file, host.look, host.pool, host.wake) {}

  /// One of table_kinds().
  void choose(std::string_view kind) { tables_.choose(kind); }
  void take_choice(const TablesPage& other) { tables_.take_choice(other.tables_); }
  /// See TablePanel.
  std::shared_ptr<const SliceSet> highlighted() const { return tables_.highlighted(); }

  std::string_view id() const override { return drawer_page::kTables; }
  const char* title() const override;
  std::optional<CommandId> command() const override { return CommandId::show_tables; }
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawerLook& look) override;
  bool wants_frames() const override { return tables_.wants_frames(); }
  bool complete() const override { return tables_.complete(); }
  void tell(nlohmann::ordered_json& panel) const override;

 private:
  TimelineState& state_;
  TimelineAsks& asks_;
  std::function<const Steps*()> steps_;
  TablePanel tables_;
};

}  // namespace kino
