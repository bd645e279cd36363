#include "app/shell/ui.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/pages/snapshot/snapshot_marks.hpp"
#include "app/pages/timeline/timeline_marks.hpp"
#include "app/shell/document_bar.hpp"
#include "app/shell/documents/compared_sides.hpp"
#include "app/shell/documents/same_run.hpp"
#include "app/shell/folder_pages.hpp"
#include "app/shell/pages.hpp"
#include "app/shell/trust_panel.hpp"
#include "app/system/assets.hpp"
#include "app/ui/bookmarks/moment_link.hpp"
#include "app/ui/search/search_hits.hpp"
#include "app/ui/text/core_sentences.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/memory/snapshot_set/snapshot_set_tables.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/compare/comparison_tables.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

constexpr double kProgressSeconds = 0.1;
constexpr double kCursorBlinkSeconds = 0.4;
constexpr std::array kInterfaceScales = {0.5F,  0.67F, 0.8F,  0.9F, 1.0F, 1.1F,
                                         1.25F, 1.5F,  1.75F, 2.0F, 2.5F, 3.0F};

// Once: the person sees the file is open all the same.
void print_problem(const std::optional<Error>& error) {
  if (error) std::fprintf(stderr, "kinetoscope: the recent files: %s\n", escaped(error->what.str()).c_str());
}

void copy_paths(const RecentFile& recent) {
  std::string text = recent.path.string();
  if (!recent.members.empty()) text.clear();
  for (const std::filesystem::path& it : recent.members) text += (text.empty() ? "" : "\n") + it.string();
  ImGui::SetClipboardText(text.c_str());
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return split_trace_path(path).file.parent_path();
}

std::string tab_title_of(const Session& session, const Document& document) {
  for (std::size_t i = 0; i < session.size(); ++i) {
    if (&session.document(i) == &document) return session.title(i);
  }
  return {};
}

/// What a snapshot can be compared with; empty ones are none.
std::vector<OtherSnapshot> other_snapshots(const Session& session, const Document& but) {
  std::vector<OtherSnapshot> others;
  for (std::size_t i = 0; i < session.size(); ++i) {
    const Document& document = session.document(i);
    if (&document == &but || !document.shows_snapshot()) continue;
    SnapshotPanel& panel = document.snapshot_panel();
    if (!panel.shown().any()) continue;
    others.push_back({document.serial(), session.title(i), &panel.shown(),
                      [&panel](std::size_t device, AllocationId id) { panel.highlight(device, id); }});
  }
  return others;
}

}  // namespace

Ui::Ui(Session& session, UiOptions options, const std::function<void()>& wake)
    : session_(session),
      commands_(std::move(options.keymap)),
      theme_(Theme::make(options.dark)),
      splitters_(options.splitters),
      look_(options.look),
      interface_scale_(options.interface_scale),
      dialog_(wake),
      recent_(std::move(options.recent_file), wake),
      sample_(find_sample()) {
  choose_language(options.language);
  bind_commands();
  bind_languages();
  bind_units();
  bind_look_commands();
  bind_scale_commands();
  bind_file_commands();
  bind_bookmark_commands();
  bind_sharing_commands();
  bind_split_commands();
}

bool Ui::trace_ready() const {
  return timeline_shown() && session_.active_document()->state() == Document::State::ready;
}

bool Ui::content_shown() const {
  const Document* document = session_.active_document();
  return document != nullptr && document->shows_content();
}

bool Ui::snapshot_shown() const {
  const Document* document = session_.active_document();
  return document != nullptr && document->shows_snapshot();
}

bool Ui::job_shown() const {
  const Document* document = session_.active_document();
  return document != nullptr && document->shows_job();
}

bool Ui::comparison_shown() const {
  const Document* document = session_.active_document();
  return document != nullptr && document->shows_comparison();
}

bool Ui::snapshots_shown() const {
  const Document* document = session_.active_document();
  return document != nullptr && document->shows_snapshot_set();
}

