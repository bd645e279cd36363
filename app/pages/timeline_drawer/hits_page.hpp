// The drawer's page with the hits of a search.
#pragma once

#include <memory>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class HitsPage final : public DrawerPage {
 public:
  /// `hits` must outlive the page.
  HitsPage(const TimelineHost& host, const SearchHits& hits);

  std::string_view id() const override { return drawer_page::kHits; }
  const char* title() const override { return tr(Text::tab_hits); }
  std::string note() const override;
  std::optional<CommandId> command() const override { return CommandId::list_hits; }
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override { tab_.handle_keys(shown); }
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  void draw_rows(const DrawContext& look);
  void follow(const TableResults::Rows& rows);

  TimelineState& state_;
  const SearchHits& hits_;
  const SliceStyle& look_;
  TableTab tab_;
  std::shared_ptr<const SearchResult> answer_;          // result from which the tab is computed
  SliceId selected_ = kNoSlice;                         // selected slice in the last frame
  std::shared_ptr<const TableResult> followed_answer_;  // table in which the tab scrolled to selected_
};

}  // namespace kino
