// The drawer's page with what is live at the cursor.
#pragma once

#include "app/pages/snapshot_drawer/live_table.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"

namespace kino {

class LivePage final : public SnapshotPage {
 public:
  explicit LivePage(const SnapshotHost& host)
      : SnapshotPage(host), live_(host.state.snapshot, host.pool, host.wake) {}

  std::string_view id() const override { return drawer_page::kLive; }
  const char* title() const override;
  /// How many bytes.
  std::string note() const override;
  std::optional<CommandId> command() const override { return CommandId::list_live; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  bool complete() const override { return live_.complete(); }
  void tell(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawerLook& look) override;
  bool tells_moments() const override { return true; }

 private:
  LiveTable live_;
};

}  // namespace kino
