// The drawer's page with the live allocations at the cursor, compared with the baseline if there is one.
#pragma once

#include <memory>

#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class LivePage final : public SnapshotPage {
 public:
  explicit LivePage(const SnapshotHost& host);

  std::string_view id() const override { return drawer_page::kLive; }
  const char* title() const override { return tr(Text::snapshot_tab_live); }
  std::string note() const override;
  std::optional<CommandId> command() const override { return CommandId::list_live; }
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;
  bool shows_trace_line() const override { return true; }

 private:
  bool by_size() const { return tab_.group_name() == "size"; }
  std::uint64_t live_bytes() const;

  TableTab tab_;
  AllocationId selected_ = kNoAllocation;  // selected allocation in the last frame
};

}  // namespace kino