bool Ui::timeline_shown() const {
  const Document* document = session_.active_document();
  return document != nullptr && document->shows_timeline();
}

void Ui::bind_commands() {
  using Id = CommandId;
  bind_page_marks();
  bind_memory_command();
  commands_.bind(Id::quit, {[this] { quit_ = true; }});
  commands_.bind(Id::toggle_help, {[this] { help_open_ = !help_open_; }});
  commands_.bind(Id::toggle_debug,
                 {.run = [this] { debug_open_ = !debug_open_; }, .checked = [this] { return debug_open_; }});
  commands_.bind(Id::toggle_theme, {[this] { toggle_theme(); }});
  commands_.bind(
      Id::show_damage,
      {[this] { show_damage(); },
       [this] { return content_shown() && session_.active_document()->state() == Document::State::ready; }});
  // One sheet at a time.
  commands_.bind(Id::command_palette, {[this] {
                                         help_open_ = false;
                                         trust_open_ = false;
                                         palette_.toggle();
                                       },
                                       [this] { return !dialog_.browser_visible(); }});
}

void Ui::show_damage() {
  const Document& document = *session_.active_document();
  if (!document.shows_timeline()) {
    document.page().show_page(drawer_page::kTrust);
  } else {
    trust_open_ = true;
  }
}

// At what the page itself switches.
void Ui::bind_page_marks() {
  commands_.mark_by([this](CommandId command) {
    const Document* const document = session_.active_document();
    if (document == nullptr) return false;
    if (document->shows_timeline()) return has_mark(document->panel().shown(), command);
    return document->shows_snapshot() && has_mark(document->snapshot_panel(), command);
  });
}

void Ui::bind_memory_command() {
  commands_.bind(CommandId::show_memory, {[this] { session_.active_document()->toggle_memory(); },
                                          [this] {
                                            const Document* document = session_.active_document();
                                            return document != nullptr && document->has_memory();
                                          },
                                          [this] {
                                            const Document* document = session_.active_document();
                                            return document != nullptr && document->shows_memory();
                                          }});
}

void Ui::bind_languages() {
  using Id = CommandId;
  const auto bind = [this](Id command, std::optional<Language> wanted) {
    commands_.bind(command, {.run = [this, wanted] { choose_language(wanted); },
                             .checked = [this, wanted] { return language_.wanted() == wanted; }});
  };
  bind(Id::language_system, std::nullopt);
  bind(Id::language_english, Language::english);
  bind(Id::language_japanese, Language::japanese);
  bind(Id::language_chinese, Language::chinese);
}

void Ui::bind_units() {
  const auto bind = [this](CommandId command, ByteUnits units) {
    commands_.bind(command, {.run = [units] { set_byte_units(units); },
                             .checked = [units] { return byte_units() == units; }});
  };
  bind(CommandId::units_decimal, ByteUnits::decimal);
  bind(CommandId::units_binary, ByteUnits::binary);
}

void Ui::choose_language(std::optional<Language> wanted) {
  language_.choose(wanted);
  for (std::size_t i = 0; i < text_count(); ++i) text_glyphs_.add(tr(static_cast<Text>(i)));
  for (std::size_t i = 0; i < core_sentence_count(); ++i) text_glyphs_.add(core_sentence_text(i, language()));
  glyphs_.add(text_glyphs_);
}

void Ui::bind_look_commands() {
  using Id = CommandId;
  const auto ready = [this] { return trace_ready(); };
  for (std::size_t i = 0; i < kColorModeCount; ++i) {
    const auto mode = static_cast<ColorMode>(i);
    const auto command = static_cast<CommandId>(index_of(Id::color_by_name) + i);
    commands_.bind(command, {[this, mode] { look_.color_mode = mode; }, ready,
                             [this, mode] { return look_.color_mode == mode; }});
  }
  commands_.bind(Id::next_color_mode,
                 {[this] {
                    const Document* document = session_.active_document();
                    if (document != nullptr && document->shows_snapshot()) {
                      document->snapshot_panel().next_coloring();
                      return;
                    }
                    const std::size_t next = static_cast<std::size_t>(look_.color_mode) + 1;
                    look_.color_mode = static_cast<ColorMode>(next % kColorModeCount);
                  },
                  [this] { return trace_ready() || (content_shown() && !timeline_shown()); }});
  commands_.bind(Id::full_names, {[this] { look_.full_names = !look_.full_names; }, ready,
                                  [this] { return look_.full_names; }});
}

