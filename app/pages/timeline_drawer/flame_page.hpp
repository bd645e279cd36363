// The drawer's page with the flame graph of a trace.
#pragma once

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/stack_flame.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class FlamePage final : public DrawerPage {
 public:
  explicit FlamePage(const TimelineHost& host)
      : state_(host.state), flame_(host.state.trace, host.file, host.pool, host.wake) {}

  std::string_view id() const override { return drawer_page::kFlame; }
  const char* title() const override { return tr(Text::snapshot_tab_flame); }
  std::optional<CommandId> command() const override { return CommandId::show_flame; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return flame_.wants_frames(); }
  bool complete() const override { return flame_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  TimelineState& state_;
  StackFlame flame_;
};

}  // namespace kino
