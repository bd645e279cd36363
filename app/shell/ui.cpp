#include "app/shell/ui.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shell/box_data.hpp"
#include "app/shell/data_quality_panel.hpp"
#include "app/shell/document_bar.hpp"
#include "app/shell/documents/compared_sides.hpp"
#include "app/shell/documents/same_run.hpp"
#include "app/shell/folder_pages.hpp"
#include "app/shell/menus/document_commands.hpp"
#include "app/shell/pages.hpp"
#include "app/shell/peer_context.hpp"
#include "app/system/assets.hpp"
#include "app/system/file_downloads.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/bookmarks/moment_link.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

constexpr double kProgressSeconds = 0.1;
constexpr double kCursorBlinkSeconds = 0.4;
void copy_paths(const RecentFile& recent) {
  std::string text = recent.path.string();
  if (!recent.members.empty()) text.clear();
  for (const std::filesystem::path& path : recent.members) text += (text.empty() ? "" : "\n") + path.string();
  ImGui::SetClipboardText(text.c_str());
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return split_trace_path(path).file.parent_path();
}

}  // namespace

Ui::Ui(Session& session, UiOptions options, const std::function<void()>& wake)
    : session_(session),
      commands_(std::move(options.keymap)),
      appearance_(options.appearance),
      splitters_(options.splitters),
      dragging_(options.dragging),
      may_open_(std::move(options.may_open)),
      dialog_(wake),
      share_(session, wake),
      recent_(std::move(options.recent_file), wake),
      recent_memory_(recent_),
      sample_(find_sample()) {
  if (in_browser()) dialog_.confine(may_open_, std::move(options.dialog_folder));
  bind_commands();
  bind_file_commands();
  bind_document_commands(commands_, session_);
  panes_.bind(commands_, session_);
  bind_menus();
  share_.bind(commands_);
  appearance_.bind(commands_, session_);
}

void Ui::bind_commands() {
  using Id = CommandId;
  bind_page_marks();
  bind_dragging();
  view_bar_.bind(commands_, session_);
  commands_.bind(Id::quit, {[this] { quit_ = true; }});
  commands_.bind(Id::toggle_help, {[this] { help_open_ = !help_open_; }});
  commands_.bind(Id::open_guide, {[this] { open_guide(); }, [this] { return !in_browser(); }});
  commands_.bind(Id::toggle_debug,
                 {.run = [this] { debug_open_ = !debug_open_; }, .checked = [this] { return debug_open_; }});
  commands_.bind(Id::show_damage, {[this] { show_damage(); },
                                   [this] {
                                     return session_.active_page() != nullptr &&
                                            session_.active_document()->state() == Document::State::ready;
                                   }});
  bind_box_commands();
}

void Ui::bind_box_commands() {
  const auto closed = [this] { return !dialog_.browser_visible(); };
  commands_.bind(CommandId::search, {[this] { open_box(last_search().query); }, closed});
  commands_.bind(CommandId::command_palette, {[this] {
                                                const bool commands =
                                                    box_mode(box_.text()) == BoxMode::commands;
                                                if (box_.is_open() && commands) return box_.close();
                                                open_box(kBoxCommands);
                                              },
                                              closed});
}

Page::Searched Ui::last_search() const {
  const Page* const page = session_.active_page();
  return page != nullptr ? page->searched() : Page::Searched();
}

// Closes the sheets for help and data quality, since only one sheet may be open at a time.
void Ui::open_box(const std::string& text) {
  help_open_ = false;
  data_quality_open_ = false;
  refresh_recent();
  box_.open(text);
}

void Ui::draw_box() {
  if (!box_.is_open()) return;
  const BoxData data = box_data(session_, recent_, box_.text());
  BoxContext context = data.context();
  context.available = [this](CommandId command) { return commands_.available(command); };
  if (const auto taken = box_.draw(context, box_hint(session_), commands_, theme())) carry_out(*taken);
}

