#include "app/ui/details/slice_commands.hpp"

#include <string_view>
#include <utility>

#include <imgui.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/details/details_arguments.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/event_steps.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr const char* kSliceMenu = "slice";

std::string_view name_of_event(const Trace& trace, EventRef event) {
  if (event.slice != kNoSlice) return trace.name_of(event.slice);
  return trace.name_text(trace.instants.name[event.instant]);
}

std::string arguments_text(const EventDetails& details, EventRef event) {
  Result<std::string> json = details.arguments_json(event);
  return json.ok() ? std::move(json).value() : std::string();
}

std::string summary_text(const Trace& trace, const EventDetails& details, EventRef event) {
  std::string out(name_of_event(trace, event));
  const auto line = [&](Text title, const std::string& value) {
    if (!value.empty()) out += '\n' + std::string(tr(title)) + '\t' + value;
  };
  const TimeRange range = range_of(trace, event);
  if (event.slice != kNoSlice) line(Text::drawer_kind, in_language(shown_name(trace.kind(event.slice))));
  if (const TrackId track = track_of(trace, event); track != kNoTrack) {
    line(Text::drawer_track, trace.track(track).name.str());
    line(Text::drawer_process, trace.processes[trace.track(track).process].title);
  }
  line(event.slice != kNoSlice ? Text::drawer_start : Text::drawer_time, exact_time_text(range.begin_ns));
  if (event.slice != kNoSlice) line(Text::drawer_duration, exact_time_text(range.length_ns()));
  line(Text::arguments_title, arguments_text(details, event));
  const std::string stack = copied_text(trace, details, event, CopiedPart::stack);
  if (!stack.empty()) out += '\n' + std::string(tr(Text::arguments_stack)) + '\n' + stack;
  if (out.back() != '\n') out += '\n';
  return out;
}

bool item(Text text, CommandId command) { return ImGui::MenuItem(tr(text), key_text(command).c_str()); }

}  // namespace

std::string copied_text(const Trace& trace, const EventDetails& details, EventRef event, CopiedPart part) {
  if (!event.any()) return {};
  switch (part) {
    case CopiedPart::name:
      return std::string(name_of_event(trace, event));
    case CopiedPart::arguments:
      return arguments_text(details, event);
    case CopiedPart::stack:
      return arguments_of(trace, details, event).stack_text;
    case CopiedPart::everything:
      break;
  }
  return summary_text(trace, details, event);
}

SliceCommands::SliceCommands(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                             WorkerPool& pool, std::function<void()> wake)
    : trace_(std::move(trace)), details_(std::move(details)), pool_(pool), wake_(std::move(wake)) {}

void SliceCommands::copy(EventRef event, CopiedPart part) {
  if (!event.any()) return;
  copied_.start(pool_, wake_, [trace = trace_, details = details_, event, part](const std::stop_token&) {
    return copied_text(*trace, *details, event, part);
  });
}

void SliceCommands::poll() {
  if (const std::string* const copied = copied_.poll(); copied != nullptr && !copied->empty())
    ImGui::SetClipboardText(copied->c_str());
}

SliceCommands::Actions SliceCommands::handle_keys(EventRef selected, bool copies) {
  Actions actions;
  if (!selected.any()) return actions;
  using Id = CommandId;
  if (copies && command_pressed(Id::copy_selection)) copy(selected, CopiedPart::everything);
  if (command_pressed(Id::copy_name)) copy(selected, CopiedPart::name);
  if (command_pressed(Id::copy_arguments)) copy(selected, CopiedPart::arguments);
  if (command_pressed(Id::copy_stack)) copy(selected, CopiedPart::stack);
  if (command_pressed(Id::measure_from)) actions.measure = true;
  if (command_pressed(Id::slice_menu)) menu_by_key_ = true;
  if (selected.slice == kNoSlice) return actions;
  actions.find_alike = command_pressed(Id::find_same_name);
  actions.show_alike = command_pressed(Id::show_same_name);
  return actions;
}

SliceCommands::Actions SliceCommands::draw_menu(EventRef selected, bool wanted, float x, float y) {
  Actions actions;
  const bool by_key = std::exchange(menu_by_key_, false);
  if (wanted || by_key) {
    ImGui::OpenPopup(kSliceMenu);
    if (by_key) ImGui::SetNextWindowPos({x, y});
  }
  if (!ImGui::BeginPopup(kSliceMenu)) return actions;
  if (popup_closed_by_escape()) return actions;
  const bool slice = selected.slice != kNoSlice;
  if (item(Text::command_copy_selection, CommandId::copy_selection)) copy(selected, CopiedPart::everything);
  if (item(Text::command_copy_name, CommandId::copy_name)) copy(selected, CopiedPart::name);
  if (item(Text::command_copy_arguments, CommandId::copy_arguments)) copy(selected, CopiedPart::arguments);
  if (item(Text::command_copy_stack, CommandId::copy_stack)) copy(selected, CopiedPart::stack);
  ImGui::Separator();
  if (slice) {
    actions.find_alike = item(Text::slice_find_same_name, CommandId::find_same_name);
    actions.show_alike = item(Text::slice_show_same_name, CommandId::show_same_name);
    ImGui::Separator();
  }
  actions.measure = item(Text::command_measure_from, CommandId::measure_from);
  actions.bookmark = item(Text::slice_bookmark, CommandId::set_bookmark);
  ImGui::EndPopup();
  return actions;
}

}  // namespace kino
