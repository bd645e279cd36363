// Draws one frame of the program, in the window as in pictures, and carries out what the person asks for in
// it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "app/file_dialog.hpp"
#include "app/gui_context.hpp"
#include "app/overlays.hpp"
#include "app/session.hpp"
#include "app/theme.hpp"
#include "app/tool_bar.hpp"

namespace kino {

/// UI thread only, between ImGui's NewFrame and Render.
class Ui {
 public:
  /// `session` outlives the Ui. `wake` is called from any thread when a frame should be drawn.
  Ui(Session& session, bool dark, std::function<void()> wake);

  /// Everything of one frame. `figures` describe the frames before.
  void draw(DisplayScale scale, double delta_seconds, const DebugFigures& figures);

  /// For how long the window may sleep when there is no input; 0 when the next frame must follow at once.
  double sleep_seconds() const;
  /// Whether nothing will change without input: every document loaded, every tile of the active one there.
  bool complete() const;
  bool quit_requested() const { return quit_; }
  const Theme& theme() const { return theme_; }
  bool help_open() const { return help_open_; }
  bool debug_open() const { return debug_open_; }
  /// "trace - Kinetoscope".
  std::string window_title() const;

 private:
  void handle_keys();
  void handle_tab_keys();
  void apply(const ToolBarActions& actions);
  void draw_page(DisplayScale scale, double delta_seconds);
  void draw_sheets();
  void open_dialog();
  void toggle_theme();
  bool sheet_open() const { return help_open_ || damage_open_ || dialog_.browser_visible(); }

  Session& session_;
  Theme theme_;
  FileDialog dialog_;
  ToolBar tool_bar_;
  std::optional<std::filesystem::path> sample_;
  bool help_open_ = false;
  bool damage_open_ = false;
  bool debug_open_ = false;
  bool quit_ = false;
};

}  // namespace kino
