#include "app/ui/widgets/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <imgui.h>

#include "app/system/text_hash.hpp"
#include "app/ui/widgets/oklch.hpp"

namespace kino {
namespace {

/// Returns the color of a kind. Compute is blue and communication orange, which are distinguishable with any
/// color vision. Other kinds with similar hues differ in lightness or chroma, except the two annotations.
/// Kernels and copies are the brightest, and annotations are close to the surface.
Lch kind_lch(SliceKind kind, bool dark) {
  struct Hue {
    double lightness;
    double chroma;
    double degrees;
  };
  constexpr std::array<Hue, kSliceKindCount> kHues{{
      {0.73, 0.125, 252},   // compute: blue
      {0.77, 0.135, 62},    // communication: orange
      {0.88, 0.115, 98},    // copy: light yellow
      {0.63, 0.035, 290},   // gpu_sync: gray violet
      {0.46, 0.040, 345},   // gpu_annotation: mauve, like the same names on the CPU
      {0.71, 0.090, 188},   // cpu_op: teal
      {0.645, 0.120, 312},  // runtime: violet
      {0.64, 0.028, 250},   // python: slate
      {0.46, 0.040, 345},   // annotation: mauve
      {0.64, 0.030, 60},    // overhead: warm gray
      {0.72, 0.012, 250},   // other: gray
  }};
  const Hue& hue = kHues[static_cast<std::size_t>(kind)];
  constexpr double kPaleMauve = 0.84;  // lightness of annotations in the light theme
  if (!dark && (kind == SliceKind::annotation || kind == SliceKind::gpu_annotation))
    return {kPaleMauve, hue.chroma, hue.degrees};
  // In the light theme, light colors are darkened, so that a slice of one pixel remains visible.
  const double lightness =
      dark ? hue.lightness : std::min(hue.lightness, 0.70 + (hue.lightness - 0.70) * 0.75);
  return {lightness, hue.chroma, hue.degrees};
}

constexpr double kRoseHue = 5;  // hue of idle time and of its causes, in degrees; see Lch

std::uint32_t name_hash(std::string_view text) {
  std::uint32_t hash = short_hash_of(text);
  hash ^= hash >> 15;
  hash *= 0x2c1b3c6dU;
  return hash ^ (hash >> 13);
}

ImVec4 vec4(std::uint32_t color) { return ImGui::ColorConvertU32ToFloat4(color); }

void apply_colors(const Theme& theme, ImGuiStyle& style) {
  const auto set = [&](ImGuiCol slot, std::uint32_t color) { style.Colors[slot] = vec4(color); };
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.text_dim);
  set(ImGuiCol_TextSelectedBg, with_alpha(theme.accent, 80));
  set(ImGuiCol_WindowBg, theme.window);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_MenuBarBg, theme.panel);
  set(ImGuiCol_Border, theme.border);
  set(ImGuiCol_BorderShadow, 0);
  const std::uint32_t ink = theme.dark ? 0x00ffffffU : 0x00201408U;  // a thin layer on any surface
  set(ImGuiCol_FrameBg, with_alpha(ink, theme.dark ? 16 : 14));
  set(ImGuiCol_FrameBgHovered, with_alpha(ink, 28));
  set(ImGuiCol_FrameBgActive, with_alpha(ink, 38));
  set(ImGuiCol_Button, with_alpha(ink, theme.dark ? 18 : 16));
  set(ImGuiCol_ButtonHovered, with_alpha(ink, 34));
  set(ImGuiCol_ButtonActive, with_alpha(ink, 50));
  set(ImGuiCol_Header, with_alpha(theme.accent, 48));
  set(ImGuiCol_HeaderHovered, with_alpha(ink, 24));
  set(ImGuiCol_HeaderActive, with_alpha(theme.accent, 72));
  set(ImGuiCol_TitleBg, theme.panel);
  set(ImGuiCol_TitleBgActive, theme.panel);
  set(ImGuiCol_TitleBgCollapsed, theme.panel);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ScrollbarGrab, with_alpha(ink, 44));
  set(ImGuiCol_ScrollbarGrabHovered, with_alpha(ink, 72));
  set(ImGuiCol_ScrollbarGrabActive, with_alpha(ink, 96));
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_SliderGrab, theme.accent);
  set(ImGuiCol_SliderGrabActive, theme.accent);
  set(ImGuiCol_Separator, theme.border);
  set(ImGuiCol_SeparatorHovered, with_alpha(theme.accent, 160));
  set(ImGuiCol_SeparatorActive, theme.accent);
  set(ImGuiCol_ResizeGrip, 0);
  set(ImGuiCol_ResizeGripHovered, with_alpha(theme.accent, 120));
  set(ImGuiCol_ResizeGripActive, with_alpha(theme.accent, 200));
  set(ImGuiCol_Tab, 0);
  set(ImGuiCol_TabHovered, with_alpha(ink, 30));
  set(ImGuiCol_TabActive, theme.window);
  set(ImGuiCol_TabUnfocused, 0);
  set(ImGuiCol_TabUnfocusedActive, theme.window);
  set(ImGuiCol_PlotLines, theme.counter);
  set(ImGuiCol_PlotHistogram, theme.accent);
  set(ImGuiCol_TableHeaderBg, theme.group_header);
  set(ImGuiCol_TableBorderStrong, theme.border);
  set(ImGuiCol_TableBorderLight, with_alpha(theme.border, 140));
  set(ImGuiCol_TableRowBg, 0);
  set(ImGuiCol_TableRowBgAlt, with_alpha(ink, 8));
  set(ImGuiCol_DragDropTarget, theme.accent);
  set(ImGuiCol_NavHighlight, theme.accent);
  set(ImGuiCol_ModalWindowDimBg, theme.dark ? 0xa0000000U : 0x50000000U);
}

}  // namespace

