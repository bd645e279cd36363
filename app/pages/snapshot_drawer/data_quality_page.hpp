// The drawer's page about the data quality of a recording.
#pragma once

#include "app/pages/snapshot_drawer/snapshot_page.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class DataQualityPage final : public SnapshotPage {
 public:
  using SnapshotPage::SnapshotPage;

  std::string_view id() const override { return drawer_page::kTrust; }
  const char* title() const override { return tr(Text::snapshot_tab_quality); }
  bool has_tab() const override { return false; }  // it is a view

 protected:
  void draw_content(const DrawContext& look) override;
  bool scrolls() const override { return true; }
};

}  // namespace kino