void Ui::bind_scale_commands() {
  using Id = CommandId;
  commands_.bind(Id::larger_interface,
                 {[this] { step_scale(1); }, [this] { return interface_scale_ < kInterfaceScales.back(); }});
  commands_.bind(Id::smaller_interface, {[this] { step_scale(-1); },
                                         [this] { return interface_scale_ > kInterfaceScales.front(); }});
  commands_.bind(Id::usual_interface,
                 {[this] { interface_scale_ = 1; }, {}, [this] { return interface_scale_ == 1; }});
}

// To the next of the scales, also from one that the settings file has between them.
void Ui::step_scale(int step) {
  float next = interface_scale_;
  for (const float scale : kInterfaceScales) {
    if (step > 0 && scale > interface_scale_ && next == interface_scale_) next = scale;
    if (step < 0 && scale < interface_scale_) next = scale;
  }
  interface_scale_ = next;
}

void Ui::compare_runs() {
  if (auto sides = sides_to_compare(session_)) return session_.compare(std::move(*sides));
  tell_person(tr(Text::runs_need_two), false);
}

void Ui::bind_file_commands() {
  using Id = CommandId;
  const auto any_open = [this] { return !session_.empty(); };
  commands_.bind(Id::open_files, {[this] { open_dialog(); }});
  commands_.bind(Id::recent_files, {[this] {
                   refresh_recent();
                   tool_bar_.open_recent_menu();
                 }});
  commands_.bind(Id::compare_runs, {[this] { compare_runs(); }, any_open});
  commands_.bind(Id::open_sample,
                 {[this] { open(std::span(&*sample_, 1)); }, [this] { return sample_.has_value(); }});
  commands_.bind(Id::tour, {[this] { begin_tour(); }, [this] { return sample_.has_value(); }});
  commands_.bind(Id::record, {[this] { record_open_ = !record_open_; }});
  commands_.bind(Id::reveal_in_folder, {[this] { reveal(session_.active_document()->path()); }, any_open});
  commands_.bind(Id::copy_path,
                 {[this] { ImGui::SetClipboardText(session_.active_document()->path().c_str()); }, any_open});
  commands_.bind(Id::close_tab, {[this] { session_.close(session_.active()); }, any_open});
  commands_.bind(Id::next_tab, {[this] { session_.activate_neighbour(1); }, any_open});
  commands_.bind(Id::previous_tab, {[this] { session_.activate_neighbour(-1); }, any_open});
  for (std::size_t i = 0; i < 9; ++i) {
    const auto tab = static_cast<CommandId>(index_of(Id::tab_1) + i);
    commands_.bind(tab, {[this, i] { session_.activate(i); }, [this, i] { return i < session_.size(); }});
  }
  commands_.bind(Id::watch_folder, {.run = [this] { toggle_watching(session_); },
                                    .available = [this] { return can_watch(session_); },
                                    .checked = [this] { return session_.watching(); }});
  commands_.bind(Id::reload, {[this] { session_.active_document()->reload(); }, any_open});
  const auto loading = [this] { return !session_.empty() && session_.active_document()->loading(); };
  const auto stop = [this] { session_.active_document()->request_stop(); };
  commands_.bind(Id::cancel_loading, {stop, [this, loading] { return loading() && !content_shown(); }});
  commands_.bind(Id::stop_loading, {stop, [this, loading] { return loading() && content_shown(); }});
}

void Ui::bind_bookmark_commands() {
  commands_.bind(CommandId::import_bookmarks,
                 {[this] { import_bookmarks(); }, [this] { return trace_ready(); }});
}