std::uint32_t mixed(std::uint32_t a, std::uint32_t b, double share) {
  std::uint32_t color = 0xff000000U;
  for (const int shift : {0, 8, 16}) {
    const double from = (a >> shift) & 255U;
    const double to = (b >> shift) & 255U;
    color |= static_cast<std::uint32_t>(std::lround(from + (to - from) * share)) << shift;
  }
  return color;
}

Theme Theme::make(bool dark) {
  const auto color = [dark](const Lch& on_dark, const Lch& on_light) {
    return packed_color(dark ? on_dark : on_light);
  };
  const auto gray = [&](double on_dark, double on_light) {
    return color({on_dark, 0.011, 262}, {on_light, 0.004, 262});
  };
  Theme theme;
  theme.dark = dark;
  theme.window = gray(0.215, 0.972);
  theme.track_area = gray(0.180, 0.995);
  theme.track_stripe = gray(0.196, 0.980);
  theme.group_header = gray(0.262, 0.935);
  theme.panel = gray(0.235, 0.962);
  theme.border = gray(0.315, 0.865);
  theme.grid = dark ? packed_color({0.75, 0.02, 262}, 22) : packed_color({0.35, 0.02, 262}, 26);
  theme.text = gray(0.925, 0.255);
  theme.text_dim = gray(0.715, 0.470);
  theme.text_on_slice = color({0.155, 0.02, 262}, {0.185, 0.02, 262});
  theme.accent = color({0.70, 0.145, 254}, {0.51, 0.165, 256});
  theme.selection = color({0.985, 0.0, 0}, {0.16, 0.02, 262});
  theme.light_on_slice = gray(0.925, 0.985);
  theme.warning = color({0.86, 0.14, 96}, {0.52, 0.11, 88});
  theme.error = color({0.72, 0.15, 28}, {0.52, 0.18, 28});
  theme.idle = color({0.76, 0.13, kRoseHue}, {0.52, 0.15, kRoseHue});
  theme.counter = color({0.72, 0.085, 225}, {0.62, 0.10, 235});
  theme.instant = color({0.80, 0.075, 290}, {0.52, 0.13, 295});
  return theme;
}

std::uint32_t text_on(std::uint32_t slice, const Theme& theme) {
  // Perceived brightness by the weights of ITU-R BT.601; dark and light text are equally legible near 110.
  const std::uint32_t brightness =
      299 * (slice & 255U) + 587 * ((slice >> 8) & 255U) + 114 * ((slice >> 16) & 255U);
  return brightness < 110'000 ? theme.light_on_slice : theme.text_on_slice;
}

std::uint32_t idle_color(IdleShade shade, const Theme& theme) {
  constexpr std::array kLightness{0.80, 0.74, 0.68, 0.56};
  constexpr double kDarker = 0.2;  // in the light theme
  const double lightness = kLightness[static_cast<std::size_t>(shade)];
  return packed_color({theme.dark ? lightness : lightness - kDarker, 0.13, kRoseHue});
}

std::uint32_t kind_color(SliceKind kind, const Theme& theme) {
  return packed_color(kind_lch(kind, theme.dark));
}

