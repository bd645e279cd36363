// The drawer's page with the segments at the cursor and the events around it.
#pragma once

#include "app/pages/snapshot_drawer/segment_view.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/pages/snapshot_drawer/snapshot_tables.hpp"
#include "app/ui/tables/table_counts.hpp"
#include "app/ui/text/texts.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {

class SegmentsPage final : public SnapshotPage {
 public:
  explicit SegmentsPage(const SnapshotHost& host)
      : SnapshotPage(host),
        segments_(host.state.snapshot, host.pool, host.wake),
        compute_(tables_of(host.state.snapshot, nullptr)),
        counts_(host.pool, host.wake) {}

  const SegmentView& segments() const { return segments_; }

  std::string_view id() const override { return drawer_page::kSegments; }
  const char* title() const override { return tr(Text::snapshot_tab_segments); }
  std::optional<CommandId> command() const override { return CommandId::show_segments; }
  void handle_keys(bool) override { segments_.handle_keys(state()); }
  /// Number of segments at the cursor.
  std::string note() const override;
  void update(bool shown) override {
    segments_.update(state(), shown);
    counts_.ask(compute_, 0, {snapshot_query(state(), kSegmentTable)});
  }
  bool complete() const override { return segments_.complete() && !counts_.running(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;

 private:
  SegmentView segments_;
  TableResults::Compute compute_;
  TableCounts counts_;
};

}  // namespace kino
