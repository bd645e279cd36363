#include "app/shell/state_file.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/pages/timeline/timeline_json.hpp"
#include "app/shell/document_bar.hpp"
#include "app/shell/settings/settings.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "core/job/clock_fit.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

const char* text_of(Document::State state) {
  using State = Document::State;
  return state == State::loading ? "loading" : state == State::ready ? "ready" : "failed";
}

Json json_of(const Document& document) {
  Json json = {{"file", document.path().string()}, {"state", text_of(document.state())}, {"error", Json()}};
  if (document.state() == Document::State::failed) json["error"] = document.error().what.str();
  json["notice"] = notice_text(document);
  json["loading"] = document.loading();
  if (document.kind() != PageKind::timeline) return json;
  json["shown_share"] = document.shown_share();
  json["slices"] = document.opened().trace->slice_count();
  json["from_cache"] = document.opened().from_cache;
  json["damage"] = document.opened().trace->damage.total();
  return json;
}

// Returns the state of the data quality sheet; null if it is closed.
Json trust_json(const Ui& ui) {
  if (!ui.data_quality_open()) return {};
  Json links = Json::array();
  for (const ImVec2& link : ui.quality_links()) links.push_back({{"x", link.x}, {"y", link.y}});
  return {{"links", links}};
}

const char* text_of(SliceMatch match) {
  switch (match) {
    case SliceMatch::none:
      return "none";
    case SliceMatch::exact:
      return "exact";
    case SliceMatch::nearest:
      return "nearest";
    case SliceMatch::lost:
      return "lost";
  }
  return "none";
}

Json json_of(const Bookmarks& bookmarks) {
  Json list = Json::array();
  for (const PlacedBookmark& placed : bookmarks.all()) {
    list.push_back({{"number", placed.mark.number},
                    {"text", placed.mark.text},
                    {"color", placed.mark.color},
                    {"begin_ns", placed.range.begin_ns},
                    {"end_ns", placed.range.end_ns},
                    {"slice", placed.mark.slice ? Json(placed.mark.slice->name) : Json()},
                    {"match", text_of(placed.found.match)},
                    {"inside", placed.inside}});
  }
  return list;
}

Json json_of(const Page& page) {
  Json json;
  page.write_test_state(json);
  return json;
}

const char* text_of(SplitMode mode) {
  return mode == SplitMode::stacked ? "stacked" : mode == SplitMode::side_by_side ? "side by side" : "one";
}

const char* text_of(const TimeLink& link) {
  if (!link.fit) return "none";
  return link.by_clock() ? "clock" : "edges";
}

Json json_of(const ClockFit& fit) {
  return {{"offset_ns", fit.offset_ns},
          {"drift_ppb", fit.drift_ppb},
          {"around_ns", fit.around_ns},
          {"uncertainty_ns", fit.uncertainty_ns}};
}

Json json_of(const SplitPanes& panes, const Session& session) {
  Json list = Json::array();
  for (const Document* document : panes.shown(session)) {
    const bool ready = document->state() == Document::State::ready;
    const auto* const timeline = document->as<TimelinePanel>();
    Json view = ready && timeline != nullptr ? json_of(timeline->shown()) : Json();
    const bool snapshot = ready && document->kind() == PageKind::snapshot;
    const auto times = document->time_pane();
    list.push_back({{"file", document->path().string()},
                    {"active", document == session.active_document()},
                    {"origin_unix_ns", times ? Json(times->clock.origin_unix_ns) : Json()},
                    {"shows_time", times && times->shows_time},
                    {"view", std::move(view)},
                    {"snapshot", snapshot ? json_of(*document->page()) : Json()}});
  }
  return {{"mode", text_of(panes.view().mode())},
          {"link", text_of(panes.link())},
          {"fit", panes.link().fit ? json_of(*panes.link().fit) : Json()},
          {"link_rests", panes.link_rests()},
          {"bytes_wanted", panes.bytes().wanted()},
          {"bytes_shared", panes.bytes().holds()},
          {"bytes_button", panes.bytes_button() ? place_json(*panes.bytes_button()) : Json()},
          {"panes", list}};
}

Json json_of(const FileBrowser& browser) {
  if (!browser.visible()) return {};
  const FileBrowser::Places& places = browser.places();
  return {{"folder", browser.folder().string()},
          {"name", browser.name()},
          {"confirms", browser.confirms()},
          {"entries", browser.first_names()},
          {"home", place_json(places.home)},
          {"date", place_json(places.date)},
          {"choose_folder", place_json(places.folder)}};
}

Json start_json(const Ui& ui) {
  Json files = Json::array();
  const std::vector<ImVec2>& places = ui.start_page().recent_places();
  for (std::size_t i = 0; i < std::min(places.size(), ui.recent().files().size()); ++i) {
    const RecentFile& file = ui.recent().files()[i];
    files.push_back({{"path", file.path.string()},
                     {"kind", file.facts.kind},
                     {"verdict", file.facts.verdict},
                     {"missing", ui.recent().status(file).absent.string()},
                     {"place", place_json(places[i])}});
  }
  return {{"places", places_json(ui.start_page().places())}, {"recent", files}};
}