std::uint32_t bookmark_color(std::uint8_t index, const Theme& theme) {
  constexpr std::array<Lch, 6> kDark{{
      {0.80, 0.145, 70},   // orange
      {0.74, 0.120, 240},  // sky blue
      {0.70, 0.140, 160},  // green
      {0.90, 0.150, 102},  // yellow
      {0.66, 0.180, 34},   // vermilion
      {0.73, 0.130, 345},  // pink
  }};
  constexpr std::array<Lch, 6> kLight{{
      {0.70, 0.150, 62},
      {0.62, 0.130, 245},
      {0.62, 0.130, 160},
      {0.76, 0.150, 98},
      {0.62, 0.185, 32},
      {0.64, 0.150, 345},
  }};
  return packed_color((theme.dark ? kDark : kLight)[index % kDark.size()]);
}

std::vector<std::uint32_t> name_colors(const Trace& trace, const Theme& theme) {
  // Computes 8 x 8 x 4 shades per kind once, rather than a color for each name; the eye cannot distinguish
  // more.
  constexpr std::size_t kLight = 8;
  constexpr std::size_t kHue = 8;
  constexpr std::size_t kChroma = 4;
  constexpr std::size_t kShades = kLight * kHue * kChroma;
  std::array<std::array<std::uint32_t, kShades>, kSliceKindCount> shades{};
  for (int kind = 0; kind < kSliceKindCount; ++kind) {
    const Lch base = kind_lch(static_cast<SliceKind>(kind), theme.dark);
    for (std::size_t i = 0; i < kShades; ++i) {
      const double light = static_cast<double>(i % kLight) / (kLight - 1) * 2 - 1;
      const std::size_t hue_step = i / kLight % kHue;
      const double hue = static_cast<double>(hue_step) / (kHue - 1) * 2 - 1;
      const std::size_t chroma_step = i / (kLight * kHue);
      const double chroma = static_cast<double>(chroma_step) / (kChroma - 1) * 2 - 1;
      shades[static_cast<std::size_t>(kind)][i] = packed_color(
          {base.lightness + 0.035 * light, base.chroma * (1 + 0.22 * chroma), base.hue_degrees + 11 * hue});
    }
  }
  // If a trace has no known kinds, such as a trace of Chrome or of a build, its names use all hues.
  const bool without_kinds = std::all_of(trace.name_kind.begin(), trace.name_kind.end(),
                                         [](SliceKind kind) { return kind == SliceKind::other; });
  if (without_kinds) {
    const Lch base = kind_lch(SliceKind::cpu_op, theme.dark);
    for (std::size_t i = 0; i < kShades; ++i) {
      const double light = static_cast<double>(i % kLight) / (kLight - 1) * 2 - 1;
      const std::size_t hue_step = i / kLight;
      const double hue_degrees = 360.0 * static_cast<double>(hue_step) / (kHue * kChroma);
      shades[static_cast<std::size_t>(SliceKind::other)][i] =
          packed_color({base.lightness + 0.035 * light, base.chroma * 0.8, hue_degrees});
    }
  }
  constexpr std::size_t kHashedBytes = 4096;  // hashed bytes of a name; real names differ within them
  std::vector<std::uint32_t> colors(trace.names.size());
  for (std::uint32_t name = 0; name < colors.size(); ++name) {
    const SliceKind kind = name < trace.name_kind.size() ? trace.name_kind[name] : SliceKind::other;
    const auto row = std::min(static_cast<std::size_t>(kind), shades.size() - 1);
    colors[name] = shades[row][name_hash(trace.names[name].substr(0, kHashedBytes)) % kShades];
  }
  return colors;
}

void apply_theme(const Theme& theme, float scale) {
  ImGuiStyle style;
  style.WindowPadding = {12, 8};
  style.FramePadding = {8, 4};
  style.CellPadding = {8, 3};
  style.ItemSpacing = {8, 4};
  style.ItemInnerSpacing = {8, 4};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 12;
  style.GrabMinSize = 16;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 4;
  style.TabRounding = 4;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.DisplaySafeAreaPadding = {0, 0};
  style.ScaleAllSizes(scale);
  style.PopupBorderSize = std::max(1.0F, std::floor(scale));
  style.AntiAliasedLines = true;
  style.AntiAliasedFill = true;
  apply_colors(theme, style);
  ImGui::GetStyle() = style;
}

}  // namespace kino
