// The drawer's page with the flame graph of the live allocations at the cursor.
#pragma once

#include "app/pages/snapshot_drawer/live_flame.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class LiveFlamePage final : public SnapshotPage {
 public:
  explicit LiveFlamePage(const SnapshotHost& host)
      : SnapshotPage(host), flame_(host.state.snapshot, host.file, host.pool, host.wake) {}

  const LiveFlame& flame() const { return flame_; }

  std::string_view id() const override { return drawer_page::kFlame; }
  const char* title() const override { return tr(Text::snapshot_tab_flame); }
  bool has_tab() const override { return false; }  // it is a view
  std::optional<CommandId> command() const override { return CommandId::show_flame; }
  void handle_keys(bool shown) override { flame_.handle_keys(state(), shown); }
  void update(bool shown) override { flame_.update(state(), shown); }
  bool wants_frames() const override { return state().drawer.shows(id()) && flame_.view().wants_frames(); }
  bool complete() const override { return flame_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override { flame_.draw(state(), look.theme); }

 private:
  LiveFlame flame_;
};

}  // namespace kino
