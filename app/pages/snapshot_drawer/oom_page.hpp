// The drawer's page about out-of-memory errors.
#pragma once

#include "app/pages/snapshot_drawer/oom_panel.hpp"
#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class OomPage final : public SnapshotPage {
 public:
  explicit OomPage(const SnapshotHost& host)
      : SnapshotPage(host), ooms_(host.state.snapshot, host.pool, host.wake) {}

  std::string_view id() const override { return drawer_page::kOom; }
  const char* title() const override { return tr(Text::snapshot_tab_oom); }
  bool has_tab() const override { return false; }  // it is a view
  std::string note() const override;
  bool offered() const override { return count() > 0; }
  /// If this page is selected and the device has no out-of-memory errors, selects the live list instead.
  void update(bool shown) override;
  bool complete() const override { return ooms_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 protected:
  void draw_content(const DrawContext& look) override;
  bool scrolls() const override { return true; }
  bool shows_trace_line() const override { return true; }

 private:
  std::size_t count() const { return facts().markers != nullptr ? facts().markers->ooms.size() : 0; }

  OomPanel ooms_;
};

}  // namespace kino
