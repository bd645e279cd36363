// Draws one frame of the program, in the window as in pictures, and carries out what the person asks for in
// it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/shell/dialogs/file_dialog.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/language_choice.hpp"
#include "app/shell/overlays.hpp"
#include "app/shell/record_sheet.hpp"
#include "app/shell/settings/color_modes.hpp"
#include "app/shell/settings/recent_files.hpp"
#include "app/shell/split_panes.hpp"
#include "app/shell/toast.hpp"
#include "app/shell/tool_bar.hpp"
#include "app/shell/tour.hpp"
#include "app/shell/trace_chooser.hpp"
#include "app/system/file_manager.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/bookmarks/note.hpp"
#include "app/ui/commands/command_palette.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/gui_context.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/job/recording.hpp"

namespace kino {

/// The places of the timeline's splitters, at scale 1; all documents share them.
struct Splitters {
  float header_width = 240;
  float drawer_height = 270;
};

struct UiOptions {
  bool dark = true;
  std::optional<Language> language;  ///< without, the system's
  Splitters splitters;
  LookOptions look;
  float interface_scale = 1;  ///< times the system's
  Keymap keymap;
  std::filesystem::path recent_file;  ///< where recent files are kept; empty: not at all
};

/// UI thread only, between ImGui's NewFrame and Render.
class Ui {
 public:
  /// `session` outlives the Ui. `wake` is called from any thread when a frame should be drawn.
  Ui(Session& session, UiOptions options, const std::function<void()>& wake);

  /// Opens traces and snapshots, and what a link or a note shows of one.
  void open(std::span<const std::filesystem::path> paths);
  /// Opens two traces and what they differ in.
  void open_and_compare(const std::filesystem::path& a, const std::filesystem::path& b) {
    session_.open_and_compare(a, b);
  }
  /// Everything of one frame. `figures` describe the frames before.
  void draw(DisplayScale scale, double delta_seconds, const DebugFigures& figures);

  /// For how long the window may sleep when there is no input; 0 when the next frame must follow at once.
  double sleep_seconds() const;
  /// Whether nothing will change without input: every document loaded, every tile of the active one there.
  bool complete() const;
  /// What the timelines of the newest frame cost while OpenGL drew it; see DrawStats.
  double tiles_cpu_ms() const;
  bool quit_requested() const { return quit_; }
  const Theme& theme() const { return theme_; }
  /// Nothing while the system's counts.
  std::optional<Language> chosen_language() const { return language_.wanted(); }
  /// What is said about it at the bottom of the window.
  const char* language_note() const { return language_.note(); }
  bool help_open() const { return help_open_; }
  /// Lines of it, as they are filtered.
  std::size_t help_lines() const { return help_.lines(); }
  bool trust_open() const { return trust_open_; }
  Tour::Step tour_step() const { return tour_.step(); }
  bool record_sheet_open() const { return record_open_; }
  const std::vector<ImVec2>& trust_links() const { return trust_links_; }
  bool debug_open() const { return debug_open_; }
  /// What is said at the bottom for a while; empty when nothing is.
  const std::string& told() const { return toast_.sentence(); }
  const FileBrowser& browser() const { return dialog_.browser(); }
  bool palette_open() const { return palette_.visible(); }
  const TraceChooser& chooser() const { return chooser_; }
  const LookOptions& look() const { return look_; }
  /// What the person has made of the system's scale.
  float interface_scale() const { return interface_scale_; }
  const Splitters& splitters() const { return splitters_; }
  const SplitPanes& panes() const { return panes_; }
  /// Characters beyond Latin that the interface's own lists show.
  const GlyphSet& glyphs() const { return glyphs_; }
  /// Those of its own texts alone.
  const GlyphSet& text_glyphs() const { return text_glyphs_; }
  /// "trace - Kinetoscope".
  std::string window_title() const;

 private:
  void bind_commands();
  void bind_page_marks();
  void bind_memory_command();
  void show_damage();
  bool takes_keys(const PaneFrame& pane) const;
  void bind_look_commands();
  void bind_scale_commands();
  void step_scale(int step);
  void bind_file_commands();
  void bind_bookmark_commands();
  void bind_split_commands();
  void handle_keys(double delta_seconds);
  void apply(const ToolBarActions& actions);
  void apply(const RecentActions& actions);
  void remember_opened();
  void refresh_recent();
  void draw_page(DisplayScale scale, double delta_seconds);
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
  void import_bookmarks();
  void bind_sharing_commands();
  void copy_link() const;
  void paste();
  void show_pending();
  std::filesystem::path found_file(const std::filesystem::path& file,
                                   const std::filesystem::path& beside) const;
  void take_chosen_files();
  void toggle_theme();
  void choose_language(std::optional<Language> wanted);
  void bind_languages();
  void bind_units();
  void draw_content(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds);
  void draw_page(Document& document, const PaneFrame& pane, DisplayScale scale, double delta_seconds);
  void show_slice(SliceRef wanted);
  void show_stretch(const StretchOfTrace& wanted);
  bool trace_ready() const;
  bool content_shown() const;
  bool timeline_shown() const;
  bool snapshot_shown() const;
  bool job_shown() const;
  bool comparison_shown() const;
  bool snapshots_shown() const;
  bool sheet_open() const {
    return help_open_ || trust_open_ || record_open_ || dialog_.browser_visible() || palette_.visible() ||
           chooser_.visible();
  }

  Session& session_;
  std::uint64_t matched_ = 0;  // the session's generation that match_runs() knows
  Commands commands_;
  Theme theme_;
  LanguageChoice language_;
  Splitters splitters_;
  LookOptions look_;
  float interface_scale_ = 1;
  FileDialog dialog_;
  TraceChooser chooser_;
  ToolBar tool_bar_;
  SplitPanes panes_;
  CommandPalette palette_;
  RecentFiles recent_;
  FileManager file_manager_;
  std::optional<std::filesystem::path> sample_;
  GlyphSet glyphs_;
  GlyphSet text_glyphs_;
  std::vector<std::filesystem::path> wanted_;  // asked for by a page while it was drawn
  std::uint64_t wanted_page_ = 0;              // the document that asked for its job or its snapshots
  bool start_page_shown_ = false;              // in the frame before
  bool help_open_ = false;
  HelpSheet help_;
  bool trust_open_ = false;
  bool record_open_ = false;
  Tour tour_;
  std::vector<ImVec2> trust_links_;
  bool debug_open_ = false;
  bool quit_ = false;
  std::optional<std::size_t> closes_;
  std::uint64_t importing_ = 0;         // the document whose note the dialog asks for; 0: it asks for traces
  std::optional<SaveQuestion> saving_;  // what the dialog asks for instead of files to open
  /// What a document is to show as soon as it can.
  struct Pending {
    std::filesystem::path file;
    std::optional<ReadNote> note;
    std::filesystem::path note_file;
    Moment moment;
  };
  std::vector<Pending> pending_;
  Toast toast_;
};

}  // namespace kino