/// Returns the buttons of the window bar, the open menu and its rows.
Json menus_json(const Ui& ui) {
  const MenuView& view = ui.menus().view();
  Json rows = Json::object();
  for (const MenuView::Drawn& row : view.drawn()) {
    rows[row.name] = {{"place", place_json(row.center)},
                      {"available", row.available},
                      {"chosen", row.chosen},
                      {"reason", row.reason}};
  }
  Json recent = Json::array();
  for (const ImVec2& place : ui.menus().recent_places()) recent.push_back(place_json(place));
  return {{"buttons", places_json(ui.tool_bar().places)},
          {"open", view.is_open() ? Json(name_of(view.root())) : Json()},
          {"rows", rows},
          {"recent", recent}};
}

const char* text_of(BoxEntry::Kind kind) {
  constexpr std::array kNames{"search", "name", "completion", "command", "table",  "file",
                              "sql",    "time", "step",       "event",   "nothing"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json json_of(const SearchBox& box) {
  const Box& place = box.place();
  Json json = {{"open", box.is_open()}, {"place", {place.left, place.top, place.right, place.bottom}}};
  if (!box.is_open()) return json;
  Json entries = Json::array();
  for (const BoxEntry& entry : box.entries()) {
    entries.push_back({{"kind", text_of(entry.kind)},
                       {"title", entry.title},
                       {"detail", entry.detail},
                       {"available", entry.available}});
  }
  json["text"] = box.text();
  json["chosen"] = box.chosen();
  json["entries"] = entries;
  return json;
}

Json json_of(const TraceChooser& chooser) {
  if (!chooser.visible()) return {};
  Json list = Json::array();
  for (std::size_t i = 0; i < chooser.traces().size(); ++i) {
    list.push_back({{"name", chooser.traces()[i].name}, {"marked", chooser.marked(i)}});
  }
  const TraceChooser::Places& places = chooser.places();
  return {{"container", chooser.container().string()},
          {"cursor", chooser.cursor()},
          {"area", {places.left, places.top, places.width, places.height}},
          {"open_all", {places.open_all.x, places.open_all.y}},
          {"open_job", {places.open_job.x, places.open_job.y}},
          {"traces", list}};
}

}  // namespace

std::string state_json(const Session& session, const Ui& ui, const DrawnFrame& frame) {
  Json documents = Json::array();
  for (std::size_t i = 0; i < session.size(); ++i) documents.push_back(json_of(session.document(i)));
  const Document* active = session.active_document();
  const auto* const timeline = active != nullptr ? active->as<TimelinePanel>() : nullptr;
  Json bookmarks;
  if (timeline != nullptr) {
    bookmarks = {{"list", json_of(active->bookmarks())},
                 {"message", active->bookmarks().message()},
                 {"editing", timeline->editing_bookmark()}};
  }
  Json json = {
      {"frame", frame.number},
      {"rendered", frame.rendered},
      {"documents", documents},
      {"active", session.empty() ? Json() : Json(session.active())},
      {"view", timeline != nullptr ? json_of(timeline->shown()) : Json()},
      {"bookmarks", bookmarks},
      {"split", json_of(ui.panes(), session)},
      {"views", places_json(ui.view_bar().places())},
      {"scope_chip", place_json(ui.view_bar().scope_place())},
      {"search", Json()},
      {"tables", Json()},  // filled by the pages of the drawer
      {"range", Json()},
      {"compare", Json()},
      {"flame", Json()},
      {"complete", ui.complete()},
      {"settled", ui.complete() && frame.fonts_complete && frame.resting && ui.sleep_seconds() > 0},
      {"title", ui.window_title()},
      {"help", ui.help_open()},
      {"help_lines", ui.help_lines()},
      {"interface_scale", ui.appearance().interface_scale()},
      {"trust", trust_json(ui)},
      {"tour", ui.tour_step()},
      {"record", ui.record_sheet_open()},
      {"box", json_of(ui.box())},
      {"menus", menus_json(ui)},
      {"choosing", json_of(ui.chooser())},
      {"debug", ui.debug_open()},
      {"color_by", text_of(ui.appearance().look().color_mode)},
      {"shown_color_by", timeline != nullptr ? Json(text_of(timeline->look().shown_mode())) : Json()},
      {"full_names", ui.appearance().look().full_names},
      {"dragging", ui.dragging() == Dragging::selects ? "selects" : "pans"},
      {"language", code_of(language())},
      {"units", name_of(byte_units())},
      {"note", ui.appearance().language_choice().note()},
      {"told", ui.told()},
      {"browser", json_of(ui.browser())},
      {"start", session.empty() ? start_json(ui) : Json()},
      {"theme", ui.theme().dark ? "dark" : "light"},
      {"frame_cpu_ms", frame.cpu_ms}};
  for (std::size_t i = 0; i < kPageKindCount; ++i) {
    const auto kind = static_cast<PageKind>(i);
    // A timeline adds its members to the top level.
    if (kind == PageKind::none || kind == PageKind::timeline) continue;
    json[name_of(kind)] = active != nullptr && active->kind() == kind ? json_of(*active->page()) : Json();
  }
  if (timeline != nullptr) timeline->write_test_state(json);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kino