void Ui::carry_out(const BoxEntry& entry) {
  if (entry.kind == BoxEntry::Kind::command) {
    commands_.run(entry.command);
  } else if (entry.kind == BoxEntry::Kind::file) {
    if (entry.file < recent_.files().size()) open_again(RecentFile(recent_.files()[entry.file]));
  } else if (Page* const page = session_.active_page()) {
    take_on_page(entry, *page);
  }
}

void Ui::open_guide() {
  if (in_browser()) return show_toast(tr(Text::serve_no_desktop), true);
  if (const std::optional<std::filesystem::path> guide = find_guide()) return file_manager_.open(*guide);
  show_toast(tr(Text::guide_missing), true);
}

void Ui::show_damage() {
  data_quality_open_ = session_.active_kind() == PageKind::timeline;
  if (!data_quality_open_) session_.active_page()->show_page(drawer_page::kTrust);
}

// Binds the check marks of settings that belong to pages.
void Ui::bind_page_marks() {
  commands_.mark_by([this](CommandId command) {
    const Page* const page = session_.active_page();
    return page != nullptr && page->marks(command);
  });
}

void Ui::bind_dragging() {
  const auto selects = [this] { return dragging_ == Dragging::selects; };
  commands_.bind(CommandId::dragging_selects,
                 {.run = [this, selects] { dragging_ = selects() ? Dragging::pans : Dragging::selects; },
                  .checked = selects});
}

// Shows a hint, once, to users whose settings are older than this setting.
void Ui::hint_at_dragging() {
  if (dragging_ || !session_.timeline_ready()) return;
  dragging_ = Dragging::pans;
  show_toast(filled(Text::dragging_hint, {tr(Text::command_dragging_selects)}), false);
}

void Ui::compare_runs() {
  if (auto sides = sides_to_compare(session_)) return session_.compare(std::move(*sides));
  show_toast(tr(Text::runs_need_two), false);
}

void Ui::bind_menus() {
  commands_.bind(CommandId::main_menu, {[this] { menus_.open(Menu::main, true); }});
  commands_.bind(CommandId::share_menu, {[this] { menus_.open(Menu::share, true); }});
  commands_.bind(CommandId::recent_files, {[this] {
                   refresh_recent();
                   menus_.open_recent();
                 }});
}

void Ui::bind_file_commands() {
  using Id = CommandId;
  const auto any_open = [this] { return !session_.empty(); };
  commands_.bind(Id::open_files, {[this] { open_dialog(); }});
  commands_.bind(Id::open_folder, {[this] { choose(ChosenFor::opening); }});
  commands_.bind(Id::compare_files, {[this] { choose(ChosenFor::first_run); }});
  commands_.bind(Id::watch_chosen, {[this] { choose(ChosenFor::watching); }});
  commands_.bind(Id::compare_runs, {[this] { compare_runs(); }, any_open});
  commands_.bind(Id::open_sample,
                 {[this] { open(std::span(&*sample_, 1)); }, [this] { return sample_.has_value(); }});
  commands_.bind(Id::tour, {[this] { begin_tour(); }, [this] { return sample_.has_value(); }});
  commands_.bind(Id::record, {[this] { record_open_ = !record_open_; }});
  commands_.bind(Id::reveal_in_folder, {[this] { reveal(session_.active_document()->path()); },
                                        [this] { return !session_.empty() && !in_browser(); }});
  commands_.bind(Id::copy_path,
                 {[this] { ImGui::SetClipboardText(session_.active_document()->path().c_str()); }, any_open});
  commands_.bind(Id::watch_folder, {.run = [this] { toggle_watching(session_); },
                                    .available = [this] { return can_watch(session_); },
                                    .checked = [this] { return session_.watching(); }});
  commands_.bind(Id::import_bookmarks, {[this] { import_bookmarks(*session_.active_document()); },
                                        [this] { return session_.timeline_ready(); }});
  commands_.bind(Id::copy_link, {[this] { copy_link(*session_.active_document()); },
                                 [this] { return session_.active_page() != nullptr; }});
  commands_.bind(Id::paste_link, {[this] {
                   if (const auto file = file_in_clipboard()) open(std::span(&*file, 1));
                 }});
}

