// The drawer's tab about the selected event: what it is, what is around it, what it is linked with, its
// arguments read from the file.
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
#include "app/ui/view/slice_look.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// What is read and found about an event, once when it becomes the shown one, is so on the pool. UI thread
/// only.
class DetailsDrawer {
 public:
  /// `look` and `pool` must outlive the drawer.
  DetailsDrawer(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                const SliceLook& look, WorkerPool& pool, std::function<void()> wake)
      : owned_(std::move(trace)),
        trace_(*owned_),
        event_details_(std::move(details)),
        look_(look),
        pool_(pool),
        wake_(std::move(wake)) {}

  /// Draws into a child window of `size`. Returns the event a person clicked on (parent, child, launch,
  /// kernel, frame), or nothing.
  EventRef draw(EventRef event, ImVec2 size, const Theme& theme, float ui_scale);
  /// Whether all of it is there.
  bool complete() const { return arguments_.complete() && !facts_.running(); }

 private:
  void load(EventRef event);
  const SliceFacts* facts() const;
  void draw_name(const Theme& theme, float ui_scale);
  void draw_facts(const Theme& theme, float ui_scale);
  void draw_kind(const Theme& theme, float ui_scale);
  void draw_times(const Theme& theme, float ui_scale);
  void draw_place(const Theme& theme);
  void draw_queue(const Theme& theme, float ui_scale);
  void draw_around(bool first, const Theme& theme, float ui_scale, EventRef& clicked);
  /// What is around a slice, outermost first, as a line of links.
  void draw_chain(const std::vector<SliceId>& parents, const char* list_id, const Theme& theme,
                  float ui_scale, EventRef& clicked);
  void draw_cover(const GpuCover& cover, const Theme& theme, float ui_scale, EventRef& clicked);
  void draw_linked(const Theme& theme, EventRef& clicked);
  void draw_children(const Theme& theme, float ui_scale, EventRef& clicked);

  std::shared_ptr<const Trace> owned_;
  const Trace& trace_;
  std::shared_ptr<const EventDetails> event_details_;
  const SliceLook& look_;
  WorkerPool& pool_;
  std::function<void()> wake_;

  EventRef event_;
  bool loaded_ = false;
  bool other_form_ = false;  // of the name than everywhere else
  bool all_parents_ = false;
  std::string_view name_;  // the trace's
  std::string short_name_;
  DetailsArguments arguments_;
  BackgroundResult<SliceFacts> facts_;
};

}  // namespace kino
