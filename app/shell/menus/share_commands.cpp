#include "app/shell/menus/share_commands.hpp"

#include <algorithm>

#include <imgui.h>

#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

/// Whether the recording is inside of the file or folder.
bool contains(const std::filesystem::path& container, const ContainedTrace& recording) {
  return std::ranges::mismatch(container, recording.path).in1 == container.end() ||
         split_trace_path(recording.path).file == container;
}

}  // namespace

std::optional<std::filesystem::path> report_source(const Document& document) {
  const Page* const page = document.main_page();
  if (page == nullptr || document.state() != Document::State::ready) return std::nullopt;
  if (document.of_one_file()) return document.watched_file() ? std::optional(document.path()) : std::nullopt;
  // The command `report` does not write reports of snapshot sets and comparisons.
  if (page->kind() != PageKind::job || document.choices().traces.empty()) return std::nullopt;
  std::filesystem::path folder = document.path();
  if (!folder.has_filename()) folder = folder.parent_path();
  // Several files that were opened at once have an invented name that contains none of them.
  return contains(folder, document.choices().traces.front()) ? std::optional(folder) : std::nullopt;
}

std::string verdict_to_share(const Document& document) {
  const Page* const page = document.main_page();
  const std::string verdict = page != nullptr ? page->verdict_text() : std::string();
  return verdict.empty() ? verdict : escaped(document.tab_path().filename().string()) + "\n" + verdict;
}

void ShareCommands::bind(Commands& commands) {
  commands.bind(CommandId::save_report, {[this] {
                                           if (const auto source = report_source(*session_.active_document()))
                                             report_.save(*source);
                                         },
                                         [this] {
                                           const Document* const document = session_.active_document();
                                           return document != nullptr && report_source(*document);
                                         }});
  commands.bind(CommandId::copy_verdict, {[this] {
                                            const Document& document = *session_.active_document();
                                            ImGui::SetClipboardText(verdict_to_share(document).c_str());
                                            show_toast(tr(Text::copied), false);
                                          },
                                          [this] {
                                            const Document* const document = session_.active_document();
                                            return document != nullptr && document->main_page() != nullptr &&
                                                   !document->main_page()->headline().empty();
                                          }});
}

}  // namespace kino
