#include "app/shell/documents/recent_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {

void print_recent_problem(const std::optional<Error>& error) {
  if (!error) return;
  std::fprintf(stderr, "kinetoscope: %s\n",
               escaped(Message(msg::log_the_recent_files, error->what).str()).c_str());
}

void RecentMemory::update(Session& session, const std::optional<std::filesystem::path>& sample) {
  add_opened(session, sample);
  store_verdicts(session);
}

void RecentMemory::add_opened(Session& session, const std::optional<std::filesystem::path>& sample) {
  for (Session::Opened& opened : session.take_opened()) {
    const bool again = opened.members.empty() ? !is_read_once(opened.path)
                                              : std::ranges::none_of(opened.members, is_read_once);
    if (opened.path == sample || !again) continue;
    RecentFile file{std::move(opened.path), std::move(opened.members)};
    print_recent_problem(recent_.add(file));
    for (std::size_t i = 0; i < session.size(); ++i) {
      if (session.document(i).path() != file.path) continue;
      awaited_.push_back({session.document(i).serial(), std::move(file)});
      break;
    }
  }
}

void RecentMemory::store_verdicts(Session& session) {
  std::erase_if(awaited_, [&](AwaitedVerdict& awaited) {
    const Document* const document = session.find(awaited.document);
    if (document == nullptr) return true;
    const Page* const page = document->main_page();
    if (page == nullptr || document->state() != Document::State::ready) return false;
    const std::string headline = page->headline();
    if (headline.empty() && std::exchange(awaited.described, true)) return false;
    print_recent_problem(recent_.describe(awaited.file, name_of(page->kind()), headline));
    return !headline.empty();
  });
}

}  // namespace kino
