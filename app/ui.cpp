#include "app/ui.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/assets.hpp"
#include "app/keys.hpp"
#include "app/pages.hpp"

namespace kino {
namespace {

constexpr double kProgressSeconds = 0.1;
constexpr double kCursorBlinkSeconds = 0.4;

bool typed(char character) {
  const ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
  return std::find(queue.begin(), queue.end(), static_cast<ImWchar>(character)) != queue.end();
}

}  // namespace

Ui::Ui(Session& session, bool dark, std::function<void()> wake)
    : session_(session), theme_(Theme::make(dark)), dialog_(std::move(wake)), sample_(find_sample()) {}

void Ui::draw(DisplayScale scale, double delta_seconds, const DebugFigures& figures) {
  handle_keys();
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme_.window);
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
      ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav;
  ImGui::Begin("Kinetoscope", nullptr, kFlags);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);

  apply(tool_bar_.draw(session_, theme_, scale.ui));
  draw_page(scale, delta_seconds);
  ImGui::End();
  draw_sheets();
  if (debug_open_) draw_debug_overlay(session_.active_document(), figures, theme_);
}

void Ui::draw_page(DisplayScale scale, double delta_seconds) {
  Document* document = session_.active_document();
  if (document == nullptr) {
    const StartPageActions actions = draw_start_page(theme_, sample_.has_value());
    if (actions.open) open_dialog();
    if (actions.open_sample) session_.open(std::span(&*sample_, 1));
    return;
  }
  ImGui::PushID(static_cast<int>(document->serial()));
  if (document->state() == Document::State::loading) {
    if (draw_loading_page(*document, theme_)) document->request_stop();
  } else if (document->state() == Document::State::failed) {
    const ErrorPageActions actions = draw_error_page(*document, theme_);
    if (actions.retry) session_.retry(session_.active());
    if (actions.close) session_.close(session_.active());
  } else {
    TimelineFrame frame;
    frame.theme = &theme_;
    frame.scale = scale.ui;
    frame.framebuffer_scale = scale.framebuffer;
    frame.delta_seconds = delta_seconds;
    frame.keyboard = !sheet_open() && !ImGui::GetIO().WantTextInput;
    frame.debug_overlay = false;  // draw_debug_overlay() shows the panel's figures with the others
    document->panel().draw(frame);
  }
  ImGui::PopID();
}

void Ui::draw_sheets() {
  draw_help_sheet(help_open_, theme_);
  const Document* document = session_.active_document();
  const bool ready = document != nullptr && document->state() == Document::State::ready;
  if (!ready) damage_open_ = false;
  if (ready) draw_damage_list(damage_open_, *document->opened().trace, theme_);
  const std::vector<std::filesystem::path> chosen = dialog_.draw(theme_);
  if (!chosen.empty()) session_.open(chosen);
}

void Ui::handle_keys() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || dialog_.browser_visible()) return;
  if (typed('?') || key_pressed(NamedKey::f1)) help_open_ = !help_open_;
  if (key_pressed(NamedKey::f3)) debug_open_ = !debug_open_;
  if (io.KeyCtrl && key_pressed('Q')) quit_ = true;
  if (help_open_ || damage_open_) return;

  if (io.KeyCtrl && key_pressed('O')) open_dialog();
  if (!io.KeyCtrl && !io.KeyAlt && key_pressed('T')) toggle_theme();
  Document* document = session_.active_document();
  if (document == nullptr) return;
  if (document->state() == Document::State::loading && key_pressed(NamedKey::escape))
    document->request_stop();
  handle_tab_keys();
  if (io.KeyCtrl && key_pressed('W')) session_.close(session_.active());
}

void Ui::handle_tab_keys() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && key_pressed(NamedKey::tab, true)) session_.activate_neighbour(io.KeyShift ? -1 : 1);
  if (io.KeyCtrl && key_pressed(NamedKey::page_down, true)) session_.activate_neighbour(1);
  if (io.KeyCtrl && key_pressed(NamedKey::page_up, true)) session_.activate_neighbour(-1);
  if (io.KeyCtrl || io.KeyAlt) return;
  for (char digit = '1'; digit <= '9'; ++digit) {
    if (key_pressed(digit)) session_.activate(static_cast<std::size_t>(digit - '1'));
  }
}

void Ui::apply(const ToolBarActions& actions) {
  if (actions.open) open_dialog();
  if (actions.toggle_theme) toggle_theme();
  if (actions.toggle_help) help_open_ = true;
  if (actions.show_damage) damage_open_ = true;
  if (actions.fit_all) session_.active_document()->panel().fit_all();
  if (actions.activate) session_.activate(*actions.activate);
  if (actions.close) session_.close(*actions.close);
}

void Ui::open_dialog() {
  const Document* document = session_.active_document();
  dialog_.open(document != nullptr ? document->path().parent_path() : std::filesystem::path());
}

void Ui::toggle_theme() { theme_ = Theme::make(!theme_.dark); }

double Ui::sleep_seconds() const {
  const Document* document = session_.active_document();
  if (document != nullptr && document->state() == Document::State::ready &&
      document->panel().wants_frames()) {
    return 0;
  }
  if (session_.loading()) return kProgressSeconds;
  if (ImGui::GetIO().WantTextInput) return kCursorBlinkSeconds;
  return std::numeric_limits<double>::infinity();
}

bool Ui::complete() const {
  const Document* document = session_.active_document();
  if (session_.loading()) return false;
  return document == nullptr || document->state() == Document::State::failed || document->panel().complete();
}

std::string Ui::window_title() const {
  return session_.empty() ? "Kinetoscope" : session_.title(session_.active()) + " - Kinetoscope";
}

}  // namespace kino
