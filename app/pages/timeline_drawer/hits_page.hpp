// The drawer's page with the hits of a search.
#pragma once

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/search/hits_table.hpp"
#include "app/ui/search/search_hits.hpp"

namespace kino {

class HitsPage final : public DrawerPage {
 public:
  /// `hits` outlives it.
  HitsPage(const TimelineHost& host, const SearchHits& hits)
      : state_(host.state), hits_(hits), table_(host.look, host.pool, host.wake) {}

  std::string_view id() const override { return drawer_page::kHits; }
  const char* title() const override;
  /// How many there are.
  std::string note() const override;
  std::optional<CommandId> command() const override { return CommandId::list_hits; }
  bool copies_rows() const override { return true; }
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawerLook& look) override;
  bool wants_frames() const override { return table_.wants_update(); }
  bool complete() const override { return table_.complete(); }
  /// Into what the search tells.
  void tell(nlohmann::ordered_json& panel) const override;

 private:
  TimelineState& state_;
  const SearchHits& hits_;
  HitsTable table_;
};

}  // namespace kino