void Ui::bind_split_commands() {
  using Id = CommandId;
  const auto split = [this] { return panes_.view().split(); };
  commands_.bind(Id::split_view, {.run = [this] { panes_.cycle(); },
                                  .available = [this] { return panes_.view().available(); },
                                  .checked = split});
  commands_.bind(Id::second_pane, {[this] { panes_.open_second(session_); },
                                   [this] {
                                     const Document* document = session_.active_document();
                                     return document != nullptr && !document->shows_memory() &&
                                            document->state() == Document::State::ready;
                                   }});
  commands_.bind(Id::next_pane, {[this] { panes_.switch_pane(session_); }, split});
  commands_.bind(Id::close_pane,
                 {[this] { panes_.close_pane(session_, panes_.view().active_pane()); }, split});
  commands_.bind(Id::link_time, {.run = [this] { panes_.toggle_link(session_); },
                                 .available = [this] { return panes_.can_link(session_); },
                                 .checked = [this] { return panes_.link().fit.has_value(); }});
  commands_.bind(Id::share_bytes, {.run = [this] { panes_.toggle_bytes(); },
                                   .available = [this] { return panes_.snapshots(session_); },
                                   .checked = [this] { return panes_.bytes().wanted(); }});
}

void Ui::draw(DisplayScale scale, double delta_seconds, const DebugFigures& figures) {
  remember_opened();
  show_pending();
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
  apply(tool_bar_.draw(session_, beside, recent_, commands_, theme_, scale.ui));
  draw_page(scale, delta_seconds);
  ImGui::End();
  draw_tour();
  draw_sheets();
  language_.draw_note(theme_);
  tell_folder_news(session_);
  toast_.draw(theme_);
  if (debug_open_) draw_debug_overlay(session_.active_document(), figures, theme_);
}

void Ui::draw_page(DisplayScale scale, double delta_seconds) {
  panes_.sync(session_);  // keys and tabs may have activated another document
  const Document* document = session_.active_document();
  if (!std::exchange(start_page_shown_, document == nullptr) && document == nullptr) refresh_recent();
  if (document == nullptr) {
    const StartPageActions actions = draw_start_page(theme_, sample_.has_value(), recent_);
    if (actions.open) open_dialog();
    if (actions.open_sample) open(std::span(&*sample_, 1));
    if (actions.tour) begin_tour();
    if (actions.record) record_open_ = true;
    apply(actions.recent);
    return;
  }
  panes_.draw(session_, theme_, scale.ui, [&](Document& shown, const PaneFrame& pane) {
    draw_document(shown, pane, scale, delta_seconds);
  });
  // After the panes, which hold on to the documents.
  if (!wanted_.empty()) session_.open(std::exchange(wanted_, {}));
  if (wanted_page_ != 0) show_other_page(session_, std::exchange(wanted_page_, 0));
  if (closes_) session_.close(*std::exchange(closes_, std::nullopt));
}

void Ui::draw_document(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds) {
  if (document.shows_content()) {
    draw_content(document, pane, scale, delta_seconds);
  } else if (document.state() == Document::State::loading) {
    if (draw_loading_page(document, theme_)) document.request_stop();
  } else {
    const ErrorPageActions actions = draw_error_page(document, theme_);
    if (actions.retry) document.reload();
    for (std::size_t i = 0; i < session_.size(); ++i) {
      if (actions.close && &session_.document(i) == &document) closes_ = i;
    }
  }
}

void Ui::draw_content(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds) {
  const DocumentBarActions actions = draw_document_bar(document, theme_, scale.ui);
  draw_page(document, pane, scale, delta_seconds);
  if (actions.cancel) document.request_stop();
  if (actions.reload) document.reload();
  if (actions.dismiss) document.dismiss_notice();
}

bool Ui::takes_keys(const PaneFrame& pane) const {
  return pane.active && !sheet_open() && !popup_open() && !ImGui::GetIO().WantTextInput;
}

