// Interface of the page that shows a document in its pane: a timeline, a snapshot, a job and others.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/shell/settings/color_modes.hpp"
#include "app/ui/commands/command_list.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "app/ui/drawer/run_peers.hpp"
#include "app/ui/view/byte_link.hpp"
#include "app/ui/view/split_view.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// Positions of the splitters, at scale 1; all documents share them.
struct Splitters {
  float header_width = 240;
  float drawer_height = 270;
};

/// Parameters of one frame that every page draws with.
struct PageFrame {
  const Theme* theme = nullptr;
  float scale = 1;              ///< UI scale; 1 = 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer pixels per ImGui unit
  double delta_seconds = 0;
  bool active = true;    ///< whether commands apply to this page, of several in the window
  bool keyboard = true;  ///< false while a text field or a popup has the keyboard, or another page is active
  std::optional<double> other_time_ns;  ///< time under the mouse in a linked page, in ns of this page
  ColorOptions look;                    ///< of slices
  Splitters* splitters = nullptr;       ///< null: the page has its own
};

/// UI thread only. The default implementations describe a page that is complete, has no drawer, and does not
/// move.
class Page {
 public:
  Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  virtual ~Page() = default;

  virtual PageKind kind() const = 0;
  /// Fills the remaining content region of the current ImGui window and handles its mouse and keys. Draws
  /// nothing if the region is too small.
  void draw(const PageFrame& frame);
  /// Returns the user's requests to the window since the last call.
  virtual std::vector<PageRequest> take_requests() { return {}; }
  /// Takes over results of background work. Also called while another page is shown.
  virtual void poll() {}

  /// Whether the next frame must follow without waiting for input (keys held, animation, tiles pending).
  virtual bool wants_frames() const { return false; }
  /// Whether everything in the last frame was complete, at the right level and up to date.
  virtual bool complete() const { return true; }
  virtual bool searching() const { return false; }
  virtual bool moving() const { return wants_frames(); }

  virtual void fit_all() {}
  /// Opens the drawer at the page of this id.
  virtual void show_page(std::string_view /*id*/) {}
  virtual std::span<const TableInfo* const> tables() const { return {}; }
  virtual void show_table(std::string_view /*name*/) {}
  /// Whether the command is a switch that is on.
  virtual bool marks(CommandId /*command*/) const { return false; }
  /// Switches to the page's own next coloring. Returns false if it has none.
  virtual bool next_coloring() { return false; }
  /// Time axis for a link with another page; nullopt if it has none.
  virtual std::optional<TimePane> time_pane() const { return std::nullopt; }
  /// Switches the axis to time if the page has times.
  virtual void show_times() {}
  /// Byte axis for a link; nullopt if it has none, or before the first draw().
  virtual std::optional<BytePane> byte_pane() const { return std::nullopt; }

  /// Called with the open traces whenever they have changed.
  virtual void set_open_traces(std::span<const OpenTrace> /*traces*/) {}
  /// Counters for a trace; nullopt if the trace belongs to another run or the page has none.
  virtual std::optional<CountersOfRun> counters_for(const Trace& /*trace*/) const { return std::nullopt; }
  /// Whether the page is out of date as soon as its file on disk has changed.
  virtual bool follows_file() const { return true; }
  /// Whether its folder contains other recordings, which need a tab of their own.
  virtual bool leaves_recordings() const { return false; }
  /// Path from which the title of its tab is built.
  virtual std::filesystem::path tab_path(const std::filesystem::path& file) const { return file; }
  /// Writes its state and that of its drawer's pages to the state file of UI tests.
  virtual void write_test_state(nlohmann::ordered_json& json) const = 0;

 protected:
  /// Fills this part of the window. Dear ImGui ids are unique within the page's kind.
  virtual void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) = 0;
  /// The page's own copies of Splitters; null if it is divided in another way.
  virtual float* header_width() { return nullptr; }
  virtual float* drawer_height() { return nullptr; }
};

/// Casts a page to its class; null if it is of another kind or null.
template <class Panel>
Panel* page_as(Page* page) {
  return page != nullptr && page->kind() == Panel::kKind ? static_cast<Panel*>(page) : nullptr;
}

/// Moves a view by the keys that are held. The fixed point is the mouse, or the middle of `lanes` if the
/// mouse is elsewhere.
void move_by_keys(Navigation& navigation, const Box& lanes, const PageFrame& frame, HeldMovement held);
void move_by_keys(Navigation& navigation, const Box& lanes, const PageFrame& frame);

}  // namespace kino
