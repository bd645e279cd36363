#include "app/pages/critical/critical_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"

namespace kino {

std::vector<std::string> CriticalState::settings() const {
  std::vector<std::string> settings;
  settings.reserve(chosen.size());
  const bool no_compute = std::ranges::find(chosen, ChosenSetting{"compute", 0.0}) != chosen.end();
  for (const ChosenSetting& setting : chosen) {
    // If all kernels take no time, a factor of one kernel has no effect and would be refused.
    if (no_compute && setting.name.starts_with("kernel:")) continue;
    std::string& text = settings.emplace_back(setting.name);
    if (setting.value) text.append("=").append(formatted("%.4g", *setting.value));
  }
  return settings;
}

double CriticalState::factor(std::string_view name) const {
  const auto found = std::ranges::find(chosen, name, &ChosenSetting::name);
  return found != chosen.end() ? found->value.value_or(1) : 1;
}

void CriticalState::set_factor(const std::string& name, double factor) {
  const auto found = std::ranges::find(chosen, name, &ChosenSetting::name);
  if (found != chosen.end() && factor == 1) {
    chosen.erase(found);
  } else if (found != chosen.end()) {
    found->value = factor;
  } else if (factor != 1) {
    chosen.push_back({name, factor});
  }
}

bool CriticalState::is_chosen(const std::string& usual_setting) const {
  const std::optional<ChosenSetting> setting = chosen_from(usual_setting);
  return setting && std::ranges::find(chosen, *setting) != chosen.end();
}

void CriticalState::toggle(const std::string& usual_setting) {
  std::optional<ChosenSetting> setting = chosen_from(usual_setting);
  if (!setting) return;
  const bool was_chosen = is_chosen(usual_setting);
  std::erase_if(chosen, [&](const ChosenSetting& other) { return other.name == setting->name; });
  if (!was_chosen) chosen.push_back(*std::move(setting));
}

void CriticalState::step_forecast(int by) {
  if (usual == nullptr || usual->empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(usual->size()) - 1;
  const std::ptrdiff_t before = forecast ? static_cast<std::ptrdiff_t>(*forecast) : (by > 0 ? -1 : last + 1);
  forecast = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(before + by, 0, last));
}

void CriticalState::step_piece(int by) {
  if (!has_path() || content->longest.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(content->longest.size());
  const std::ptrdiff_t before = piece ? static_cast<std::ptrdiff_t>(*piece) : (by > 0 ? -1 : 0);
  piece = static_cast<std::size_t>((before + by + count) % count);
}

std::vector<PathTab> CriticalState::tabs() const {
  std::vector<PathTab> tabs;
  if (content == nullptr) return tabs;
  tabs.reserve(kPathTabs);
  for (std::size_t i = 0; i < kPathTabs; ++i) {
    if (!content->tables[i].rows.empty()) tabs.push_back(static_cast<PathTab>(i));
  }
  return tabs;
}

void CriticalState::next_tab() {
  const std::vector<PathTab> shown = tabs();
  if (shown.empty()) return;
  const auto at = static_cast<std::size_t>(std::ranges::find(shown, tab) - shown.begin());
  tab = shown[(at + 1) % shown.size()];
}

void CriticalState::open_piece(const PathPiece& shown) {
  if (of_job()) {
    open_rank(shown.rank);
  } else {
    requests.emplace_back(ShowRange{shown.range, shown.slice});
  }
}

void CriticalState::open_slice(SliceId slice, std::uint32_t rank) {
  if (slice == kNoSlice || content == nullptr || rank >= content->traces.size()) return;
  if (of_job()) return open_rank(rank);
  const Trace& trace = *content->traces[rank];
  const std::int64_t begin_ns = trace.start_ns(slice);
  requests.emplace_back(ShowRange{{begin_ns, saturating_add(begin_ns, trace.duration_ns(slice))}, slice});
}

void CriticalState::open_rank(std::uint32_t rank) {
  if (of_job() && rank < content->files.size()) requests.emplace_back(OpenRecording{content->files[rank]});
}

void CriticalState::open_selection() {
  if (!has_path() || content->longest.empty()) return;
  open_piece(content->path.pieces[content->longest[piece.value_or(0)]]);
}

std::optional<ChosenSetting> chosen_from(std::string_view usual_setting) {
  constexpr std::string_view kKernelPrefix = "kernel:";
  constexpr std::string_view kRankPrefix = "rank:";
  constexpr std::string_view kMedianValue = "=median";
  if (usual_setting.starts_with(kRankPrefix) && usual_setting.ends_with(kMedianValue))
    return ChosenSetting{std::string(usual_setting), std::nullopt};
  const std::size_t equals = usual_setting.rfind('=');
  if (equals == std::string_view::npos) return ChosenSetting{std::string(usual_setting), std::nullopt};
  const std::string_view text = usual_setting.substr(equals + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  std::string name(usual_setting.substr(0, equals));
  if (!name.starts_with(kKernelPrefix)) return ChosenSetting{std::move(name), value};
  const std::string pattern = literal_pattern(name.substr(kKernelPrefix.size()));
  if (pattern.empty()) return std::nullopt;
  return ChosenSetting{std::string(kKernelPrefix).append(pattern), value};
}

void place_critical(CriticalState& state, const Box& all) {
  const float em = ImGui::GetFontSize();
  CriticalBoxes& boxes = state.boxes;
  boxes.all = all;
  boxes.bar = {all.left, ImGui::GetCursorScreenPos().y, all.right, 0};
  boxes.bar.bottom = boxes.bar.top + std::floor(2.1F * em);
  const float rest = all.bottom - boxes.bar.bottom;
  const float middle = std::floor(all.left + std::clamp(all.width() * 0.36F, 20 * em, 40 * em));
  const float lanes = std::floor(std::clamp(rest * (state.of_job() ? 0.3F : 0.4F), 13 * em, 18 * em));
  const float list = std::floor(std::clamp(rest * 0.56F, 10 * em, rest));
  boxes.forecasts = {all.left, boxes.bar.bottom, middle, boxes.bar.bottom + list};
  boxes.settings = {all.left, boxes.bar.bottom + list, middle, all.bottom};
  boxes.lanes = {middle, boxes.bar.bottom, all.right, boxes.bar.bottom + lanes};
  boxes.ranks = {middle, boxes.lanes.bottom, all.right, boxes.lanes.bottom};
  if (state.of_job()) {
    const float rows = static_cast<float>(state.content->ranks.lanes.size()) * rank_row_height() + em;
    boxes.ranks.bottom += std::floor(std::clamp(rows, 0.0F, std::max(0.0F, (rest - lanes) * 0.5F)));
  }
  boxes.table = {middle, boxes.ranks.bottom, all.right, all.bottom};
}

float rank_row_height() { return std::floor(1.9F * ImGui::GetFontSize()); }

std::uint32_t cause_color(PathCause cause, const Theme& theme) {
  // In the order of PathCause. Blue is GPU work, orange communication, gray latency, teal threads, violet calls.
  constexpr std::array<Lch, kPathCauseCount> kColors{{{0.70, 0.14, 254},
                                                      {0.86, 0.12, 95},
                                                      {0.72, 0.13, 52},
                                                      {0.58, 0.11, 45},
                                                      {0.78, 0.03, 262},
                                                      {0.66, 0.03, 262},
                                                      {0.72, 0.06, 220},
                                                      {0.84, 0.03, 262},
                                                      {0.62, 0.17, 25},
                                                      {0.85, 0.09, 340},
                                                      {0.72, 0.14, 5},
                                                      {0.74, 0.11, 180},
                                                      {0.80, 0.12, 150},
                                                      {0.58, 0.09, 185},
                                                      {0.52, 0.02, 262},
                                                      {0.64, 0.15, 300},
                                                      {0.76, 0.10, 310},
                                                      {0.60, 0.15, 330},
                                                      {0.54, 0.13, 290}}};
  Lch color = kColors[index_of_cause(cause)];
  if (!theme.dark) color.lightness -= 0.04;
  return packed_color(color);
}

void draw_critical_title(ImDrawList& list, const CriticalState& state, const Box& box, const char* title,
                         const std::string& note) {
  const float em = ImGui::GetFontSize();
  const float left = box.left + state.px(14);
  const float y = std::floor(box.top + 0.5F * em);
  const float used = draw_elided(list, {left, y}, box.width() - state.px(28), state.theme.text, title);
  const float room = box.right - state.px(14) - (left + used + em);
  if (room > 8 * em) draw_elided(list, {left + used + em, y}, room, state.theme.text_dim, note);
}

}  // namespace kino
