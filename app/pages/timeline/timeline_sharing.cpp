#include "app/pages/timeline/timeline_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/pages/timeline/note_ranges.hpp"
#include "app/pages/timeline/timeline_svg.hpp"
#include "app/pages/timeline/track_memory.hpp"
#include "app/system/file_downloads.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {
TimelineSharing::TimelineSharing(std::shared_ptr<const EventDetails> details, std::filesystem::path file,
                                 WorkerPool& pool, std::function<void()> wake)
    : details_(std::move(details)),
      file_(std::move(file)),
      pool_(pool),
      wake_(std::move(wake)),
      picture_(file_, "", pool_, wake_),
      note_(file_, pool_, wake_),
      packed_(file_, pool_, wake_) {}

void TimelineSharing::save_svg(const TimelineState& state, const SliceStyle& look, const Steps* steps,
                               const Theme& theme) {
  picture_.save_svg([drawing = timeline_drawing(state, look, steps, theme, file_.filename().string(),
                                                ImGui::GetFontSize())](const std::stop_token& stop) {
    return timeline_svg(drawing, stop);
  });
}

void TimelineSharing::save_note(const Note& note) {
  note_.save([text = note_json(note)](const std::stop_token&) { return text; }, ".note", ".json");
}

void TimelineSharing::save_trimmed(const TimelineState& state) {
  if (!state.marked.range() || state.marked.dragging()) {
    show_toast(tr(Text::trim_needs_range), true);
    return;
  }
  if (trimmed_.running()) return;
  const auto trim = [this, range = *state.marked.range()](const std::filesystem::path& chosen) {
    show_toast(filled(Text::trim_running, {chosen.filename().string()}), false);
    trimmed_.start(pool_, wake_, [details = details_, range, chosen](const std::stop_token& stop) {
      std::atomic<std::uint64_t> bytes_read{0};
      return std::make_shared<Trimmed>(Trimmed{chosen, details->write_part(range, chosen, bytes_read, stop)});
    });
  };
  const std::string name = file_.filename().string();
  const std::string extension = name.ends_with(".json") ? ".json" : ".json.gz";
  request_save_path(suggested_name(file_, ".part", extension), asker_, trim);
}

void TimelineSharing::save_capsule(const TimelineState& state, const Note& note, bool redacted) {
  if (!state.marked.dragging()) packed_.save({state.marked.range(), note_json(note), redacted, {}});
}

void TimelineSharing::draw(ImDrawList& list, const TimelineState& state) {
  picture_.draw(list, state.boxes.picture(), state.framebuffer_scale);
}

void TimelineSharing::update() {
  if (picture_.update()) show_toast(picture_.message(), picture_.failed());
  if (note_.update()) show_toast(note_.message(), note_.failed());
  report_trimmed();
  packed_.update();
}

void TimelineSharing::report_trimmed() {
  const std::shared_ptr<Trimmed>* done = trimmed_.poll();
  if (done == nullptr && !trimmed_.failed()) return;
  if (done == nullptr) {
    show_toast(filled(Text::table_not_saved, {tr(Text::trim_no_memory)}), true);
  } else if (!(*done)->report.ok()) {
    show_toast(filled(Text::table_not_saved, {in_language((*done)->report.error().what)}), true);
  } else {
    const TrimReport& report = (*done)->report.value();
    show_toast(filled(Text::trim_saved,
                      {grouped(report.events), text_from_bytes(report.bytes), report_saved((*done)->file)}),
               false);
  }
  trimmed_.reset();
}

Moment moment_of(const TimelineState& state) {
  const Trace& trace = *state.trace;
  Moment moment;
  const TimeView& view = state.navigation.view();
  constexpr double kMost = 4e18;
  const TimeRange seen{static_cast<std::int64_t>(std::clamp(std::floor(view.begin_ns), -kMost, kMost)),
                       static_cast<std::int64_t>(std::clamp(std::ceil(view.end_ns()), -kMost, kMost))};
  if (seen.begin_ns < seen.end_ns) moment.view = unix_range(trace, seen);
  if (state.marked.range()) moment.marked = unix_range(trace, *state.marked.range());
  if (state.selection.slice != kNoSlice) moment.slice = moment_slice(trace, state.selection.slice);
  return moment;
}

void go_to_moment(TimelineState& state, const Moment& moment) {
  const Trace& trace = *state.trace;
  const SliceId slice = moment.slice ? find_moment_slice(trace, *moment.slice) : kNoSlice;
  if (slice != kNoSlice) {
    state.choose({slice, kNoInstant}, false);
    state.reveal_selection = true;
  }
  if (const auto marked = trace_range(trace, moment.marked)) state.marked.set(*marked);
  const std::optional<TimeRange> view = trace_range(trace, moment.view);
  if (view) {
    state.navigation.show(*view);
  } else if (slice != kNoSlice) {
    state.follow_selection = true;
  }
  const bool lost = (moment.view && !view) || (moment.slice && slice == kNoSlice);
  if (lost) show_toast(tr(Text::link_not_in_trace), true);
}

Note note_of(const TimelineState& state, const SearchBar& search) {
  Note note;
  note.moment = moment_of(state);
  note.tracks = json_from_arrangement(state.rows(), state.arrangement);
  note.query = search.query();
  note.only_matches = search.only_matches();
  if (state.marked.range()) note.marked_tracks = note_tracks(state, state.marked.tracks());
  note.ranges = note_ranges(state);
  return note;
}

void open_note(TimelineState& state, SearchBar& search, SearchHits& hits, const Note& note) {
  Arrangement arrangement = Arrangement::defaults(*state.trace);
  arrangement.add_tracks(state.rows());
  apply_arrangement_json(note.tracks, state.rows(), arrangement);
  state.arrangement = std::move(arrangement);
  state.layout_stale = true;
  state.track_bar_open = !state.arrangement.filter.empty() || state.arrangement.hidden_count() > 0;
  if (note.query.empty()) {
    search.close(hits);
  } else {
    search.look_for(note.query, hits);
    search.show_only_matches(note.only_matches);
  }
  state.search_open = search.is_open();
  go_to_moment(state, note.moment);
  if (note.moment.marked && note.marked_tracks && state.marked.range()) {
    std::vector<std::uint32_t> tracks = tracks_of_note(state, *note.marked_tracks);
    if (!tracks.empty()) state.marked.cover(std::move(tracks));
  }
  const std::size_t lost = restore_note_ranges(state, note.ranges);
  if (lost > 0)
    show_toast(filled(Text::note_ranges_missing, {grouped(lost), grouped(note.ranges.size())}), true);
}

}  // namespace kino