void Ui::draw(DisplayScale scale, double delta_seconds, const DebugFigures& figures) {
  recent_memory_.update(session_, sample_);
  links_.show_pending(session_);
  if (std::exchange(matched_, session_.generation()) != session_.generation()) match_runs(session_);
  panes_.sync(session_);
  handle_keys(delta_seconds);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                                      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoBringToFrontOnFocus |
                                      ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav;
  ImGui::Begin("Kinetoscope", nullptr, kFlags);
  ImGui::PopStyleVar(3);

  const std::uint64_t beside = panes_.view().split() ? panes_.view().other_document() : 0;
  apply(tool_bar_.draw(session_, beside, menus_.view().root(), commands_.keymap(), theme(), scale.ui));
  const Page::Searched searched = last_search();
  if (box_.draw_closed(tool_bar_.box, box_hint(session_), searched.open ? searched.query : std::string(),
                       theme()))
    open_box(searched.query);
  draw_panes(scale, delta_seconds);
  ImGui::End();
  draw_tour();
  draw_sheets();
  share_.update();
  const Page* const page = session_.active_page();
  const MenuSubject subject{session_.active_kind(), page != nullptr ? page->device_word() : "GPU"};
  apply(menus_.draw(tool_bar_.menus, recent_, commands_, subject, theme(), scale.ui));
  appearance_.draw_language_note();
  show_folder_news(session_);
  hint_at_dragging();
  toast_.draw(theme());
  if (debug_open_) draw_debug_overlay(session_.active_document(), figures, theme());
}

void Ui::draw_panes(DisplayScale scale, double delta_seconds) {
  panes_.sync(session_);  // keys and tabs may have activated another document
  const Document* document = session_.active_document();
  if (!std::exchange(start_page_shown_, document == nullptr) && document == nullptr) refresh_recent();
  if (document == nullptr) {
    return apply(start_page_.draw(recent_, commands_, theme(), scale.ui));
  }
  panes_.draw(session_, theme(), scale.ui, [&](Document& shown, const PaneFrame& pane) {
    draw_document(shown, pane, scale, delta_seconds);
  });
  // Answer requests after drawing the panes, which hold references to the documents.
  answer_requests();
  if (closes_) session_.close(*std::exchange(closes_, std::nullopt));
}

void Ui::draw_document(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds) {
  if (Page* const page = document.page()) {
    draw_content(document, *page, pane, scale, delta_seconds);
  } else if (document.state() == Document::State::loading) {
    if (draw_loading_page(document, theme())) document.request_stop();
  } else {
    const ErrorPageActions actions = draw_error_page(document, theme());
    if (actions.retry) document.reload();
    for (std::size_t i = 0; i < session_.size(); ++i) {
      if (actions.close && &session_.document(i) == &document) closes_ = i;
    }
  }
}

bool Ui::takes_keys(const PaneFrame& pane) const {
  return pane.active && !sheet_open() && !popup_open() && !ImGui::GetIO().WantTextInput;
}

void Ui::draw_content(Document& document, Page& page, const PaneFrame& pane, DisplayScale scale,
                      double delta_seconds) {
  const ViewBar::Actions views = view_bar_.draw(document, commands_, theme(), scale.ui);
  const DocumentBarActions actions = draw_document_bar(document, theme(), scale.ui);
  if (auto* const snapshot = page_as<SnapshotPanel>(&page))
    snapshot->set_peer_context(peer_context_of(document, pane, session_));
  const bool keyboard = takes_keys(pane);
  if (pane.active) commands_.begin_page();
  page.draw({.theme = &theme(),
             .scale = scale.ui,
             .framebuffer_scale = scale.framebuffer,
             .delta_seconds = delta_seconds,
             .active = pane.active,
             .keyboard = keyboard,
             .other_time_ns = pane.other_time_ns,
             .look = appearance_.look(),
             .splitters = &splitters_,
             .drag_selects = dragging_ == Dragging::selects});
  if (pane.active) commands_.end_page(keyboard);
  for (PageRequest& request : page.take_requests())
    requests_.push_back({document.serial(), std::move(request)});
  if (views.scope) page.choose_scope(*views.scope);
  if (views.fit_all) page.fit_all();
  if (views.show_damage) show_damage();
  if (views.view) show_view(document, *views.view);
  if (actions.cancel) document.request_stop();
  if (actions.reload) document.reload();
  if (actions.dismiss) document.dismiss_notice();
}

