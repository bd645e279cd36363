// The drawer under the tracks: everything about the selected event, with its arguments read from the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/argument_tree.hpp"
#include "app/event_pick.hpp"
#include "app/theme.hpp"
#include "core/trace.hpp"
#include "loaders/text_source.hpp"

namespace kino {

/// Reads an event's arguments once, when it becomes the shown one. UI thread only.
class DetailsDrawer {
 public:
  /// Both must outlive the drawer.
  DetailsDrawer(const Trace& trace, const TextSource& text) : trace_(trace), text_(text) {}

  /// Draws into a child window of `size`. Returns the event a person clicked on (parent, launch, kernel), or
  /// nothing.
  EventRef draw(EventRef event, ImVec2 size, const Theme& theme, float ui_scale);

 private:
  void load(EventRef event);
  void draw_facts(const Theme& theme, float ui_scale, EventRef& clicked);
  void draw_parents(const Theme& theme, EventRef& clicked);
  void draw_link(const Theme& theme, EventRef& clicked);
  void draw_arguments(const Theme& theme, float ui_scale);

  const Trace& trace_;
  const TextSource& text_;
  EventRef event_;
  bool loaded_ = false;
  std::string name_;
  std::string short_name_;
  std::string problem_;  // why the arguments could not be read; empty when they could
  std::vector<ArgumentRow> rows_;
  std::vector<SliceId> parents_;  // innermost first
  bool all_parents_ = false;
  double copied_at_ = -10;  // ImGui time
};

}  // namespace kino
