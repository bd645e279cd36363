#include "app/pages/snapshot_set/snapshot_set_panel.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/snapshot_set/batch_page.hpp"
#include "app/pages/snapshot_set/set_curves.hpp"
#include "app/pages/snapshot_set/snapshot_set_pages.hpp"
#include "app/pages/snapshot_set/snapshot_set_state.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/drawer.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"

namespace kino {
namespace {

constexpr std::size_t kShownProblems = 3;

constexpr std::array kAxisTexts{Text::set_axis_clock, Text::set_axis_starts, Text::set_axis_events};
static_assert(kAxisTexts.size() == kSetAxisCount);

std::size_t count_in(const std::vector<SnapshotFile>& files, SnapshotFile::State state) {
  return static_cast<std::size_t>(std::ranges::count(files, state, &SnapshotFile::state));
}

}  // namespace

struct SnapshotSetPanel::State : SetState {
  State(const std::filesystem::path& container, const ContainedTraces& contained, OpenOptions options,
        WorkerPool& workers, const std::function<void()>& tell_news)
      : left_out(contained.left_out), how(std::move(options)), pool(workers), wake(tell_news), pages(drawer) {
    read_files(contained.traces, 0);
    take_files();
    drawer.page = drawer_page::kTables;
    tables = &pages.add<SnapshotSetTablesPage>(*this, container, workers, tell_news);
    pages.add<BatchPage>(*this);
  }

  /// Starts reading files. They get consecutive indices in `files`, starting at `place`.
  void read_files(const std::vector<ContainedTrace>& traces, std::size_t place) {
    parts.push_back({std::make_unique<SnapshotSetLoader>(
                         traces, how, read_category_rules(category_rules_path()).rules, wake, place),
                     place});
  }
  /// Takes the files of the first part and those added later. A file that is read again replaces its previous
  /// result once it is ready.
  void take_files();
  /// Takes finished files and results.
  void update();
  void handle_keys();
  /// Draws the verdict, its basis and the problems. Returns the height of the drawn area.
  float draw_head();
  void draw_corner();
  std::vector<std::string> problems() const;
  /// Returns the rank of the selected member; -1 if none is selected, or if the rank is unknown.
  std::int64_t selected_rank() const {
    return set() != nullptr && selected ? set()->members[*selected].rank : -1;
  }

  std::string left_out;
  OpenOptions how;
  WorkerPool& pool;
  std::function<void()> wake;
  struct Part {
    std::unique_ptr<SnapshotSetLoader> loader;
    std::size_t place = 0;
  };
  std::vector<Part> parts;                 // the initial files, then one part per added file
  std::uint64_t seen = ~std::uint64_t{0};  // sum of the loaders' generations, plus their number
  std::uint64_t computed_seen = 0;         // value of `seen` when the picture was requested
  std::size_t computed = ~std::size_t{0};  // number of ready files when the picture was requested
  BackgroundResult<std::shared_ptr<const SetResult>> made;
  Drawer pages;
  SnapshotSetTablesPage* tables = nullptr;
  SetCurves curves;
};

void SnapshotSetPanel::State::take_files() {
  std::uint64_t now = parts.size();
  for (const Part& part : parts) now += part.loader->generation();
  if (now == seen) return;
  seen = now;
  files = parts.front().loader->files();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    SnapshotFile file = std::move(parts[i].loader->files().front());
    if (parts[i].place == files.size()) {
      files.push_back(std::move(file));
    } else if (file.state == SnapshotFile::State::ready) {
      files[parts[i].place] = std::move(file);  // read again; the previous result remains until then
    }
  }
}

void SnapshotSetPanel::State::update() {
  take_files();
  const std::size_t there = count_in(files, SnapshotFile::State::ready);
  read = there + count_in(files, SnapshotFile::State::failed) == files.size();
  if (const std::shared_ptr<const SetResult>* done = made.poll(); done != nullptr && *done != picture)
    take(*done);
  // While files are read, the picture is computed again only when the number of ready files has grown by
  // half, to limit the cost.
  const bool first = computed == ~std::size_t{0};
  const bool enough = there > 0 && (first || there >= computed + std::max<std::size_t>(1, computed / 2));
  if (!made.running() && ((read && (first || computed_seen != seen)) || (!read && enough))) {
    computed = there;
    computed_seen = seen;
    const std::size_t broken = failed_file_count(files);
    made.start(pool, wake, [ready_files = files, broken, of_all = read](const std::stop_token& /*stop*/) {
      SetResult whole;
      whole.set = loaded_set(ready_files);
      whole.verdict = set_verdict(whole.set, broken, byte_units());
      whole.notes = set_notes(whole.set);
      whole.of_all = of_all;
      return std::make_shared<const SetResult>(std::move(whole));
    });
  }
  if (set() != nullptr) bytes.set_content(static_cast<double>(set()->highest_peak) * 1.06);
}

