#include "app/shell/pages.hpp"

#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/shell/document_bar.hpp"
#include "app/ui/text/load_estimate.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

void heading(const Theme& theme, std::string_view text) {
  ImGui::PushFont(heading_font());
  wrapped_text(theme.text, text);
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, ImGui::GetFontSize() * 0.3F));
}

void gap(float em) { ImGui::Dummy(ImVec2(0, ImGui::GetFontSize() * em)); }

bool accent_button(const char* label, const Theme& theme) {
  const ImVec4 accent = ImGui::ColorConvertU32ToFloat4(theme.accent);
  const float luminance = 0.2126F * accent.x + 0.7152F * accent.y + 0.0722F * accent.z;
  ImGui::PushStyleColor(ImGuiCol_Button, accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered,
                        ImVec4(accent.x * 0.92F, accent.y * 0.92F, accent.z * 0.92F, 1));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive,
                        ImVec4(accent.x * 0.84F, accent.y * 0.84F, accent.z * 0.84F, 1));
  ImGui::PushStyleColor(ImGuiCol_Text, luminance > 0.45F ? ImVec4(0, 0, 0, 1) : ImVec4(1, 1, 1, 1));
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleColor(4);
  return pressed;
}

// Places the next button on this line, or on a new line if it does not fit.
void next_button(const char* label) {
  const float width = flat_button_width(label);
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

void key_line(const Theme& theme, const char* key, Text what, float column) {
  colored_text(theme.text, key);
  ImGui::SameLine(column);
  wrapped_text(theme.text_dim, tr(what));
}

std::string speed_text(const Document& document) {
  const LoadProgress& progress = document.progress();
  const double seconds = std::max(1e-3, document.loading_seconds());
  return text_from_bytes(static_cast<double>(progress.text_bytes.load()) / seconds) + "/s";
}

}  // namespace

StartPageActions draw_start_page(const Theme& theme, bool has_sample, const RecentFiles& recent) {
  constexpr std::size_t kMostRecent = 8;
  StartPageActions actions;
  const bool has_recent = !recent.files().empty();
  begin_card("start", has_recent ? 44 : 38);
  heading(theme, "Kinetoscope");
  wrapped_text(theme.text, tr(Text::start_drop));
  gap(0.6F);
  actions.open = accent_button(tr(Text::start_open), theme);
  if (has_sample) {
    next_button(tr(Text::open_sample));
    actions.open_sample = ImGui::Button(tr(Text::open_sample));
    next_button(tr(Text::command_tour));
    actions.tour = ImGui::Button(tr(Text::command_tour));
  }
  next_button(tr(Text::command_record));
  actions.record = ImGui::Button(tr(Text::command_record));
  gap(1);
  if (has_recent) {
    colored_text(theme.text_dim, tr(Text::start_recent));
    gap(0.1F);
    actions.recent = draw_recent_rows(recent, kMostRecent, theme);
    gap(0.7F);
  }
  colored_text(theme.text_dim, tr(Text::start_formats));
  gap(0.1F);
  const float column = ImGui::GetFontSize() * 11;
  key_line(theme, ".pt.trace.json", Text::start_format_torch, column);
  key_line(theme, ".json", Text::start_format_chrome, column);
  key_line(theme, ".gz .zst .xz", Text::start_format_compressed, column);
  key_line(theme, ".pickle", Text::start_format_snapshot, column);
  key_line(theme, ".nsys-rep .sqlite .db", Text::start_format_nsight, column);
  key_line(theme, ".pftrace", Text::start_format_perfetto, column);
  key_line(theme, "nccl_trace_rank_*", Text::start_format_hang, column);
  key_line(theme, ".kino", Text::start_format_capsule, column);
  key_line(theme, ".zip .tar .7z", Text::start_format_archive, column);
  gap(0.7F);
  wrapped_text(theme.text_dim, tr(Text::start_hint));
  end_card();
  return actions;
}

bool draw_loading_page(const Document& document, const Theme& theme) {
  const LoadProgress& progress = document.progress();
  begin_card("loading", 36);
  const float em = ImGui::GetFontSize();
  wrapped_text(theme.text, is_standard_input(document.path()) ? tr(Text::standard_input)
                                                              : escaped(document.path().filename().string()));
  wrapped_text(theme.text_dim, escaped(document.path().parent_path().string()));
  gap(0.5F);
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, theme.accent);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, theme.border);
  ImGui::ProgressBar(share_done(progress), ImVec2(-1, em * 0.5F), "");
  ImGui::PopStyleColor(2);
  gap(0.1F);

  colored_text(theme.text, stage_text(progress, document.loading_seconds()));
  const float column = em * 8;
  const auto row = [&](Text label, const std::string& value) {
    colored_text(theme.text_dim, tr(label));
    ImGui::SameLine(column);
    colored_text(theme.text, value);
  };
  const auto file_bytes = static_cast<double>(progress.file_bytes.load());
  if (file_bytes > 0) {
    row(Text::loading_file,
        filled(Text::loading_bytes_of,
               {text_from_bytes(fraction_read(progress) * file_bytes), text_from_bytes(file_bytes)}));
  } else {
    row(Text::loading_received, text_from_bytes(static_cast<double>(progress.file_bytes_done.load())));
  }
  row(Text::loading_text_read,
      filled(Text::loading_bytes_speed,
             {text_from_bytes(static_cast<double>(progress.text_bytes.load())), speed_text(document)}));
  row(Text::loading_events, grouped(progress.events.load()));
  gap(0.5F);
  const bool cancelled = ImGui::Button(tr(Text::cancel));
  ImGui::SameLine();
  colored_text(theme.text_dim, "Esc");
  end_card();
  return cancelled;
}

ErrorPageActions draw_error_page(const Document& document, const Theme& theme) {
  ErrorPageActions actions;
  const Error& error = document.error();
  begin_card("error", 40);
  heading(theme, tr(Text::error_title));
  wrapped_text(theme.error, sentence_of(error));
  if (error.offset != kNoOffset)
    wrapped_text(theme.text_dim, filled(Text::error_offset, {grouped(error.offset)}));
  gap(0.3F);
  wrapped_text(theme.text_dim, escaped(document.path().string()));
  gap(0.6F);
  actions.retry = accent_button(tr(Text::error_retry), theme);
  next_button(tr(Text::close));
  actions.close = ImGui::Button(tr(Text::close));
  end_card();
  return actions;
}

}  // namespace kino