void Ui::draw_page(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds) {
  if (document.shows_timeline()) {
    document.panel().set_look(look_);
    document.panel().set_header_width(splitters_.header_width);
  } else if (document.shows_snapshot()) {
    document.snapshot_panel().set_company({.beside = pane.beside,
                                           .title = tab_title_of(session_, document),
                                           .others = other_snapshots(session_, document),
                                           .beside_document = pane.snapshot_beside,
                                           .highest_beside = pane.highest_beside,
                                           .colors = pane.colors});
  }
  if (document.shows_job()) document.job_panel().set_look(look_);
  if (document.shows_comparison()) document.comparison_panel().set_open(session_.open_sides());
  Page& page = document.page();
  page.set_drawer_height(splitters_.drawer_height);
  page.draw({.theme = &theme_,
             .scale = scale.ui,
             .framebuffer_scale = scale.framebuffer,
             .delta_seconds = delta_seconds,
             .active = pane.active,
             .keyboard = takes_keys(pane),
             .other_time_ns = pane.other_time_ns});
  splitters_.drawer_height = page.drawer_height();
  if (document.shows_timeline()) {
    splitters_.header_width = document.panel().shown().header_width;
    if (document.panel().take_import_request()) import_bookmarks();
  } else if (document.shows_job()) {
    if (const std::filesystem::path file = document.job_panel().take_open_request(); !file.empty())
      wanted_.push_back(file);
    if (document.job_panel().asks_for_snapshots()) wanted_page_ = document.serial();
  } else if (document.shows_snapshot_set()) {
    if (const std::filesystem::path file = document.snapshot_set_panel().take_open_request(); !file.empty())
      wanted_.push_back(file);
    if (document.snapshot_set_panel().take_job_request()) wanted_page_ = document.serial();
  } else if (document.shows_hang()) {
    if (const std::optional<StretchOfTrace> wanted = document.hang_panel().take_go_to())
      show_stretch(*wanted);
  } else if (document.shows_comparison()) {
    if (const std::filesystem::path file = document.comparison_panel().take_open_request(); !file.empty())
      wanted_.push_back(file);
    if (const std::optional<SliceRef> wanted = document.comparison_panel().take_go_to_slice())
      show_slice(*wanted);
  } else if (const SliceRef wanted = document.snapshot_panel().take_go_to_slice(); wanted.slice != kNoSlice) {
    show_slice(wanted);
  }
}

void Ui::show_slice(SliceRef wanted) {
  for (std::size_t i = 0; i < session_.size(); ++i) {
    if (!session_.document(i).job().holds(wanted.recording)) continue;
    session_.document(i).show_slice(wanted.slice);
    session_.activate(i);
    return;
  }
}

void Ui::show_stretch(const StretchOfTrace& wanted) {
  for (std::size_t i = 0; i < session_.size(); ++i) {
    Document& document = session_.document(i);
    if (document.serial() != wanted.document || !document.shows_timeline()) continue;
    const std::int64_t origin_ns = document.trace()->origin_unix_ns;
    document.panel().show({wanted.begin_ns - origin_ns, wanted.end_ns - origin_ns});
    session_.activate(i);
    return;
  }
}

void Ui::begin_tour() {
  open(std::span(&*sample_, 1));
  tour_.begin();
}

void Ui::draw_tour() {
  if (tour_.step() == Tour::Step::none || !trace_ready() || !timeline_shown()) return;
  const TimelinePanel& panel = session_.active_document()->panel();
  const TimelineState& shown = panel.shown();
  const SearchAnswer* answer = panel.hits().answer();
  tour_.see({.span_ns = shown.navigation.view().ns_per_px * shown.navigation.view().width_px,
             .selected = shown.selection.any(),
             .asked = (shown.marked.range() && !shown.marked.dragging()) ||
                      (answer != nullptr && answer->total > 0)});
  tour_.draw(shown.boxes.tracks.right, shown.boxes.tracks.bottom, theme_);
}