std::vector<std::string> SnapshotSetPanel::State::problems() const {
  std::vector<std::string> all;
  std::size_t small = 0;
  for (const SnapshotFile& file : files) {
    if (file.state == SnapshotFile::State::failed) {
      all.push_back(
          filled(Text::set_unreadable, {escaped(file.name), escaped(in_language(file.error.what))}));
    }
    for (const Damage& entry : file.damage.entries()) {
      if (!drops_event(entry.reason) && !ends_early(entry.reason)) continue;
      all.push_back(escaped(file.name) + ": " +
                    filled(Text::damage_count_of,
                           {grouped(entry.count), in_language(text_of(entry.reason, entry.count))}));
    }
    small += file.small_gpus;
  }
  if (small > 0) all.push_back(filled(Text::set_small_gpus, {grouped(small)}));
  if (!left_out.empty()) all.push_back(escaped(left_out));
  if (picture != nullptr) {
    for (const Message& note : picture->notes) all.push_back(escaped(in_language(note)));
  }
  return all;
}

float SnapshotSetPanel::State::draw_head() {
  const float top = ImGui::GetCursorScreenPos().y;
  ImGui::Dummy({1, px(6)});
  ImGui::Indent(px(12));
  ImGui::PushFont(heading_font());
  const SnapshotSet* const shown = set();
  const bool failed = shown != nullptr && shown->members[shown->order.front()].sums.out_of_memory.has_value();
  if (picture == nullptr || (shown == nullptr && !read)) {
    wrapped_text(theme.text_dim,
                 filled(Text::set_reading,
                        {grouped(count_in(files, SnapshotFile::State::ready)), grouped(files.size())}));
  } else {
    wrapped_text(failed ? theme.error : theme.text, escaped(in_language(picture->verdict)));
  }
  ImGui::PopFont();
  if (shown != nullptr) {
    const std::size_t there = count_in(files, SnapshotFile::State::ready);
    std::string facts = set_facts_text(*shown, there, files.size());
    if (!read) facts += " · " + filled(Text::set_reading, {grouped(there), grouped(files.size())});
    wrapped_text(theme.text_dim, facts);
  }
  const std::vector<std::string> all = problems();
  for (std::size_t i = 0; i < std::min(all.size(), kShownProblems); ++i) wrapped_text(theme.warning, all[i]);
  if (all.size() > kShownProblems) {
    wrapped_text(theme.warning, filled(Text::and_more, {grouped(all.size() - kShownProblems)}));
    if (ImGui::IsItemHovered()) {
      constexpr std::size_t kMostListed = 24;
      std::string rest;
      for (std::size_t i = kShownProblems; i < std::min(all.size(), kShownProblems + kMostListed); ++i)
        rest += (rest.empty() ? "" : "\n") + all[i];
      ImGui::SetTooltip("%s", rest.c_str());
    }
  }
  ImGui::Unindent(px(12));
  ImGui::Dummy({1, px(4)});
  return ImGui::GetCursorScreenPos().y - top;
}

void SnapshotSetPanel::State::draw_corner() {
  if (set() == nullptr) return;
  ImGui::SetCursorScreenPos({boxes.corner.left + px(4), boxes.corner.top + px(2)});
  if (flat_button(tr(kAxisTexts[static_cast<std::size_t>(places.axis)]),
                  hint_with_key(Text::command_set_axis, CommandId::set_axis).c_str()))
    next_axis();
}

void SnapshotSetPanel::State::handle_keys() {
  if (command_pressed(CommandId::fit_all)) {
    navigation.fit_all();
    bytes.fit();
  }
  if (command_pressed(CommandId::clear_selection)) {
    if (drawer.fills()) {
      drawer.leave_full();
    } else {
      select(std::nullopt);
    }
  }
  if (command_pressed(CommandId::toggle_drawer)) drawer.toggle_open();
  if (command_pressed(CommandId::next_set_member)) step(1);
  if (command_pressed(CommandId::previous_set_member)) step(-1);
  if (command_pressed(CommandId::open_set_member) && selected) request_open(*selected);
  if (command_pressed(CommandId::show_job_of_ranks)) requests.emplace_back(ShowJob{selected_rank()});
  if (command_pressed(CommandId::set_axis)) next_axis();
  if (command_pressed(CommandId::set_group))
    group_by(static_cast<SumsBy>((static_cast<std::size_t>(by) + 1) % kSumsByCount));
  pages.handle_keys();
}

SnapshotSetPanel::SnapshotSetPanel(const std::filesystem::path& container, const ContainedTraces& files,
                                   const OpenOptions& options, WorkerPool& pool,
                                   const std::function<void()>& wake)
    : state_(std::make_unique<State>(container, files, options, pool, wake)) {}

SnapshotSetPanel::~SnapshotSetPanel() = default;

void SnapshotSetPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  state.update();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, state.theme.panel);
  const float head = state.draw_head();
  state.corner_px = 0;
  for (const Text axis : kAxisTexts)
    state.corner_px = std::max(state.corner_px, flat_button_width(tr(axis)) + state.px(12));
  state.place(at.x, at.y + head, size.x, std::max(1.0F, size.y - head));
  if (state.drawer.open && !state.drawer.fills()) {
    if (const std::optional<float> dragged = dragged_drawer_height(state.boxes.drawer, state.scale))
      state.drawer.set_height(std::max(kMinDrawerPx, *dragged));
  }
  state.curves.handle(state);
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  move_by_keys(state.navigation, state.boxes.plot, frame);
  state.bytes.step(frame.delta_seconds);
  state.curves.draw(list, state);
  state.draw_corner();
  draw_differences(state, frame.keyboard);
  state.pages.update();
  state.pages.draw(state.boxes.drawer, {state.theme, state.scale, frame.keyboard});
}

bool SnapshotSetPanel::wants_frames() const {
  return state_->navigation.moving() || state_->bytes.moving() || state_->pages.wants_frames();
}

bool SnapshotSetPanel::complete() const {
  const State& state = *state_;
  return state.read && !state.made.running() && state.computed_seen == state.seen &&
         state.picture != nullptr && state.pages.complete();
}

std::vector<PageView> SnapshotSetPanel::views() const { return state_->pages.views(tr(Text::view_curves)); }
void SnapshotSetPanel::show_view(std::string_view id) { state_->pages.show_view(id); }
void SnapshotSetPanel::fit_all() { state_->navigation.fit_all(); }
void SnapshotSetPanel::show_page(std::string_view id) { state_->drawer.show(id); }
void SnapshotSetPanel::show_table(std::string_view name) {
  state_->tables->choose(name);
  state_->drawer.show(drawer_page::kTables);
}
std::span<const TableInfo* const> SnapshotSetPanel::tables() const { return snapshot_set_table_kinds(); }
DrawerChoice* SnapshotSetPanel::drawer_choice() { return &state_->drawer; }
std::vector<PageRequest> SnapshotSetPanel::take_requests() { return std::exchange(state_->requests, {}); }
const SetState& SnapshotSetPanel::shown() const { return *state_; }

void SnapshotSetPanel::select_rank(std::int64_t rank) { state_->select_rank(rank); }

void SnapshotSetPanel::add(const ContainedTrace& file) {
  State& state = *state_;
  state.take_files();
  const auto known = std::ranges::find(state.files, file.path, &SnapshotFile::path);
  state.read_files({file}, static_cast<std::size_t>(known - state.files.begin()));
  state.take_files();
}

std::optional<TimePane> SnapshotSetPanel::time_pane() const {
  State& state = *state_;
  if (state.set() == nullptr || state.places.axis != SetAxis::clock) return std::nullopt;
  const Box& plot = state.boxes.plot;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<double> at;
  if (plot.contains(mouse.x, mouse.y)) {
    const TimeView& view = state.navigation.view();
    at = view.begin_ns + (mouse.x - plot.left) * view.ns_per_px;
  }
  return TimePane{&state.navigation, nullptr,   {state.places.origin_unix_ns, state.places.content}, true, at,
                  plot.left,         plot.right};
}

std::string SnapshotSetPanel::headline() const {
  const SetResult* const result = state_->picture.get();
  return result != nullptr && result->of_all ? escaped(in_language(result->verdict)) : std::string();
}

void SnapshotSetPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  using Json = nlohmann::ordered_json;
  const SnapshotSet* const set = state.set();
  constexpr std::array<const char*, kSetAxisCount> kAxes{"clock", "begins", "events"};
  const Box& plot = state.boxes.plot;
  const TimeView& view = state.navigation.view();
  Json differences = Json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(20, state.differences.size()); ++i)
    differences.push_back({state.differences[i].name.str(), state.differences[i].difference()});
  Json names = Json::array();
  if (set != nullptr) {
    for (const std::uint32_t i : set->order) names.push_back(set->names[i].str());
  }
  json = {{"files", state.files.size()},
          {"read", state.read},
          {"broken", failed_file_count(state.files)},
          {"verdict", state.picture != nullptr ? Json(in_language(state.picture->verdict)) : Json()},
          {"problems", state.problems()},
          {"order", names},
          {"median", set != nullptr ? Json(set->names[set->median].str()) : Json()},
          {"selected", set != nullptr && state.selected ? Json(set->names[*state.selected].str()) : Json()},
          {"hovered", set != nullptr && state.hovered ? Json(set->names[*state.hovered].str()) : Json()},
          {"axis", kAxes[static_cast<std::size_t>(state.places.axis)]},
          {"by", static_cast<int>(state.by)},
          {"differences", differences},
          {"begin", view.begin_ns},
          {"units_per_px", view.ns_per_px},
          {"bytes", {state.bytes.low(), state.bytes.high()}},
          {"plot", {plot.left, plot.top, plot.right, plot.bottom}},
          {"drawer_open", state.drawer.open}};
  state.pages.write_test_state(json);
}

}  // namespace kino
