// The drawer's page about the selected allocation.
#pragma once

#include "app/pages/snapshot_drawer/allocation_details.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class AllocationPage final : public SnapshotPage {
 public:
  explicit AllocationPage(const SnapshotHost& host) : SnapshotPage(host), details_(host.wake) {}

  std::string_view id() const override { return drawer_page::kSelection; }
  const char* title() const override { return tr(Text::tab_selection); }
  /// Unless already open, not offered beside the inspector, which shows the same allocation.
  bool offered() const override { return state().inspector_px == 0 || state().drawer.shows(id()); }
  void handle_keys(bool /*shown*/) override {
    if (command_pressed(CommandId::open_source)) details_.open_source(state());
  }

 protected:
  void draw_content(const DrawContext& look) override {
    const AllocationId selected = state().selected;
    const std::uint32_t color = selected == kNoAllocation ? 0 : colors().of(selected, look.theme);
    details_.draw(state(), colors().told(), color, look.theme);
  }
  bool scrolls() const override { return true; }
  bool shows_trace_line() const override { return true; }

 private:
  AllocationDetails details_;
};

}  // namespace kino
