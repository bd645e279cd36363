#include "app/pages/snapshot/snapshot_verdict_strip.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/shell/settings/category_rules.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

std::uint32_t edge_of(SnapshotVerdictKind kind, const Theme& theme) {
  switch (kind) {
    case SnapshotVerdictKind::out_of_memory:
      return theme.error;
    case SnapshotVerdictKind::grows:
      return theme.warning;
    case SnapshotVerdictKind::peak:
    case SnapshotVerdictKind::state:
    case SnapshotVerdictKind::empty:
      break;
  }
  return theme.accent;
}

/// Returns the page of the drawer that explains the verdict.
std::string_view page_of(SnapshotVerdictKind kind) {
  switch (kind) {
    case SnapshotVerdictKind::out_of_memory:
      return drawer_page::kOom;
    case SnapshotVerdictKind::grows:
      return drawer_page::kTables;
    case SnapshotVerdictKind::peak:
    case SnapshotVerdictKind::state:
    case SnapshotVerdictKind::empty:
      break;
  }
  return drawer_page::kCategories;
}

Verdict texts_of(const SnapshotVerdict& made, const Theme& theme) {
  Verdict verdict;
  verdict.edge = edge_of(made.kind, theme);
  verdict.headline = escaped(in_language(made.headline));
  if (!made.evidence.empty()) verdict.evidence = escaped(in_language(made.evidence));
  verdict.has_summary = false;
  if (made.kind != SnapshotVerdictKind::empty) verdict.worst = tr(Text::verdict_show);
  return verdict;
}

}  // namespace

void SnapshotVerdictStrip::update(SnapshotState& state, const Splitters* sizes, float page_px) {
  state.verdict_px = verdict_height(sizes != nullptr && sizes->small_verdict, page_px, state.scale);
  made_.poll();
  if (!state.any() || device_ == state.device_index()) return;
  device_ = state.device_index();
  made_.start(
      pool_, wake_,
      [snapshot = state.snapshot, device = *device_, units = byte_units()](const std::stop_token& stop) {
        const CategoryRules rules = read_category_rules(category_rules_path());
        return snapshot_verdict(*snapshot, device, rules.rules, units, stop);
      });
}

void SnapshotVerdictStrip::draw(SnapshotState& state, Splitters* sizes, const Theme& theme) {
  if (state.boxes.verdict.height() < 1) return;
  const bool small = sizes != nullptr && sizes->small_verdict;
  const SnapshotVerdict* const made = made_.value();
  Verdict texts;
  if (made != nullptr && !made_.running()) {
    texts = texts_of(*made, theme);
  } else {
    texts.edge = theme.accent;
    texts.has_summary = false;
    texts.headline = tr(made_.failed() ? Text::not_enough_memory : Text::verdict_pending_snapshot);
  }
  const VerdictActions done = draw_verdict(texts, small, state.boxes.verdict, theme, state.scale, places_);
  if (done.resize && sizes != nullptr) sizes->small_verdict = !small;
  if (!done.worst || made == nullptr) return;
  state.go_to(made->event);
  state.drawer.show(page_of(made->kind));
}

std::string SnapshotVerdictStrip::headline() const {
  const SnapshotVerdict* const made = made_.value();
  return made != nullptr && !made_.running() ? escaped(in_language(made->headline)) : std::string();
}

std::string SnapshotVerdictStrip::text() const {
  const SnapshotVerdict* const made = made_.value();
  return made != nullptr && !made_.running() ? text_of(texts_of(*made, Theme::make(true))) : std::string();
}

void SnapshotVerdictStrip::write_test_state(nlohmann::ordered_json& panel) const {
  using Json = nlohmann::ordered_json;
  const SnapshotVerdict* const made = made_.value();
  panel["verdict"] = {{"text", made != nullptr && !made_.running() ? Json(made->headline.str()) : Json()},
                      {"worst", places_.worst ? place_json(*places_.worst) : Json()}};
}

}  // namespace kino
