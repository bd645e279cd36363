#include "app/shell/folder_pages.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "app/system/folder_watch.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/platform/folder_names.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostNames = 10'000;

std::string names_in_words(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::string words;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i)
    words += (i == 0 ? "" : ", ") + escaped(names[i]);
  if (names.size() > kNamed) words += ", " + filled(Text::and_more, {grouped(names.size() - kNamed)});
  return words;
}

}  // namespace

bool holds_files(const std::filesystem::path& folder) {
  const NamesInFolder found = names_in(folder, kMostNames);
  return std::ranges::any_of(found.names, may_be_recording);
}

bool can_watch(const Session& session) {
  const Document* const document = session.active_document();
  return session.watching() || (document != nullptr && document->kind() != PageKind::comparison &&
                                !is_standard_input(document->path()));
}

void toggle_watching(Session& session) {
  if (session.watching()) {
    session.stop_watching();
    show_toast(tr(Text::watch_stopped), false);
  } else if (session.active_document() != nullptr) {
    session.watch_folder(session.active_document()->path());
  }
}

void show_folder_news(Session& session) {
  const std::optional<Session::FolderNews> news = session.take_folder_news();
  if (!news) return;
  const std::string folder = escaped(news->folder.filename().string());
  if (!news->problem.empty()) {
    show_toast(filled(Text::watch_problem, {folder, escaped(in_language(news->problem))}), true);
  } else if (!news->names.empty()) {
    const std::string words = names_in_words(news->names);
    show_toast(news->not_opened == 0
                   ? filled(Text::watch_new, {folder, words})
                   : filled(Text::watch_not_opened, {folder, words, grouped(news->not_opened)}),
               false);
  } else if (news->begins) {
    show_toast(filled(Text::watch_started, {folder}), false);
  }
}

}  // namespace kino
