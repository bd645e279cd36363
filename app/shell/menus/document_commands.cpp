#include "app/shell/menus/document_commands.hpp"

#include <cstddef>

namespace kino {
namespace {

using Id = CommandId;

/// Binds a command for the active document. `available` and `checked` are false while no document is open.
template <class Run, class Available, class Checked>
CommandAction document_action(Session& session, Run run, Available available, Checked checked) {
  const auto holds = [&session](auto condition) {
    return [&session, condition] {
      const Document* const document = session.active_document();
      return document != nullptr && condition(*document);
    };
  };
  return {[&session, run] { run(*session.active_document()); }, holds(available), holds(checked)};
}

/// Binds the commands that open and leave the pages of a trace besides its timeline.
void bind_other_pages(Commands& commands, Session& session) {
  const auto bind_page = [&](PageKind kind, Id show, Id leave) {
    const CommandAction toggle = document_action(
        session, [kind](Document& document) { document.toggle_extra(kind); },
        [kind](const Document& document) { return document.has_extra(kind); },
        [kind](const Document& document) { return document.shows_extra(kind); });
    commands.bind(show, toggle);
    commands.bind(leave, toggle);
  };
  bind_page(PageKind::ledger, Id::show_ledger, Id::leave_ledger);
  bind_page(PageKind::layers, Id::show_layers, Id::leave_layers);
  bind_page(PageKind::critical, Id::show_critical, Id::leave_critical);
  bind_page(PageKind::serving, Id::show_serving, Id::leave_serving);
  commands.bind(Id::show_memory, document_action(
                                     session, [](Document& document) { document.toggle_memory(); },
                                     [](const Document& document) { return document.has_memory(); },
                                     [](const Document& document) { return document.shows_memory(); }));
}

void bind_tabs(Commands& commands, Session& session) {
  const auto any_open = [&session] { return !session.empty(); };
  commands.bind(Id::close_tab, {[&session] { session.close(session.active()); }, any_open});
  commands.bind(Id::next_tab, {[&session] { session.activate_neighbor(1); }, any_open});
  commands.bind(Id::previous_tab, {[&session] { session.activate_neighbor(-1); }, any_open});
  for (std::size_t i = 0; i < 9; ++i) {
    const auto tab = static_cast<Id>(index_of(Id::tab_1) + i);
    commands.bind(tab,
                  {[&session, i] { session.activate(i); }, [&session, i] { return i < session.size(); }});
  }
}

void bind_loading(Commands& commands, Session& session) {
  commands.bind(Id::reload, {[&session] { session.active_document()->reload(); },
                             [&session] { return !session.empty(); }});
  const auto loading = [&session] { return !session.empty() && session.active_document()->loading(); };
  const auto stop = [&session] { session.active_document()->request_stop(); };
  commands.bind(Id::cancel_loading,
                {stop, [&session, loading] { return loading() && session.active_page() == nullptr; }});
  commands.bind(Id::stop_loading,
                {stop, [&session, loading] { return loading() && session.active_page() != nullptr; }});
}

}  // namespace

void bind_document_commands(Commands& commands, Session& session) {
  bind_other_pages(commands, session);
  bind_tabs(commands, session);
  bind_loading(commands, session);
}

}  // namespace kino
