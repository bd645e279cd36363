// The drawer's page about the selected event.
#pragma once

#include <memory>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/details/details_drawer.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/text/texts.hpp"
#include "core/trace/event_details.hpp"

namespace kino {

class EventPage final : public DrawerPage {
 public:
  EventPage(const TimelineHost& host, std::shared_ptr<const EventDetails> details)
      : state_(host.state), details_(host.state.trace, std::move(details), host.look, host.pool, host.wake) {}

  std::string_view id() const override { return drawer_page::kSelection; }
  const char* title() const override { return tr(Text::tab_selection); }
  /// Unless already open, not offered beside the inspector, which shows the same event.
  bool offered() const override { return !state_.inspector_shown || state_.drawer.shows(id()); }
  void draw(ImVec2 size, const DrawContext& look) override {
    const EventRef clicked = details_.draw(state_.selection, size, look.theme, look.scale);
    if (clicked.any()) state_.choose(clicked, true);
  }
  /// A page that is not shown reads no details, so it is always complete.
  bool complete() const override { return !state_.drawer.shows(id()) || details_.complete(); }

 private:
  TimelineState& state_;
  DetailsDrawer details_;
};

}  // namespace kino
