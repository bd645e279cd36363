// Draws one frame of the program, in the window and in pictures, and executes the user's commands.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/shell/appearance.hpp"
#include "app/shell/dialogs/file_dialog.hpp"
#include "app/shell/documents/recent_memory.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/link_opener.hpp"
#include "app/shell/menus/share_commands.hpp"
#include "app/shell/menus/window_menus.hpp"
#include "app/shell/overlays.hpp"
#include "app/shell/record_sheet.hpp"
#include "app/shell/settings/recent_files.hpp"
#include "app/shell/settings/settings.hpp"
#include "app/shell/split_panes.hpp"
#include "app/shell/start_page.hpp"
#include "app/shell/toast.hpp"
#include "app/shell/tool_bar.hpp"
#include "app/shell/tour.hpp"
#include "app/shell/trace_chooser.hpp"
#include "app/shell/view_bar.hpp"
#include "app/system/file_manager.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/backend/gui_context.hpp"
#include "app/ui/box/search_box.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/job/recording.hpp"

namespace kino {

struct UiOptions {
  AppearanceOptions appearance;
  Splitters splitters;
  std::optional<Dragging> dragging = Dragging::selects;  ///< nullopt: the user does not know the setting yet
  Keymap keymap;
  std::filesystem::path recent_file;  ///< file for the list of recent files; empty: do not save it
  /// Returns whether a file or folder may be opened. Set if the window is shown in a web browser, which may
  /// be on another machine. Then, saved files are downloaded (file_downloads.hpp), and other programs of the
  /// desktop are not started.
  std::function<bool(const std::filesystem::path&)> may_open = {};
  std::filesystem::path dialog_folder = {};  ///< with may_open: the first folder of the file browser
};

/// The program's user interface. UI thread only, between ImGui's NewFrame and Render.
class Ui {
 public:
  /// `session` must outlive the object. `wake` requests a frame, and is called from any thread.
  Ui(Session& session, UiOptions options, const std::function<void()>& wake);

  /// Opens files. For links and notes, opens the files that they name and shows their moments.
  void open(std::span<const std::filesystem::path> paths);
  /// Requests the characters of all texts that the next frame can show.
  void request_glyphs(Fonts& fonts) const;
  /// Opens two traces and their comparison.
  void open_and_compare(const std::filesystem::path& a, const std::filesystem::path& b) {
    session_.open_and_compare(a, b);
  }
  /// Draws the whole frame. `figures` describe the previous frames.
  void draw(DisplayScale scale, double delta_seconds, const DebugFigures& figures);

  /// Seconds that the window may wait for input; 0 if the next frame must be drawn immediately.
  double sleep_seconds() const;
  /// Whether every document is loaded and the visible ones are complete, so that nothing changes without
  /// input.
  bool complete() const;
  /// Processor time, in ms, that drawing the timelines with OpenGL took in the last frame; see DrawStats.
  double tiles_cpu_ms() const;
  bool quit_requested() const { return quit_; }
  const Appearance& appearance() const { return appearance_; }
  const Theme& theme() const { return appearance_.theme(); }
  bool help_open() const { return help_open_; }
  /// Number of lines in the help sheet that pass the filter.
  std::size_t help_lines() const { return help_.lines(); }
  bool data_quality_open() const { return data_quality_open_; }
  Tour::Step tour_step() const { return tour_.step(); }
  bool record_sheet_open() const { return record_open_; }
  const std::vector<ImVec2>& quality_links() const { return quality_links_; }
  bool debug_open() const { return debug_open_; }
  /// The sentence shown at the bottom; empty if there is none.
  const std::string& told() const { return toast_.sentence(); }
  const FileBrowser& browser() const { return dialog_.browser(); }
  const SearchBox& box() const { return box_; }
  const TraceChooser& chooser() const { return chooser_; }
  const Splitters& splitters() const { return splitters_; }
  /// Meaning of a drag over tracks. nullopt: it pans, and the hint about the setting was not shown yet.
  std::optional<Dragging> dragging() const { return dragging_; }
  const SplitPanes& panes() const { return panes_; }
  const ViewBar& view_bar() const { return view_bar_; }
  const ToolBar& tool_bar() const { return tool_bar_; }
  const WindowMenus& menus() const { return menus_; }
  const StartPage& start_page() const { return start_page_; }
  const RecentFiles& recent() const { return recent_; }
  /// Non-Latin characters in the file names that the interface lists: recent files, choices, missing files.
  const GlyphSet& glyphs() const { return glyphs_; }
  std::string window_title() const;