void Ui::answer_requests() {
  for (const SentRequest& sent : std::exchange(requests_, {})) {
    if (const Document* const from = session_.find(sent.document))
      std::visit([&](const auto& wanted) { answer(*from, wanted); }, sent.request);
  }
}

void Ui::answer(const Document& /*from*/, const OpenRecording& wanted) {
  session_.open(std::span(&wanted.file, 1));
}
void Ui::answer(const Document& /*from*/, const ShowSlice& wanted) { session_.show_slice(wanted.slice); }
void Ui::answer(const Document& from, const ShowRange& wanted) {
  if (Document* const document = session_.find(from.serial()))
    document->show_range(wanted.range, wanted.slice);
}
void Ui::answer(const Document& /*from*/, const ShowInterval& wanted) { session_.show_interval(wanted); }
void Ui::answer(const Document& from, const ShowSnapshots& wanted) {
  session_.show_snapshots_of(from, wanted.rank);
}
void Ui::answer(const Document& from, const ShowJob& wanted) { session_.show_job_of(from, wanted.rank); }
void Ui::answer(const Document& from, const ShowLedger& wanted) {
  if (Document* const document = session_.find(from.serial())) document->show_ledger(wanted.row);
}
void Ui::answer(const Document& /*from*/, const ShowQuality& /*wanted*/) { show_damage(); }
void Ui::answer(const Document& /*from*/, const SaveReport& /*wanted*/) {
  commands_.run(CommandId::save_report);
}
void Ui::answer(const Document& from, const CompareWith& wanted) {
  session_.open_and_compare(from.path(), wanted.file);
}
void Ui::answer(const Document& from, const ImportBookmarks& /*wanted*/) { import_bookmarks(from); }
void Ui::answer(const Document& from, const OpenSiblings& /*wanted*/) { session_.open_siblings(from); }
void Ui::answer(const Document& /*from*/, const CompareTraces& wanted) {
  session_.open_and_compare(wanted.a, wanted.b);
}

void Ui::begin_tour() {
  open(std::span(&*sample_, 1));
  tour_.begin();
}

void Ui::draw_tour() {
  if (tour_.step() == Tour::Step::none || !session_.timeline_ready()) return;
  const TimelinePanel& panel = *session_.active_document()->timeline();
  const TimelineState& shown = panel.shown();
  const SearchResult* answer = panel.hits().answer();
  tour_.see({.span_ns = shown.navigation.view().ns_per_px * shown.navigation.view().width_px,
             .selected = shown.selection.any(),
             .asked = (shown.marked.range() && !shown.marked.dragging()) ||
                      (answer != nullptr && answer->total > 0)});
  tour_.draw(shown.boxes.tracks.right, shown.boxes.tracks.bottom, theme());
}

void Ui::draw_sheets() {
  draw_record_sheet(record_open_, theme());
  if (help_.draw(help_open_, session_.active_kind(), commands_.keymap(), theme())) open_guide();
  if (!session_.timeline_ready()) data_quality_open_ = false;
  if (data_quality_open_) {
    const Document& document = *session_.active_document();
    TimelinePanel& panel = *document.timeline();
    DataQualityPanelFrame frame =
        draw_data_quality_panel(data_quality_open_, *document.opened().trace, document.capsule_text(),
                                panel.data_quality_report(), theme());
    if (frame.go) panel.select(*frame.go);
    quality_links_ = std::move(frame.links);
  }
  take_chosen_files();
  for (Session::Choice& choice : session_.take_choices()) {
    glyphs_.add(choice.container.string());
    for (const ContainedTrace& trace : choice.contained.traces) glyphs_.add(trace.name);
    chooser_.ask(std::move(choice));
  }
  if (const auto chosen = chooser_.draw(theme()); !chosen.empty()) session_.open(chosen);
  if (std::optional<Session::Choice> job = chooser_.take_job())
    session_.open_job(job->container, std::move(job->contained));
  draw_box();
}

