#include "app/overlays.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include <imgui.h>

#include "app/fonts.hpp"
#include "app/keys.hpp"
#include "app/terminal_text.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

struct KeyHelp {
  const char* keys;
  const char* what;  // null: `keys` is the title of a group
};

constexpr std::array kLeftColumn = {
    KeyHelp{"Move", nullptr},
    KeyHelp{"W  S", "zoom in, out at the mouse"},
    KeyHelp{"A  D", "pan left, right"},
    KeyHelp{"Shift", "with W S A D: faster"},
    KeyHelp{"Wheel", "scroll the tracks"},
    KeyHelp{"Ctrl+wheel", "zoom at the mouse"},
    KeyHelp{"Shift+wheel", "pan"},
    KeyHelp{"Drag", "pan"},
    KeyHelp{"R", "fit the whole trace"},
    KeyHelp{"Select", nullptr},
    KeyHelp{"Click", "select a slice"},
    KeyHelp{"F", "fit the selection"},
    KeyHelp{"[  ]", "previous, next slice of the row"},
    KeyHelp{"Up  Down", "parent, child"},
    KeyHelp{"Esc", "clear the selection"},
};
constexpr std::array kRightColumn = {
    KeyHelp{"Files", nullptr},
    KeyHelp{"Ctrl+O", "open; or drop files on the window"},
    KeyHelp{"Ctrl+W", "close the tab; or middle click it"},
    KeyHelp{"Ctrl+Tab", "next tab, with Shift the one before"},
    KeyHelp{"1 to 9", "go to a tab"},
    KeyHelp{"Esc", "cancel loading"},
    KeyHelp{"Ctrl+Q", "quit"},
    KeyHelp{"Window", nullptr},
    KeyHelp{"T", "dark or light theme"},
    KeyHelp{"F3", "debug figures"},
    KeyHelp{"?  F1", "this sheet"},
};

void draw_key_column(const char* id, std::span<const KeyHelp> lines, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, em * 6.2F);
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
  bool first = true;
  for (const KeyHelp& line : lines) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (line.what == nullptr) {
      if (!first) ImGui::Dummy(ImVec2(0, em * 0.4F));
      colored_text(theme.accent, line.keys);
    } else {
      colored_text(theme.text, line.keys);
      ImGui::TableNextColumn();
      wrapped_text(theme.text_dim, line.what);
    }
    first = false;
  }
  ImGui::EndTable();
}

// A centred window over everything, dimming the rest; false while it is closed. Ends with ImGui::EndPopup().
bool begin_sheet(const char* title, bool& open, ImVec2 size_em) {
  if (open && !ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  if (!ImGui::IsPopupOpen(title)) return false;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const ImVec2 size(std::min(size_em.x * em, display.x - 2 * em),
                    std::min(size_em.y * em, display.y - 2 * em));
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSize(size, ImGuiCond_Always);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (!ImGui::BeginPopupModal(title, &open, kFlags)) return false;
  const ImVec2 position = ImGui::GetWindowPos();
  const bool beside =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
      !ImGui::IsMouseHoveringRect(position, ImVec2(position.x + size.x, position.y + size.y), false);
  if (beside || key_pressed(NamedKey::escape)) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  return true;
}

std::string fixed(double number, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

}  // namespace

void draw_help_sheet(bool& open, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const bool two_columns = ImGui::GetIO().DisplaySize.x >= 46 * em;
  if (!begin_sheet("Keys", open, two_columns ? ImVec2(48, 26) : ImVec2(26, 60))) return;
  if (two_columns) {
    const float half = (ImGui::GetContentRegionAvail().x - 2 * em) / 2;
    ImGui::BeginChild("left", ImVec2(half, 0));
    draw_key_column("move", kLeftColumn, theme);
    ImGui::EndChild();
    ImGui::SameLine(0, 2 * em);
    ImGui::BeginChild("right", ImVec2(half, 0));
    draw_key_column("files", kRightColumn, theme);
    ImGui::EndChild();
  } else {
    draw_key_column("move", kLeftColumn, theme);
    ImGui::Dummy(ImVec2(0, em * 0.4F));
    draw_key_column("files", kRightColumn, theme);
  }
  ImGui::EndPopup();
}

void draw_damage_list(bool& open, const Trace& trace, const Theme& theme) {
  const auto lines = static_cast<float>(trace.damage.entries().size());
  if (!begin_sheet("Damage", open, ImVec2(56, 7 + 4.2F * lines))) return;
  wrapped_text(theme.text_dim,
               "What was damaged or unusual in this file. Offsets count bytes of the decompressed text.");
  ImGui::Separator();
  for (const Damage& entry : trace.damage.entries()) {
    ImGui::Spacing();
    wrapped_text(drops_event(entry.reason) ? theme.warning : theme.text,
                 grouped(entry.count) + " × " + std::string(text_of(entry.reason)));
    if (entry.first_offset != kNoOffset) {
      wrapped_text(theme.text_dim, "first at byte " + grouped(entry.first_offset));
    }
    if (!entry.sample.empty()) {
      ImGui::PushFont(mono_font());
      wrapped_text(theme.text_dim, escaped(entry.sample));
      ImGui::PopFont();
    }
  }
  ImGui::EndPopup();
}

void draw_debug_overlay(const Document* document, const DebugFigures& figures, const Theme& theme) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  const bool timeline = document != nullptr && document->state() == Document::State::ready;
  ImGui::SetNextWindowPos(ImVec2(display.x - em, timeline ? 4.2F * em : display.y - em), ImGuiCond_Always,
                          ImVec2(1, timeline ? 0.0F : 1.0F));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("Debug figures", nullptr, kFlags)) {
    const auto row = [&](const char* label, const std::string& value) {
      colored_text(theme.text_dim, label);
      const float right = 13 * em - ImGui::CalcTextSize(value.c_str()).x;
      ImGui::SameLine(right);
      colored_text(theme.text, value);
    };
    row("Frame", fixed(figures.frame_cpu_ms, 2) + " ms");
    if (timeline) {
      const TimelinePanel& panel = document->panel();
      const DrawStats& stats = panel.draw_stats();
      row("Timeline", fixed(panel.frame_cpu_ms(), 2) + " ms");
      row("Tiles, CPU", fixed(stats.cpu_ms, 2) + " ms");
      row("Tiles drawn", grouped(stats.tiles_drawn));
      row("Tiles missing", grouped(stats.tiles_missing));
      row("Instances", grouped(stats.instances));
      row("Tile cache", fixed(static_cast<double>(stats.cache_bytes) / 1e6, 1) + " MB");
    }
    row("Draws a second", fixed(figures.draws_per_second, 0));
  }
  ImGui::End();
}

}  // namespace kino