void Ui::draw_sheets() {
  draw_record_sheet(record_open_, theme_);
  help_.draw(help_open_,
             {.timeline = timeline_shown(),
              .snapshot = snapshot_shown(),
              .job = job_shown(),
              .comparison = comparison_shown(),
              .snapshots = snapshots_shown()},
             commands_.keymap(), theme_);
  const Document* document = session_.active_document();
  const bool ready = trace_ready();
  if (!ready) trust_open_ = false;
  if (ready && trust_open_) {
    TimelinePanel& panel = document->panel();
    TrustPanelFrame frame = draw_trust_panel(trust_open_, *document->opened().trace,
                                             document->capsule_words(), panel.trust_report(), theme_);
    if (frame.go) panel.select(*frame.go);
    trust_links_ = std::move(frame.links);
  }
  take_chosen_files();
  for (Session::Choice& choice : session_.take_choices()) {
    glyphs_.add(choice.container.string());
    for (const ContainedTrace& trace : choice.contained.traces) glyphs_.add(trace.name);
    chooser_.ask(std::move(choice));
  }
  if (const auto chosen = chooser_.draw(theme_); !chosen.empty()) session_.open(chosen);
  if (std::optional<Session::Choice> job = chooser_.take_job())
    session_.open_job(job->container, std::move(job->contained));
  carry_out(palette_.draw(commands_, page_tables(), theme_));
}

std::vector<PaletteTable> Ui::page_tables() const {
  std::vector<PaletteTable> tables;
  if (!content_shown() || session_.active_document()->shows_hang()) return tables;
  const auto kinds =
      timeline_shown() ? table_kinds()
      : job_shown()    ? job_table_kinds()
      : comparison_shown()
          ? comparison_table_kinds(session_.active_document()->comparison_panel().shown().of_jobs())
      : snapshots_shown() ? snapshot_set_table_kinds()
                          : snapshot_table_kinds();
  for (const TableInfo* const kind : kinds) tables.push_back({kind->name, kind->title});
  return tables;
}

void Ui::carry_out(const PaletteChoice& choice) {
  if (choice.command) commands_.run(*choice.command);
  if (choice.table.empty() || !content_shown()) return;
  session_.active_document()->page().show_table(choice.table);
}

void Ui::handle_keys(double delta_seconds) {
  if (dialog_.browser_visible()) return;
  const Document* document = session_.active_document();
  commands_.begin_frame({.window = !sheet_open() && !popup_open(),
                         .loading = document != nullptr && document->loading() && !document->shows_content(),
                         .timeline = timeline_shown(),
                         .snapshot = snapshot_shown(),
                         .job = job_shown(),
                         .comparison = comparison_shown(),
                         .snapshots = snapshots_shown()},
                        delta_seconds);
}

void Ui::refresh_recent() {
  recent_.refresh();
  for (const RecentFile& file : recent_.files()) {
    glyphs_.add(file.path.string());
    for (const std::filesystem::path& member : file.members) glyphs_.add(member.string());
  }
}

void Ui::remember_opened() {
  for (Session::Opened& opened : session_.take_opened()) {
    const bool again = opened.members.empty() ? !is_read_once(opened.path)
                                              : std::ranges::none_of(opened.members, is_read_once);
    if (opened.path != sample_ && again)
      print_problem(recent_.add({std::move(opened.path), std::move(opened.members)}));
  }
}

void Ui::apply(const RecentActions& actions) {
  if (actions.open) open_again(*actions.open);
  if (actions.reveal)
    reveal(actions.reveal->members.empty() ? actions.reveal->path : actions.reveal->members.front());
  if (actions.copy_path) copy_paths(*actions.copy_path);
  if (actions.remove) print_problem(recent_.remove(*actions.remove));
  if (actions.clear) print_problem(recent_.clear());
}