void Ui::handle_keys(double delta_seconds) {
  if (dialog_.browser_visible()) return;
  const Document* document = session_.active_document();
  commands_.begin_frame({.window = !sheet_open() && !popup_open(),
                         .loading = document != nullptr && document->loading() && document->page() == nullptr,
                         .page = session_.active_kind()},
                        delta_seconds);
}

void Ui::refresh_recent() {
  recent_.refresh();
  for (const RecentFile& file : recent_.files()) {
    glyphs_.add(file.path.string());
    for (const std::filesystem::path& member : file.members) glyphs_.add(member.string());
    glyphs_.add(file.facts.verdict);
  }
}

void Ui::apply(const RecentActions& actions) {
  if (actions.open) open_again(*actions.open);
  if (actions.reveal)
    reveal(actions.reveal->members.empty() ? actions.reveal->path : actions.reveal->members.front());
  if (actions.copy_path) copy_paths(*actions.copy_path);
  if (actions.remove) print_recent_problem(recent_.remove(*actions.remove));
  if (actions.clear) print_recent_problem(recent_.clear());
}

void Ui::apply(const ToolBarActions& actions) {
  if (actions.menu == Menu::open) refresh_recent();
  if (actions.menu) menus_.open(*actions.menu, false);
  if (actions.toggle_help) help_open_ = true;
  if (actions.activate) session_.activate(*actions.activate);
  if (actions.reveal) reveal(session_.document(*actions.reveal).path());
  if (actions.copy_path) ImGui::SetClipboardText(session_.document(*actions.copy_path).path().c_str());
  if (actions.reload) session_.document(*actions.reload).reload();
  if (actions.close) session_.close(*actions.close);
}

void Ui::reveal(const std::filesystem::path& path) {
  if (in_browser()) return show_toast(tr(Text::serve_no_desktop), true);
  file_manager_.reveal(split_trace_path(path).file);
}

void Ui::open_dialog() {
  const Document* document = session_.active_document();
  importing_ = 0;
  saving_.reset();
  chosen_for_ = ChosenFor::opening;
  dialog_.open(document != nullptr ? folder_of(document->path()) : std::filesystem::path());
}

void Ui::choose(ChosenFor use) {
  importing_ = 0;
  saving_.reset();
  chosen_for_ = use;
  if (use == ChosenFor::first_run) return dialog_.open({}, Text::files_first_run);
  dialog_.open_folder({}, use == ChosenFor::watching ? Text::files_watch_this : Text::files_open_as_job);
}

void Ui::take_chosen(std::span<const std::filesystem::path> chosen) {
  switch (std::exchange(chosen_for_, ChosenFor::opening)) {
    case ChosenFor::opening:
      return open(chosen);
    case ChosenFor::first_run:
      if (chosen.size() >= kSides) return open_and_compare(chosen[0], chosen[1]);
      first_run_ = chosen.front();
      chosen_for_ = ChosenFor::second_run;
      return dialog_.open(first_run_.parent_path(), Text::files_second_run);
    case ChosenFor::second_run:
      return open_and_compare(first_run_, chosen.front());
    case ChosenFor::watching:
      if (holds_files(chosen.front())) open(chosen);
      return session_.watch_folder(chosen.front());
  }
}

void Ui::import_bookmarks(const Document& document) {
  importing_ = document.serial();
  saving_.reset();
  dialog_.open(folder_of(document.path()));
}

