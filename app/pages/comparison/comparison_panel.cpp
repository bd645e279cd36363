#include "app/pages/comparison/comparison_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/comparison/comparison_charts.hpp"
#include "app/pages/comparison/comparison_inspector.hpp"
#include "app/pages/comparison/comparison_pages.hpp"
#include "app/pages/comparison/comparison_texts.hpp"
#include "app/pages/comparison/step_lanes.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/drawer.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/tables/compare/comparison_tables.hpp"

namespace kino {

struct ComparisonPanel::State : ComparisonState {
  State(std::array<ComparedSide, kSides> wanted_sides, std::function<OpenSides()> open_sides,
        WorkerPool& workers, const std::function<void()>& tell_news)
      : open(std::move(open_sides)), pool(workers), wake(tell_news), pages(drawer) {
    sides = std::move(wanted_sides);
    drawer.page = drawer_page::kTables;
    tables = &pages.add<ComparisonTablesPage>(*this, sides[1].path, workers, tell_news);
    pages.add<RunMemoryPage>(*this);
  }

  /// Settings from which a picture is computed.
  struct Query {
    std::size_t read = ~std::size_t{0};
    RunKey key = RunKey::name;
    bool force = false;
    bool operator==(const Query&) const = default;
  };
  Query query() const { return {read, key, force}; }

  void update();
  void compute();
  void handle_keys();
  void handle_splitter();

  std::function<OpenSides()> open;
  WorkerPool& pool;
  std::function<void()> wake;
  Query computed;
  std::size_t taken = ~std::size_t{0};  // value of `read` for the picture that is shown
  BackgroundResult<std::shared_ptr<const ComparisonPicture>> made;
  Drawer pages;
  ComparisonTablesPage* tables = nullptr;
  StepLanes lanes;
  ComparisonInspector inspector;
};

void ComparisonPanel::State::compute() {
  const bool again = computed.read != read;
  computed = query();
  CompareOptions options;
  options.key = key;
  options.force = force;
  options.join_loaders = true;
  const RunSelection& a = sides[0].selection;
  const RunSelection& b = sides[1].selection;
  options.same_file = sides[0].same_run(sides[1]) && a.first_step == b.first_step &&
                      a.end_step == b.end_step && a.drop_last == b.drop_last &&
                      std::ranges::equal(a.ranges, b.ranges);
  std::shared_ptr<const ReadRuns> known = again || picture == nullptr ? nullptr : picture->runs;
  made.start(pool, wake, [known = std::move(known), of = sides, options](const std::stop_token& stop) {
    std::shared_ptr<const ReadRuns> runs =
        known != nullptr ? known : std::make_shared<const ReadRuns>(read_runs(of, stop));
    return std::make_shared<const ComparisonPicture>(compare(std::move(runs), of, options, stop));
  });
}

void ComparisonPanel::State::update() {
  if (computed != query()) compute();
  if (const std::shared_ptr<const ComparisonPicture>* done = made.poll();
      done != nullptr && *done != picture) {
    const bool other = taken != computed.read;
    taken = computed.read;
    take(*done, other);
  }
  failed = made.failed();
}

void ComparisonPanel::State::handle_keys() {
  if (command_pressed(CommandId::fit_all)) navigation.fit_all();
  if (command_pressed(CommandId::clear_selection) && drawer.fills()) {
    drawer.leave_full();
  } else if (command_pressed(CommandId::clear_selection)) {
    select_row(std::nullopt);
    cause.reset();
  }
  if (command_pressed(CommandId::next_change)) step_change(1);
  if (command_pressed(CommandId::previous_change)) step_change(-1);
  if (command_pressed(CommandId::swap_runs)) swap();
  if (command_pressed(CommandId::compare_key))
    key = static_cast<RunKey>((static_cast<std::size_t>(key) + 1) % kRunKeyNames.size());
  if (command_pressed(CommandId::link_steps)) linked = !linked;
  if (command_pressed(CommandId::open_change)) want_slice();
  if (command_pressed(CommandId::compare_anyway)) force = true;
  pages.handle_keys();
}

void ComparisonPanel::State::handle_splitter() {
  if (!drawer.open || drawer.fills()) return;
  if (const std::optional<float> dragged = dragged_drawer_height(boxes.drawer, scale))
    drawer.set_height(std::max(kMinDrawerPx, *dragged));
}

ComparisonPanel::ComparisonPanel(std::array<ComparedSide, kSides> sides, std::function<OpenSides()> open,
                                 WorkerPool& pool, const std::function<void()>& wake)
    : state_(std::make_unique<State>(std::move(sides), std::move(open), pool, wake)) {}

ComparisonPanel::~ComparisonPanel() = default;

void ComparisonPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  state.update();
  state.inspector.handle_keys(state, frame.splitters, frame.keyboard, size.x);
  state.place(at.x, at.y, size.x, size.y);
  state.handle_splitter();
  const bool shown = state.picture != nullptr && !state.picture->comparison.steps_a.empty() &&
                     !state.picture->comparison.steps_b.empty();
  if (shown) state.lanes.handle(state);
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  move_by_keys(state.navigation, state.boxes.lanes, frame);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(left_top(state.boxes.all), right_bottom(state.boxes.all), state.theme.panel);
  draw_comparison_head(list, state, state.open());
  if (shown) {
    if (state.told() != nullptr) {
      draw_step_dots(list, state);
      draw_waterfall(list, state);
      draw_icicle(list, state);
    } else {
      draw_checks(list, state);
    }
    state.lanes.draw(list, state);
  }
  state.pages.update();
  state.inspector.draw(state, frame.splitters, frame.keyboard);
  state.pages.draw(state.boxes.drawer, {state.theme, state.scale, frame.keyboard},
                   state.drawer.fills() ? facts() : std::vector<PageFact>());
}