 private:
  void bind_commands();
  void bind_page_marks();
  void bind_dragging();
  void hint_at_dragging();
  void open_guide();
  bool in_browser() const { return may_open_ != nullptr; }
  std::vector<std::filesystem::path> permitted(std::span<const std::filesystem::path> paths);
  void show_damage();
  bool takes_keys(const PaneFrame& pane) const;
  void bind_file_commands();
  void handle_keys(double delta_seconds);
  void apply(const ToolBarActions& actions);
  void apply(const RecentActions& actions);
  void refresh_recent();
  void draw_panes(DisplayScale scale, double delta_seconds);
  void draw_document(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds);
  void draw_sheets();
  void begin_tour();
  void draw_tour();
  void bind_box_commands();
  Page::Searched last_search() const;
  void open_box(const std::string& text);
  void bind_menus();
  void draw_box();
  void carry_out(const BoxEntry& entry);
  void compare_runs();
  void reveal(const std::filesystem::path& path);
  void open_again(const RecentFile& recent);
  void open_dialog();
  /// Use of the files that the open dialog returns.
  enum class ChosenFor : std::uint8_t { opening, first_run, second_run, watching };
  /// Opens a dialog for a folder or for a run, and carries out `use` with the choice.
  void choose(ChosenFor use);
  void take_chosen(std::span<const std::filesystem::path> chosen);
  void import_bookmarks(const Document& document);
  void take_chosen_files();
  /// Saves a file in the folder for downloads, without a dialog.
  void download(const SaveRequest& request);
  void draw_content(Document& document, Page& page, const PaneFrame& pane, DisplayScale scale,
                    double delta_seconds);
  void answer_requests();
  void answer(const Document& from, const OpenRecording& wanted);
  void answer(const Document& from, const ShowSlice& wanted);
  void answer(const Document& from, const ShowRange& wanted);
  void answer(const Document& from, const ShowInterval& wanted);
  void answer(const Document& from, const ShowSnapshots& wanted);
  void answer(const Document& from, const ShowJob& wanted);
  void answer(const Document& from, const ShowLedger& wanted);
  void answer(const Document& from, const ShowQuality& wanted);
  void answer(const Document& from, const CompareWith& wanted);
  void answer(const Document& from, const SaveReport& wanted);
  void answer(const Document& from, const ImportBookmarks& wanted);
  void answer(const Document& from, const OpenSiblings& wanted);
  void answer(const Document& from, const CompareTraces& wanted);
  bool sheet_open() const {
    return help_open_ || data_quality_open_ || record_open_ || dialog_.browser_visible() || box_.is_open() ||
           chooser_.visible() || menus_.is_open();
  }

  Session& session_;
  std::uint64_t matched_ = 0;  // the session's generation at the last match_runs()
  Commands commands_;
  Appearance appearance_;
  Splitters splitters_;
  std::optional<Dragging> dragging_;
  std::function<bool(const std::filesystem::path&)> may_open_;  // null: the window is on this machine
  FileDialog dialog_;
  TraceChooser chooser_;
  ToolBar tool_bar_;
  WindowMenus menus_;
  ShareCommands share_;
  ViewBar view_bar_;
  SplitPanes panes_;
  SearchBox box_;
  RecentFiles recent_;
  RecentMemory recent_memory_;
  FileManager file_manager_;
  std::optional<std::filesystem::path> sample_;
  GlyphSet glyphs_;
  struct SentRequest {
    std::uint64_t document = 0;
    PageRequest request;
  };
  std::vector<SentRequest> requests_;  // requests that pages sent while they were drawn
  StartPage start_page_;
  ChosenFor chosen_for_ = ChosenFor::opening;
  std::filesystem::path first_run_;
  bool start_page_shown_ = false;  // whether it was shown in the previous frame
  bool help_open_ = false;
  HelpSheet help_;
  bool data_quality_open_ = false;
  bool record_open_ = false;
  Tour tour_;
  std::vector<ImVec2> quality_links_;
  bool debug_open_ = false;
  bool quit_ = false;
  std::optional<std::size_t> closes_;
  std::uint64_t importing_ = 0;        // serial of the document that imports a chosen file; 0: none
  std::optional<SaveRequest> saving_;  // request for which the dialog is open
  LinkOpener links_;
  Toast toast_;
};

}  // namespace kino
