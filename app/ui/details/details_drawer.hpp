// The drawer's page about the selected event: its facts, surroundings, links, and arguments read from the
// file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <imgui.h>

#include "app/system/background_result.hpp"
#include "app/ui/details/details_arguments.hpp"
#include "app/ui/details/slice_facts.hpp"
#include "app/ui/view/event_pick.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/critical/slack.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// UI thread only. When an event is selected, its facts are computed once on the pool.
class DetailsDrawer {
 public:
  /// `look` and `pool` must outlive the drawer.
  DetailsDrawer(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                const SliceStyle& look, WorkerPool& pool, std::function<void()> wake)
      : owned_(std::move(trace)),
        trace_(*owned_),
        event_details_(std::move(details)),
        look_(look),
        pool_(pool),
        wake_(std::move(wake)) {}

  /// Draws into a child window of `size`. Returns the event that was clicked (parent, child, launch, kernel,
  /// frame); empty if none was.
  EventRef draw(EventRef event, ImVec2 size, const Theme& theme, float ui_scale);
  /// Whether everything has been read and computed.
  bool complete() const { return arguments_.complete() && !facts_.running() && !slacks_.running(); }

 private:
  void load(EventRef event);
  const SliceFacts* facts() const;
  void draw_name(const Theme& theme, float ui_scale);
  void draw_facts(const Theme& theme, float ui_scale);
  void draw_kind(const Theme& theme, float ui_scale);
  void draw_times(const Theme& theme, float ui_scale);
  void draw_place(const Theme& theme);
  void draw_queue(const Theme& theme, float ui_scale);
  void draw_slack(const Theme& theme) const;
  void start_slacks();
  void draw_around(bool first, const Theme& theme, float ui_scale, EventRef& clicked);
  /// Draws the slices around a slice as a line of links, outermost first.
  void draw_chain(const std::vector<SliceId>& parents, const char* list_id, const Theme& theme,
                  float ui_scale, EventRef& clicked);
  void draw_cover(const GpuCover& cover, const Theme& theme, float ui_scale, EventRef& clicked);
  void draw_linked(const Theme& theme, EventRef& clicked);
  void draw_children(const Theme& theme, float ui_scale, EventRef& clicked);

  std::shared_ptr<const Trace> owned_;
  const Trace& trace_;
  std::shared_ptr<const EventDetails> event_details_;
  const SliceStyle& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;

  EventRef event_;
  bool loaded_ = false;
  bool other_form_ = false;  // whether the name is full here and short elsewhere, or the reverse
  bool all_parents_ = false;
  std::string_view name_;  // owned by the trace
  std::string short_name_;
  DetailsArguments arguments_;
  BackgroundResult<SliceFacts> facts_;
  BackgroundResult<std::shared_ptr<const TraceSlacks>> slacks_;  // computed when GPU work is first selected
  bool slacks_started_ = false;
};

}  // namespace kino
