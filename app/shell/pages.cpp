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

// Places the next button on this line, or on a new line if it does not fit.
void next_button(const char* label) {
  const float width = flat_button_width(label);
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

std::string speed_text(const Document& document) {
  const LoadProgress& progress = document.progress();
  const double seconds = std::max(1e-3, document.loading_seconds());
  return text_from_bytes(static_cast<double>(progress.text_bytes.load()) / seconds) + "/s";
}

}  // namespace

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
