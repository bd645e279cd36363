// The drawer's page with the sums of the marked range.
#pragma once

#include "app/pages/timeline_drawer/range_track_bar.hpp"
#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/range_table.hpp"

namespace kino {

class RangePage final : public DrawerPage {
 public:
  explicit RangePage(const TimelineHost& host)
      : state_(host.state), table_(host.state.trace, host.look, host.pool, host.wake) {}

  /// Sorts and filters as another one does. Before the first range.
  void take_order(const RangePage& other) { table_.take_order(other.table_); }

  std::string_view id() const override { return drawer_page::kRange; }
  const char* title() const override;
  /// How long the range is.
  std::string note() const override;
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawerLook& look) override;
  bool complete() const override { return table_.complete(); }
  void tell(nlohmann::ordered_json& panel) const override;

 private:
  TimelineState& state_;
  RangeTable table_;
  RangeTrackBar bar_;
};

}  // namespace kino