bool ComparisonPanel::wants_frames() const {
  return state_->navigation.moving() || state_->pages.wants_frames();
}

bool ComparisonPanel::complete() const {
  const State& state = *state_;
  return (state.picture != nullptr || state.failed) && state.computed == state.query() &&
         !state.made.running() && state.pages.complete();
}

std::vector<PageView> ComparisonPanel::views() const { return state_->pages.views(tr(Text::view_overview)); }
void ComparisonPanel::show_view(std::string_view id) { state_->pages.show_view(id); }
std::vector<PageFact> ComparisonPanel::facts() const {
  const State& state = *state_;
  std::vector<PageFact> facts{{tr(Text::facts_runs)}};
  if (state.picture == nullptr) return facts;
  constexpr std::array kLetters{"A", "B"};
  for (std::size_t side = 0; side < kSides; ++side) {
    facts.push_back(
        {filled(Text::facts_side, {kLetters[side], steps_text(state, side)}), steps_hint(state, side)});
  }
  return facts;
}
void ComparisonPanel::fit_all() { state_->navigation.fit_all(); }
void ComparisonPanel::show_page(std::string_view id) { state_->drawer.show(id); }
void ComparisonPanel::show_table(std::string_view name) {
  state_->tables->choose(name);
  state_->drawer.show(drawer_page::kTables);
}
std::span<const TableInfo* const> ComparisonPanel::tables() const {
  return comparison_table_kinds(state_->of_jobs());
}
DrawerChoice* ComparisonPanel::drawer_choice() { return &state_->drawer; }
const ComparisonState& ComparisonPanel::shown() const { return *state_; }

std::vector<PageRequest> ComparisonPanel::take_requests() {
  const std::optional<WantedSlice> wanted = std::exchange(state_->wanted, std::nullopt);
  if (!wanted) return {};
  const ComparedSide& side = state_->sides[wanted->side];
  // If the side is a job, its trace is not open yet: open the trace of the compared rank.
  if (side.job != nullptr) return {OpenRecording{state_->picture->runs->paths[wanted->side]}};
  return {ShowSlice{{side.recording, wanted->slice}}};
}

void ComparisonPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  using Json = nlohmann::ordered_json;
  json = {{"read", state.picture != nullptr},
          {"sides", {state.sides[0].title, state.sides[1].title}},
          {"steps", {steps_text(state, 0), steps_text(state, 1)}},
          {"verdict", verdict_sentence(state)},
          {"reasons", verdict_reasons(state)},
          {"statistics", verdict_statistics(state)},
          {"key", kRunKeyNames[static_cast<std::size_t>(state.key)]},
          {"linked", state.linked},
          {"gate", state.gate},
          {"cause", state.cause ? Json(text_of(*state.cause)) : Json()}};
  const Box& lanes = state.boxes.lanes;
  const Box& waterfall = state.boxes.waterfall;
  json["lanes"] = {lanes.left, lanes.top, lanes.right, lanes.bottom};
  json["waterfall_box"] = {waterfall.left, waterfall.top, waterfall.right, waterfall.bottom};
  json["ribbons"] = {{"depth", static_cast<int>(state.lanes.depth())}, {"count", state.lanes.ribbons()}};
  if (state.picture == nullptr) return;
  const RunComparison& comparison = state.picture->comparison;
  json["refused"] = comparison.refused();
  json["forced"] = comparison.forced;
  json["step"] = {{"a_ns", comparison.decisive().mean_a},
                  {"b_ns", comparison.decisive().mean_b},
                  {"n", {comparison.steps_a.size(), comparison.steps_b.size()}}};
  Json causes = Json::object();
  for (const ComparedCause& cause : comparison.fine_causes())
    causes[text_of(cause)] = mean_change(comparison, cause.change);
  json["waterfall"] = causes;
  json["row"] = state.row ? Json(comparison.rows[*state.row].key) : Json();
  json["icicle"] = state.picture->icicle.size();
  json["by_module"] = state.picture->by_module;
  state.pages.write_test_state(json);
  state.inspector.write_test_state(state, json);
}

}  // namespace kino
