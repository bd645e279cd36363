// The drawer's page with the segments at the cursor and the events around it.
#pragma once

#include "app/pages/snapshot_drawer/segment_view.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class SegmentsPage final : public SnapshotPage {
 public:
  explicit SegmentsPage(const SnapshotHost& host)
      : SnapshotPage(host), segments_(host.state.snapshot, host.pool, host.wake) {}

  const SegmentView& segments() const { return segments_; }

  std::string_view id() const override { return drawer_page::kSegments; }
  const char* title() const override { return tr(Text::snapshot_tab_segments); }
  std::optional<CommandId> command() const override { return CommandId::show_segments; }
  void handle_keys(bool) override { segments_.handle_keys(state()); }
  void update(bool shown) override { segments_.update(state(), shown); }
  bool complete() const override { return segments_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;

 private:
  SegmentView segments_;
};

}  // namespace kino