void Ui::apply(const ToolBarActions& actions) {
  if (actions.open) open_dialog();
  if (actions.show_recent) commands_.run(CommandId::recent_files);
  if (actions.toggle_theme) toggle_theme();
  if (actions.toggle_help) help_open_ = true;
  if (actions.show_damage) show_damage();
  if (actions.fit_all) session_.active_document()->page().fit_all();
  if (actions.activate) session_.activate(*actions.activate);
  if (actions.reveal) reveal(session_.document(*actions.reveal).path());
  if (actions.copy_path) ImGui::SetClipboardText(session_.document(*actions.copy_path).path().c_str());
  if (actions.reload) session_.document(*actions.reload).reload();
  apply(actions.recent);
  if (actions.close) session_.close(*actions.close);
}

void Ui::reveal(const std::filesystem::path& path) { file_manager_.reveal(split_trace_path(path).file); }

void Ui::open_dialog() {
  const Document* document = session_.active_document();
  importing_ = 0;
  saving_.reset();
  dialog_.open(document != nullptr ? folder_of(document->path()) : std::filesystem::path());
}

void Ui::import_bookmarks() {
  const Document& document = *session_.active_document();
  importing_ = document.serial();
  saving_.reset();
  dialog_.open(folder_of(document.path()));
}

void Ui::take_chosen_files() {
  if (!dialog_.busy()) {
    if (auto question = take_save_question()) {
      saving_ = std::move(question);
      dialog_.save(saving_->suggested);
    }
  }
  const std::vector<std::filesystem::path> chosen = dialog_.draw(theme_);
  if (chosen.empty()) return;
  if (saving_) {
    std::exchange(saving_, std::nullopt)->chosen(chosen.front());
    return;
  }
  const std::uint64_t serial = std::exchange(importing_, 0);
  if (serial == 0) open(chosen);
  for (std::size_t i = 0; serial != 0 && i < session_.size(); ++i) {
    Document& document = session_.document(i);
    if (document.serial() != serial || !document.shows_timeline()) continue;
    document.bookmarks().start_import(chosen.front());
    document.page().show_page(drawer_page::kBookmarks);
    const std::optional<ReadNote> read = read_note(chosen.front());
    if (read && read->view) document.panel().open_note(read->note);
  }
}

void Ui::bind_sharing_commands() {
  commands_.bind(CommandId::copy_link, {[this] { copy_link(); }, [this] { return content_shown(); }});
  commands_.bind(CommandId::paste_link, {[this] { paste(); }});
}

void Ui::copy_link() const {
  const Document& document = *session_.active_document();
  MomentLink link{document.path(), {}};
  if (document.shows_timeline()) {
    link.moment = document.panel().moment();
  } else if (document.shows_snapshot() && document.snapshot_panel().shown().any()) {
    link.moment.event = static_cast<std::int64_t>(document.snapshot_panel().shown().cursor);
  }
  ImGui::SetClipboardText(link_text(link).c_str());
  tell_person(tr(Text::link_copied), false);
}

void Ui::paste() {
  const char* clipboard = ImGui::GetClipboardText();
  const std::string text = clipboard == nullptr ? "" : clipboard;
  std::string_view line = std::string_view(text).substr(0, text.find_first_of("\r\n"));
  std::error_code code;
  const bool path = line.starts_with('/') && std::filesystem::exists(line, code);
  if (!path && !link_in_text(text)) {
    tell_person(tr(Text::link_none), true);
    return;
  }
  const std::filesystem::path file = path ? line : std::string_view(text);
  open(std::span(&file, 1));
}

/// Where a file that somebody else named is on this machine: there, open already, or beside the note.
std::filesystem::path Ui::found_file(const std::filesystem::path& file,
                                     const std::filesystem::path& beside) const {
  std::error_code code;
  if (is_standard_input(file) || std::filesystem::exists(split_trace_path(file).file, code)) return file;
  for (std::size_t i = 0; i < session_.size(); ++i) {
    const std::filesystem::path& open_one = session_.document(i).path();
    if (open_one.filename() == file.filename()) return open_one;
  }
  for (const std::filesystem::path& folder : {beside, std::filesystem::current_path(code)}) {
    if (!folder.empty() && std::filesystem::exists(folder / file.filename(), code))
      return folder / file.filename();
  }
  return {};
}

