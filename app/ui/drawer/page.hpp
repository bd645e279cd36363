// Interface of the page that shows a document in its pane: a timeline, a snapshot, a job and others.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include "app/shell/settings/color_modes.hpp"
#include "app/shell/settings/drawer_heights.hpp"
#include "app/ui/commands/command_list.hpp"
#include "app/ui/drawer/facts_line.hpp"
#include "app/ui/drawer/page_request.hpp"
#include "app/ui/drawer/page_view.hpp"
#include "app/ui/drawer/run_peers.hpp"
#include "app/ui/view/byte_link.hpp"
#include "app/ui/view/drawer_choice.hpp"
#include "app/ui/view/split_view.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// Sizes set by dragging the splitters, at scale 1; all documents share them.
struct Splitters {
  float header_width = 240;
  DrawerHeightsByKind drawer_heights{};
  bool small_verdict = false;  ///< whether verdicts take one line
  bool inspector = true;       ///< whether pages show their inspector if there is room
};

/// Parameters of one frame that every page draws with.
struct PageFrame {
  const Theme* theme = nullptr;
  float scale = 1;              ///< UI scale; 1 = 96 dpi
  float framebuffer_scale = 1;  ///< framebuffer pixels per ImGui unit
  double delta_seconds = 0;
  bool active = true;    ///< whether commands apply to this page; the window can show two pages
  bool keyboard = true;  ///< false while a text field or a popup has the focus, or another page is active
  std::optional<double> other_time_ns;  ///< time under the mouse in a linked page, in ns of this page
  ColorOptions look;                    ///< appearance of slices
  Splitters* splitters = nullptr;       ///< null: the page uses its own sizes
  bool drag_selects = true;             ///< whether dragging over tracks marks a range, instead of panning
};

/// UI thread only. The default implementations describe a page without a drawer, animation or background
/// work.
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
  /// Returns the page's requests to the window since the last call.
  virtual std::vector<PageRequest> take_requests() { return {}; }
  /// Takes over finished results of background work. Also called while another page is shown.
  virtual void poll() {}

  /// Whether the next frame must be drawn without waiting for input (keys held, animation, tiles pending).
  virtual bool wants_frames() const { return false; }
  /// Whether the last frame was final: nothing was missing, out of date or drawn at a coarser level of
  /// detail.
  virtual bool complete() const { return true; }
  virtual bool searching() const { return false; }
  /// Whether the page can search its recording.
  virtual bool has_search() const { return false; }
  /// Opens the search of the page with this query.
  virtual void search_for(const std::string& /*query*/) {}
  /// The last query of the page's search.
  struct Searched {
    std::string query = {};
    bool open = false;  ///< false after the search was closed
  };
  virtual Searched searched() const { return {}; }
  virtual bool moving() const { return wants_frames(); }

  /// Returns the views that the bar above the page offers, the page itself first. Empty for a page without
  /// such views.
  virtual std::vector<PageView> views() const { return {}; }
  /// Shows one of views() by its id.
  virtual void show_view(std::string_view /*id*/) {}

  /// Returns the facts above those views of the document that are not timelines.
  virtual std::vector<PageFact> facts() const { return {}; }
  /// Returns the parts of the document that all its tables can cover. Empty if there is no choice.
  virtual std::vector<PageScope> scopes() const { return {}; }
  /// Chooses one of scopes() by its index.
  virtual void choose_scope(std::size_t /*scope*/) {}
  /// Returns the label of the chosen scope, in the language in use.
  virtual std::string scope_title() const { return {}; }

  /// Returns the word for the devices of the document: "GPU", "NPU"; see device_word() of traces.
  virtual std::string device_word() const { return "GPU"; }

  virtual void fit_all() {}
  /// Opens the drawer at its page with this id.
  virtual void show_page(std::string_view /*id*/) {}
  virtual std::span<const TableInfo* const> tables() const { return {}; }
  virtual void show_table(std::string_view /*name*/) {}
  /// Whether menus show a check mark at the command because it is switched on.
  virtual bool marks(CommandId /*command*/) const { return false; }
  /// Switches to the next coloring that is specific to this page. Returns false if the page has no such
  /// colorings.
  virtual bool next_coloring() { return false; }
  /// Returns the time axis for a link with another page; nullopt if the page has none.
  virtual std::optional<TimePane> time_pane() const { return std::nullopt; }
  /// Switches the horizontal axis to time if the page has times.
  virtual void show_times() {}
  /// Returns the byte axis for a link with another page; nullopt if the page has none, or before the first
  /// draw().
  virtual std::optional<BytePane> byte_pane() const { return std::nullopt; }

  /// Called with all open traces whenever a trace is opened, closed or reloaded.
  virtual void set_open_traces(std::span<const OpenTrace> /*traces*/) {}
  /// Returns counters that the page offers for a trace; nullopt if the page has none or the trace belongs to
  /// another run.
  virtual std::optional<CountersOfRun> counters_for(const Trace& /*trace*/) const { return std::nullopt; }
  /// Whether the page is out of date as soon as its file on disk has changed.
  virtual bool follows_file() const { return true; }
  /// Whether the folder of the page's file contains recordings that the page does not show, so that they need
  /// other tabs.
  virtual bool leaves_recordings() const { return false; }
  /// Returns the path from which the title of the page's tab is built.
  virtual std::filesystem::path tab_path(const std::filesystem::path& file) const { return file; }
  /// Returns the verdict on the document in one sentence, in the language in use. Empty if the page has none,
  /// and until it is known.
  virtual std::string headline() const { return {}; }
  /// Returns the verdict with its evidence as text of several lines, to share it. Empty if headline() is.
  virtual std::string verdict_text() const { return headline(); }
  /// Writes the state of this page and of its drawer's pages to the state file of UI tests.
  virtual void write_test_state(nlohmann::ordered_json& json) const = 0;

 protected:
  /// Draws the page into this part of the window. Dear ImGui ids need to be unique only within one kind of
  /// page.
  virtual void draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) = 0;
  /// Whether draw() draws the line of facts above the page. False for pages that draw it themselves or have
  /// none.
  virtual bool has_facts_above() const { return false; }
  /// Members of the page that receive the sizes in Splitters; null if the page does not have that splitter.
  virtual float* header_width() { return nullptr; }
  virtual DrawerChoice* drawer_choice() { return nullptr; }
};

/// Casts a page to the class Panel; null if the page is null or of another kind.
template <class Panel>
Panel* page_as(Page* page) {
  return page != nullptr && page->kind() == Panel::kKind ? static_cast<Panel*>(page) : nullptr;
}

/// Moves a view by the keys that are held. The fixed point of zooming is the mouse, or the middle of `lanes`
/// if the mouse is to the left or right of them.
void move_by_keys(Navigation& navigation, const Box& lanes, const PageFrame& frame, HeldMovement held);
void move_by_keys(Navigation& navigation, const Box& lanes, const PageFrame& frame);

}  // namespace kino
