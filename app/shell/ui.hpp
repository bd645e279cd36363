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
#include "app/shell/documents/session.hpp"
#include "app/shell/link_opener.hpp"
#include "app/shell/overlays.hpp"
#include "app/shell/record_sheet.hpp"
#include "app/shell/settings/recent_files.hpp"
#include "app/shell/split_panes.hpp"
#include "app/shell/toast.hpp"
#include "app/shell/tool_bar.hpp"
#include "app/shell/tour.hpp"
#include "app/shell/trace_chooser.hpp"
#include "app/system/file_manager.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/commands/command_palette.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/gui_context.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/job/recording.hpp"

namespace kino {

struct UiOptions {
  AppearanceOptions appearance;
  Splitters splitters;
  Keymap keymap;
  std::filesystem::path recent_file;  ///< file for the list of recent files; empty: do not save it
};

/// The program's user interface. UI thread only, between ImGui's NewFrame and Render.
class Ui {
 public:
  /// `session` outlives the Ui. `wake` is called from any thread to request a frame.
  Ui(Session& session, UiOptions options, const std::function<void()>& wake);

  /// Opens files; for links and notes, also shows their moment.
  void open(std::span<const std::filesystem::path> paths);
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
  /// Processor time that drawing the timelines with OpenGL took in the last frame; see DrawStats.
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
  bool palette_open() const { return palette_.visible(); }
  const TraceChooser& chooser() const { return chooser_; }
  const Splitters& splitters() const { return splitters_; }
  const SplitPanes& panes() const { return panes_; }
  /// Non-Latin characters in the interface's own lists.
  const GlyphSet& glyphs() const { return glyphs_; }
  std::string window_title() const;

 private:
  void bind_commands();
  void bind_page_marks();
  void bind_memory_command();
  void open_guide();
  void show_damage();
  bool takes_keys(const PaneFrame& pane) const;
  void bind_file_commands();
  void bind_split_commands();
  void handle_keys(double delta_seconds);
  void apply(const ToolBarActions& actions);
  void apply(const RecentActions& actions);
  void remember_opened();
  void refresh_recent();
  void draw_panes(DisplayScale scale, double delta_seconds);
  void draw_document(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds);
  void draw_sheets();
  void begin_tour();
  void draw_tour();
  std::vector<PaletteTable> page_tables() const;
  void carry_out(const PaletteChoice& choice);
  void compare_runs();
  void reveal(const std::filesystem::path& path);
  void open_again(const RecentFile& recent);
  void open_dialog();
  void import_bookmarks(const Document& document);
  void take_chosen_files();
  void draw_content(Document& document, Page& page, const PaneFrame& pane, DisplayScale scale,
                    double delta_seconds);
  void answer_requests();
  void answer(const Document& from, const OpenRecording& wanted);
  void answer(const Document& from, const ShowSlice& wanted);
  void answer(const Document& from, const ShowInterval& wanted);
  void answer(const Document& from, const ShowSnapshots& wanted);
  void answer(const Document& from, const ShowJob& wanted);
  void answer(const Document& from, const ImportBookmarks& wanted);
  bool sheet_open() const {
    return help_open_ || data_quality_open_ || record_open_ || dialog_.browser_visible() ||
           palette_.visible() || chooser_.visible();
  }

  Session& session_;
  std::uint64_t matched_ = 0;  // the session's generation at the last match_runs()
  Commands commands_;
  Appearance appearance_;
  Splitters splitters_;
  FileDialog dialog_;
  TraceChooser chooser_;
  ToolBar tool_bar_;
  SplitPanes panes_;
  CommandPalette palette_;
  RecentFiles recent_;
  FileManager file_manager_;
  std::optional<std::filesystem::path> sample_;
  GlyphSet glyphs_;
  struct SentRequest {
    std::uint64_t document = 0;
    PageRequest request;
  };
  std::vector<SentRequest> requests_;  // requests that pages sent while they were drawn
  bool start_page_shown_ = false;      // in the previous frame
  bool help_open_ = false;
  HelpSheet help_;
  bool data_quality_open_ = false;
  bool record_open_ = false;
  Tour tour_;
  std::vector<ImVec2> quality_links_;
  bool debug_open_ = false;
  bool quit_ = false;
  std::optional<std::size_t> closes_;
  std::uint64_t importing_ = 0;        // document that imports a note by the dialog; 0: none
  std::optional<SaveRequest> saving_;  // request for which the dialog is open
  LinkOpener links_;
  Toast toast_;
};

}  // namespace kino