void Ui::take_chosen_files() {
  if (auto question = dialog_.busy() ? std::nullopt : take_save_request()) {
    if (in_browser()) return download(*question);
    saving_ = std::move(question);
    dialog_.save(saving_->suggested);
  }
  const std::vector<std::filesystem::path> chosen = permitted(dialog_.draw(theme()));
  if (chosen.empty()) return;
  if (saving_) {
    std::exchange(saving_, std::nullopt)->chosen(chosen.front());
    return;
  }
  const std::uint64_t serial = std::exchange(importing_, 0);
  if (serial == 0) take_chosen(chosen);
  Document* const document = session_.find(serial);
  auto* const timeline = document != nullptr ? document->as<TimelinePanel>() : nullptr;
  if (timeline == nullptr) return;
  document->bookmarks().start_import(chosen.front());
  timeline->show_page(drawer_page::kBookmarks);
  const std::optional<ReadNote> read = read_note(chosen.front());
  if (read && read->view) timeline->open_note(read->note);
}

void Ui::download(const SaveRequest& request) {
  const std::string name = request.suggested.filename().string();
  FileDownloads* const downloads = file_downloads();
  const std::filesystem::path path =
      downloads != nullptr ? downloads->path_for(name) : std::filesystem::path();
  if (path.empty()) return show_toast(filled(Text::serve_no_saving, {escaped(name)}), true);
  request.chosen(path);
}

void Ui::open(std::span<const std::filesystem::path> paths) {
  // A link or a note names other files, so the result is checked as well.
  session_.open_together(permitted(links_.files_of(permitted(paths), session_, glyphs_)));
}

/// Returns the paths that may be opened, and the links. Shows a toast if there are others.
std::vector<std::filesystem::path> Ui::permitted(std::span<const std::filesystem::path> paths) {
  std::vector<std::filesystem::path> kept(paths.begin(), paths.end());
  if (!in_browser()) return kept;
  std::erase_if(kept, [this](const std::filesystem::path& path) {
    if (is_link(path.native()) || may_open_(split_trace_path(path).file)) return false;
    glyphs_.add(path.filename().string());
    show_toast(filled(Text::serve_outside, {path.filename().string()}), true);
    return true;
  });
  return kept;
}

void Ui::request_glyphs(Fonts& fonts) const {
  for (std::size_t i = 0; i < session_.size(); ++i) {
    fonts.want(session_.document(i).glyphs());
    fonts.want(session_.document(i).bookmarks().glyphs());
  }
  fonts.want(glyphs_);
  fonts.want(appearance_.text_glyphs());
  fonts.want_in_headings(appearance_.text_glyphs());
  fonts.prefer(font_language_of(language()));
}

void Ui::open_again(const RecentFile& recent) {
  if (recent.members.empty()) return open(std::span(&recent.path, 1));
  // Without the missing files, the job has fewer ranks but still opens.
  std::vector<std::filesystem::path> left;
  std::error_code code;
  std::ranges::copy_if(recent.members, std::back_inserter(left), [&](const std::filesystem::path& path) {
    return std::filesystem::exists(split_trace_path(path).file, code);
  });
  session_.open_together(left.size() < 2 ? recent.members : left);
}

double Ui::sleep_seconds() const {
  if (commands_.pending() || panes_.wants_frames()) return 0;
  if (std::ranges::any_of(panes_.shown(session_), &Document::wants_frames)) return 0;
  if (links_.pending() || session_.loading()) return kProgressSeconds;
  if (ImGui::GetIO().WantTextInput) return kCursorBlinkSeconds;
  return std::min(toast_.seconds_left(), seconds_to_requested_frame());
}

bool Ui::complete() const {
  return !session_.loading() && std::ranges::all_of(panes_.shown(session_), &Document::complete);
}

double Ui::tiles_cpu_ms() const {
  double ms = 0;
  for (const Document* document : panes_.shown(session_)) {
    if (const auto* const timeline = document->as<TimelinePanel>()) ms += timeline->draw_stats().cpu_ms;
  }
  return ms;
}

std::string Ui::window_title() const {
  const Document* document = session_.active_document();
  if (document == nullptr) return "Kinetoscope";
  const bool part_only = document->state() == Document::State::failed && document->page() != nullptr;
  const char* const what = document->state() == Document::State::loading ? " (loading)"
                           : part_only                                   ? " (partial)"
                                                                         : "";
  return session_.title(session_.active()) + what + " - Kinetoscope";
}

}  // namespace kino