void Ui::open(std::span<const std::filesystem::path> paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    std::optional<MomentLink> link;
    if (path.native().find("kinetoscope:") != std::string::npos && !path.is_absolute())
      link = link_in_text(path.native());
    std::optional<ReadNote> note;
    if (!link) note = read_note(path);
    if (!link && !note) {
      files.push_back(path);
      continue;
    }
    const std::filesystem::path& named = link ? link->file : note->note.trace;
    std::filesystem::path file = found_file(named, path.parent_path());
    if (file.empty()) {
      tell_person(filled(Text::link_file_missing, {named.filename().string()}), true);
      glyphs_.add(named.string());
      continue;
    }
    std::error_code code;
    if (!is_standard_input(file)) file = std::filesystem::absolute(file, code);
    files.push_back(file);
    Pending pending{file, std::move(note), path, {}};
    if (link) pending.moment = link->moment;
    pending_.push_back(std::move(pending));
  }
  session_.open_together(files);
}

void Ui::open_again(const RecentFile& recent) {
  if (recent.members.empty()) return open(std::span(&recent.path, 1));
  // What is gone is a rank that the job lacks, not the end of it.
  std::vector<std::filesystem::path> left;
  std::error_code code;
  std::ranges::copy_if(recent.members, std::back_inserter(left), [&](const std::filesystem::path& it) {
    return std::filesystem::exists(split_trace_path(it).file, code);
  });
  session_.open_together(left.size() < 2 ? recent.members : left);
}

void Ui::show_pending() {
  std::erase_if(pending_, [this](const Pending& pending) {
    for (std::size_t i = 0; i < session_.size(); ++i) {
      Document& document = session_.document(i);
      std::error_code code;
      if (document.path() != pending.file &&
          !std::filesystem::equivalent(document.path(), pending.file, code))
        continue;
      if (document.state() == Document::State::failed) return true;
      if (document.state() != Document::State::ready) return false;
      if (document.shows_timeline()) {
        TimelinePanel& panel = document.panel();
        if (!panel.laid_out()) return false;
        if (pending.note) {
          if (!pending.note->note.bookmarks.empty()) document.bookmarks().start_import(pending.note_file);
          if (pending.note->view) panel.open_note(pending.note->note);
        } else {
          panel.go_to(pending.moment);
        }
      } else if (document.shows_snapshot() && pending.moment.event) {
        document.snapshot_panel().go_to(static_cast<EventIndex>(*pending.moment.event));
      }
      return true;
    }
    return true;  // its tab is closed, or it was an archive of several
  });
}

void Ui::toggle_theme() { theme_ = Theme::make(!theme_.dark); }

double Ui::sleep_seconds() const {
  if (commands_.pending() || panes_.wants_frames()) return 0;
  for (const Document* document : panes_.shown(session_)) {
    if (document->wants_frames()) return 0;
  }
  if (!pending_.empty()) return kProgressSeconds;
  if (session_.loading()) return kProgressSeconds;
  if (ImGui::GetIO().WantTextInput) return kCursorBlinkSeconds;
  return toast_.seconds_left();
}

bool Ui::complete() const {
  if (session_.loading()) return false;
  const std::vector<Document*> shown = panes_.shown(session_);
  return std::ranges::all_of(shown, [](const Document* document) { return document->complete(); });
}

double Ui::tiles_cpu_ms() const {
  double ms = 0;
  for (const Document* document : panes_.shown(session_)) {
    if (document->shows_timeline()) ms += document->panel().draw_stats().cpu_ms;
  }
  return ms;
}

std::string Ui::window_title() const {
  const Document* document = session_.active_document();
  if (document == nullptr) return "Kinetoscope";
  const bool part_only = document->state() == Document::State::failed && document->shows_content();
  const char* const what = document->state() == Document::State::loading ? " (loading)"
                           : part_only                                   ? " (partial)"
                                                                         : "";
  return session_.title(session_.active()) + what + " - Kinetoscope";
}

}  // namespace kino
