#include "app/cli/snapshot_info.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "app/cli/info_lines.hpp"
#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/shell/settings/category_rules.hpp"
#include "app/ui/text/columns_of_text.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/table_text.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/memory/tables/snapshot_tables.hpp"

namespace kino {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSegments = 12;
constexpr std::size_t kMostAllocations = 10;
constexpr std::size_t kMostAutopsies = 10;

Json frame_json(const Snapshot& snapshot, FrameId frame) {
  return frame == kNoFrame ? Json() : Json(text_of(snapshot, frame));
}

Json actions_json(const SnapshotEntries& entries) {
  std::array<std::uint64_t, kSnapshotActionCount> counts{};
  for (const SnapshotAction action : entries.action) ++counts[static_cast<std::size_t>(action)];
  Json actions = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) actions[std::string(text_of(static_cast<SnapshotAction>(i)))] = counts[i];
  }
  return actions;
}

Json segments_json(const Snapshot& snapshot, const SnapshotDevice& device) {
  const SegmentSummary sum = summarize_segments(device);
  std::vector<const SnapshotSegment*> largest;
  for (const SnapshotSegment& segment : device.segments) largest.push_back(&segment);
  std::ranges::stable_sort(largest, std::ranges::greater(),
                           [](const SnapshotSegment* segment) { return segment->size; });
  if (largest.size() > kMostSegments) largest.resize(kMostSegments);
  Json each = Json::array();
  for (const SnapshotSegment* segment : largest) {
    each.push_back({{"address", address_text(segment->addr)},
                    {"total", segment->size},
                    {"allocated", segment->allocated},
                    {"active", segment->active},
                    {"blocks", segment->block_count},
                    {"stream", snapshot.streams[segment->stream]},
                    {"type", segment->small ? "small" : "large"}});
  }
  return {{"count", sum.count},
          {"reserved", sum.reserved},
          {"allocated", sum.allocated},
          {"active", sum.active},
          {"requested_active_allocated", sum.requested_allocated},
          {"pending_free", sum.pending_free},
          {"inactive", sum.inactive},
          {"blocks", sum.blocks},
          {"small", sum.small},
          {"large", sum.large},
          {"expandable", sum.expandable},
          {"largest_free_block", sum.largest_free_block},
          {"fully_free_segments", sum.fully_free},
          {"per_segment", each},
          {"fragmentation_sumsq", sum.free_squares}};
}

Json largest_json(const Snapshot& snapshot, const SnapshotDevice& device, EventIndex event) {
  const Allocations& allocations = device.history.allocations;
  Json largest = Json::array();
  for (const AllocationId id : largest_at(device, event, kMostAllocations)) {
    const auto i = static_cast<std::size_t>(id);
    const StackId stack = allocations.stack[i];
    largest.push_back({{"addr", address_text(allocations.addr[i])},
                       {"size", allocations.size[i]},
                       {"stream", snapshot.streams[allocations.stream[i]]},
                       {"preexisting", allocations.begin[i] == kBeforeRecording},
                       {"top_frame", frame_json(snapshot, top_frame(snapshot, stack))},
                       {"top_python", frame_json(snapshot, python_frame(snapshot, stack))},
                       {"top_user", frame_json(snapshot, user_frame(snapshot, stack))}});
  }
  return largest;
}

Json time_json(const SnapshotEntries& entries, EventIndex event) {
  if (event < 0 || entries.time_us[static_cast<std::size_t>(event)] == SnapshotEntries::kNoTime) return {};
  return entries.time_us[static_cast<std::size_t>(event)];
}

const char* remedy_name(OomRemedy remedy) {
  switch (remedy) {
    case OomRemedy::one_piece:
      return "one_piece";
    case OomRemedy::other_streams:
      return "other_streams";
    case OomRemedy::pending_done:
      return "pending_done";
    case OomRemedy::other_pools:
      return "other_pools";
    case OomRemedy::all_returned:
      return "all_returned";
    case OomRemedy::without_place:
      return "place_gone";
  }
  return "";
}

/// Returns whether the setting is on; null if this is unknown.
Json expandable_json(SettingState state) {
  return state == SettingState::unknown ? Json() : Json(state == SettingState::on);
}

/// Returns all settings by name; null if no settings were recorded.
Json settings_json(const Snapshot& snapshot) {
  if (snapshot.settings.empty()) return {};
  Json settings = Json::object();
  for (const auto& [name, value] : snapshot.settings) settings[name] = value;
  return settings;
}

Json autopsies_json(const Snapshot& snapshot, const SnapshotDevice& device) {
  Json all = Json::array();
  for (const OomAnalysis& autopsy : analyze_ooms(snapshot, device, kMostAutopsies)) {
    const Fragmentation& memory = autopsy.memory;
    const auto json_of = [&](const OomPlace& place) {
      return Json{{"bytes", place.bytes},
                  {"allocations", place.count},
                  {"place", frame_json(snapshot, place.frame)},
                  {"place_is_of_free", place.of_free}};
    };
    Json ways = Json::array();
    for (const OomFix& way : autopsy.ways) {
      ways.push_back({{"remedy", remedy_name(way.remedy)}, {"bytes", way.bytes}});
      if (way.remedy == OomRemedy::without_place) ways.back()["place"] = json_of(way.place);
    }
    Json places = Json::array();
    for (const OomPlace& place : autopsy.places) places.push_back(json_of(place));
    Json setting;
    if (autopsy.setting) {
      setting = {{"expandable_segments", expandable_json(autopsy.setting->expandable_segments)},
                 {"line", autopsy.setting->line.empty() ? Json() : Json(autopsy.setting->line)}};
    }
    all.push_back({{"event", autopsy.event},
                   {"asked", autopsy.asked},
                   {"device_free", autopsy.device_free},
                   {"active", autopsy.active},
                   {"reserved", memory.reserved},
                   {"free", memory.free},
                   {"pending", memory.pending},
                   {"rounding", memory.rounding},
                   {"largest_free", memory.largest_free},
                   {"own_free", autopsy.own_free},
                   {"private_reserved", autopsy.private_reserved},
                   {"private_free", autopsy.private_free},
                   {"fits_if", ways},
                   {"setting", setting},
                   {"missing", autopsy.missing},
                   {"held_most", places}});
  }
  return all;
}

std::string place_text(const Snapshot& snapshot, const OomPlace& place) {
  if (place.frame == kNoFrame && !place.of_free) return "no stack";
  return place_of_frame(escaped(text_of(snapshot, place.frame)), place.of_free).str();
}

/// Returns a text such as "the 403 MB of model.py:120 forward".
std::string held_words(const Snapshot& snapshot, const OomFix& way) {
  return "the " + text_from_bytes(way.bytes) + " of " + place_text(snapshot, way.place);
}

/// Returns the text of a fix. Empty for OomRemedy::without_place, which held_words() describes.
std::string way_words(const OomFix& way) {
  const std::string bytes = text_from_bytes(way.bytes);
  switch (way.remedy) {
    case OomRemedy::one_piece:
      return "Enough memory was free in segments of the request's pool and stream (" + bytes +
             "), but in pieces (fragmentation)";
    case OomRemedy::other_streams:
      return "A free block of " + bytes + " was large enough, but it belongs to another stream";
    case OomRemedy::pending_done:
      return "The request would have fit if the pending " + bytes +
             " (in use by another stream) had been returned to the device";
    case OomRemedy::other_pools:
      return "Enough memory was free in total, but " + bytes + " of it belongs to other pools";
    case OomRemedy::all_returned:
      return "Enough memory was free in total, but " + bytes +
             " of it was in pieces inside segments (fragmentation)";
    case OomRemedy::without_place:
      break;
  }
  return {};
}

std::string setting_words(SettingState expandable) {
  switch (expandable) {
    case SettingState::on:
      return "Expandable segments were already enabled in this run, so setting them does not help";
    case SettingState::off:
      return "Expandable segments were disabled in this run. They release free pages before memory runs out. "
             "To enable them:";
    case SettingState::unknown:
      break;
  }
  return "The file does not record whether expandable segments were enabled. They release free pages before "
         "memory runs out. If they were disabled, enable them:";
}

void add_autopsies(std::string& out, const Snapshot& snapshot, const SnapshotDevice& device) {
  for (const OomAnalysis& autopsy : analyze_ooms(snapshot, device, kMostAutopsies)) {
    const AutopsyWords words = autopsy_text(snapshot, autopsy);
    out += "  " + words.title + "\n";
    for (const std::string& line : words.lines) out += "    " + line + "\n";
    if (!words.to_set.empty()) out += "      " + escaped(words.to_set) + "\n";
    if (!words.places.empty()) out += "    Largest users of memory\n";
    for (const auto& [held, place] : words.places)
      out += "    " + padded_left(held, 10) + "  " + place + "\n";
  }
}

/// Adds facts from the entries: out-of-memory errors, the size in the last snapshot marker, the number of
/// rows that memory_viz shows, streams, and stack depths.
void add_entry_facts(Json& json, const Snapshot& snapshot, const SnapshotDevice& device) {
  const SnapshotEntries& entries = device.entries;
  Json ooms = Json::array();
  Json last_marker;
  std::uint64_t rows = 0;
  std::uint64_t frames = 0;
  std::size_t most_frames = 0;
  std::set<std::uint64_t> streams;
  for (std::size_t i = 0; i < entries.entry_count(); ++i) {
    const SnapshotAction action = entries.action[i];
    if (action == SnapshotAction::oom) {
      ooms.push_back({{"event", i}, {"size", entries.size[i]}, {"device_free", entries.addr[i]}});
    }
    if (action == SnapshotAction::snapshot) last_marker = entries.size[i];
    const bool merged = action == SnapshotAction::free_completed && i > 0 &&
                        entries.action[i - 1] == SnapshotAction::free_requested &&
                        entries.addr[i - 1] == entries.addr[i];
    rows += merged ? 0 : 1;
    const std::size_t deep = snapshot.stacks.frames(entries.stack[i]).size();
    frames += deep;
    most_frames = std::max(most_frames, deep);
    streams.insert(snapshot.streams[entries.stream[i]]);
  }
  for (const SnapshotSegment& segment : device.segments) streams.insert(snapshot.streams[segment.stream]);
  json["oom"] = ooms;
  json["last_snapshot_size"] = last_marker;
  json["viz_rows"] = rows;
  json["streams"] = streams;
  json["frames_mean"] = entries.entry_count() > 0
                            ? static_cast<double>(frames) / static_cast<double>(entries.entry_count())
                            : 0.0;
  json["frames_max"] = most_frames;
}

Json trust_json(const SnapshotQuality& trust) {
  Json missing = Json::array();
  for (const SnapshotAction action : trust.missing_actions) missing.push_back(text_of(action));
  return {{"begins_late", trust.begins_late()},
          {"not_in_segments", trust.not_in_segments},
          {"allocated_twice", trust.allocated_twice},
          {"entries_without_stack", trust.entries_without_stack},
          {"time_backwards", trust.time_backwards},
          {"missing_actions", missing},
          {"ends_at_request", trust.ends_at_request},
          {"residual_bytes", trust.residual_bytes ? Json(*trust.residual_bytes) : Json()}};
}

/// Returns the memory live at the peak by category, as the rows of `kinetoscope table live --group category`;
/// null if the categories cannot be computed.
Json categories_json(const Snapshot& snapshot, const SnapshotDevice& device, const CategoryRuleSet& rules) {
  TableRequest request;
  request.name = kLiveTable.name;
  request.group = "category";
  request.device = device.ordinal;
  request.units = byte_units();
  const Result<Table> table = compute_snapshot_table(snapshot, request, rules);
  if (!table.ok()) return {};
  std::vector<std::uint32_t> rows(table.value().row_count());
  std::iota(rows.begin(), rows.end(), 0U);
  return Json::parse(table_json(table.value(), rows), nullptr, false);
}

Json device_json(const Snapshot& snapshot, const SnapshotDevice& device, const CategoryRuleSet& rules) {
  const SnapshotEntries& entries = device.entries;
  const AllocationHistory& history = device.history;
  const CurvePyramid& active = history.curve(MemoryCurve::requested);
  const CurvePyramid& reserved = history.curve(MemoryCurve::reserved);
  const auto last = static_cast<EventIndex>(entries.entry_count()) - 1;
  const auto recorded = std::ranges::count(history.allocations.origin.span(), AllocationOrigin::recorded);
  Json json = {{"device", device.ordinal},
               {"host", device.host},
               {"entries", entries.entry_count()},
               {"has_history", has_history(device)},
               {"actions", actions_json(entries)},
               {"segments", segments_json(snapshot, device)},
               {"elements", history.allocations.count()},
               {"alloc_events", recorded},
               {"freed_without_alloc", device.trust.freed_without_alloc},
               {"preexisting_in_segments", device.trust.unseen_in_segments},
               {"start_bytes", active.start},
               {"end_bytes", curve_at(device, MemoryCurve::requested, last)},
               {"peak_bytes", active.peak.bytes},
               {"peak_event", active.peak.event},
               {"peak_time_us", time_json(entries, active.peak.event)}};
  if (last >= 0 && entries.time_us[0] != SnapshotEntries::kNoTime) {
    json["time_us"] = {time_json(entries, 0), time_json(entries, last)};
    json["time_monotonic"] = device.trust.time_backwards == 0;
  }
  json["live_at_peak"] = live_at(history, active.peak.event).size();
  json["top10_at_peak"] = largest_json(snapshot, device, active.peak.event);
  json["categories"] = categories_json(snapshot, device, rules);
  json["reserved_start"] = reserved.start;
  json["reserved_peak"] = reserved.peak.bytes;
  json["reserved_peak_event"] = reserved.peak.event;
  add_entry_facts(json, snapshot, device);
  json["oom_autopsies"] = autopsies_json(snapshot, device);
  json["trust"] = trust_json(device.trust);
  if (const auto gap = reserved_gap(device))
    json["trust"]["above_reserved"] = text_of(*gap, byte_units()).str();
  return json;
}

const char* source_text(SnapshotSource source) {
  switch (source) {
    case SnapshotSource::pickle:
      return "pickle";
    case SnapshotSource::json:
      return "JSON";
    case SnapshotSource::html:
      return "memory_viz page";
    case SnapshotSource::memory_timeline:
      return "memory timeline";
    case SnapshotSource::trace:
      return "trace";
  }
  return "";
}

std::string event_words(EventIndex event) {
  return event < 0 ? "at the start" : "after entry " + std::to_string(event);
}

void add_trust(std::string& out, const SnapshotQuality& trust, bool history) {
  const auto say = [&](const std::string& text) { out += "  " + text + "\n"; };
  if (!history) say("No history was recorded, so only the state of the snapshot is known, not the peak");
  if (history && trust.begins_late()) {
    say(grouped(trust.freed_without_alloc + trust.unseen_in_segments) +
        " allocations are older than the recording");
  }
  if (trust.not_in_segments > 0) {
    say(grouped(trust.not_in_segments) + " allocations that are live at the end are not in a segment");
  }
  if (trust.allocated_twice > 0) {
    say(grouped(trust.allocated_twice) + " addresses were allocated again without a free");
  }
  if (trust.entries_without_stack > 0) say(grouped(trust.entries_without_stack) + " entries have no stack");
  if (trust.time_backwards > 0) {
    say(grouped(trust.time_backwards) + " entries have an earlier time than the entry before");
  }
  for (const SnapshotAction action : trust.missing_actions) {
    say("Events of kind " + std::string(text_of(action)) + " were not recorded");
  }
  if (trust.residual_bytes.value_or(0) != 0) {
    say("The active memory after the last entry differs from the segments by " +
        std::to_string(*trust.residual_bytes) + " bytes");
  }
}

void add_device(std::string& out, const Snapshot& snapshot, const SnapshotDevice& device) {
  const AllocationHistory& history = device.history;
  const SegmentSummary sum = summarize_segments(device);
  const CurvePyramid& active = history.curve(MemoryCurve::requested);
  const CurvePyramid& reserved = history.curve(MemoryCurve::reserved);
  out += (device.host ? "Host memory " : "Device ") + std::to_string(device.ordinal) + "\n";
  add_line(out, "  Entries", grouped(device.entries.entry_count()));
  add_line(out, "  Elements", grouped(history.allocations.count()) + " allocations");
  const bool moments = has_history(device);
  add_line(out, moments ? "  Peak" : "  Live",
           text_from_bytes(active.peak.bytes) + " requested " +
               (moments ? event_words(active.peak.event) : "when the snapshot was taken"));
  const auto last = static_cast<EventIndex>(device.entries.entry_count()) - 1;
  if (reserved.peak.bytes > 0) {
    const std::string at_end = text_from_bytes(sum.reserved) + (moments ? " at the end in " : " in ") +
                               grouped(sum.count) + " segments";
    const std::string at_most =
        text_from_bytes(reserved.peak.bytes) + " at the peak " + event_words(reserved.peak.event) + ", ";
    add_line(out, "  Reserved", moments ? at_most + at_end : at_end);
    add_line(out, moments ? "  At the end" : "  Active",
             text_from_bytes(sum.active) + " active (rounded blocks), largest free block " +
                 text_from_bytes(sum.largest_free_block));
  } else {
    add_line(out, "  At the end",
             text_from_bytes(curve_at(device, MemoryCurve::requested, last)) + " requested");
  }
  if (const auto gap = reserved_gap(device)) out += "  " + text_of(*gap, byte_units()).str() + "\n";
  add_trust(out, device.trust, moments);
  add_autopsies(out, snapshot, device);
  out += moments ? "  The 10 largest at the peak\n" : "  The 10 largest\n";
  std::vector<std::pair<std::string, std::size_t>> lines;  // equal lines are merged, with a count
  for (const AllocationId id : largest_at(device, active.peak.event, kMostAllocations)) {
    const auto i = static_cast<std::size_t>(id);
    const FrameId frame = place_frame(snapshot, history.allocations.stack[i]);
    const std::string words = frame == kNoFrame ? std::string() : text_of(snapshot, frame);
    std::string line = "  " + padded_left(text_from_bytes(history.allocations.size[i]), 10) + "  " +
                       escaped(of_stack_text(history.allocations, id, words).str());
    const auto equal = std::ranges::find(lines, line, &std::pair<std::string, std::size_t>::first);
    if (equal == lines.end()) {
      lines.emplace_back(std::move(line), 1);
    } else {
      ++equal->second;
    }
  }
  for (const auto& [line, count] : lines)
    out += line + (count == 1 ? "" : " (" + grouped(count) + " of the 10 have this size)") + "\n";
}

}  // namespace

std::string settings_words(const Snapshot& snapshot) {
  const AllocatorSettings settings = allocator_settings(snapshot);
  if (!settings.recorded) {
    return settings.expandable_segments == SettingState::on
               ? "not recorded; the recording shows expandable segments"
               : "not recorded";
  }
  std::string words = settings.variable + (settings.conf.empty() ? " is not set" : "=" + settings.conf);
  for (const auto& [name, value] : snapshot.settings) {
    if (name != settings.variable && !value.empty())
      words += "; " + name + " " + std::string(setting_text(value));
  }
  return words;
}

AutopsyWords autopsy_text(const Snapshot& snapshot, const OomAnalysis& autopsy) {
  const Fragmentation& memory = autopsy.memory;
  AutopsyWords words;
  words.title = "Out of memory at entry " + std::to_string(autopsy.event);
  words.lines.push_back(text_from_bytes(autopsy.asked) + " requested, with " +
                        text_from_bytes(autopsy.device_free) + " free on the device");
  words.lines.push_back(text_from_bytes(memory.reserved) + " reserved: " + text_from_bytes(autopsy.active) +
                        " requested, " + text_from_bytes(memory.free) + " free; the largest free block is " +
                        text_from_bytes(memory.largest_free));
  if (autopsy.private_reserved > 0) {
    words.lines.push_back(text_from_bytes(autopsy.private_reserved) + " reserved in private pools, " +
                          text_from_bytes(autopsy.private_free) + " of it free");
  }
  std::vector<const OomFix*> places;  // merged into one sentence
  for (const OomFix& way : autopsy.ways) {
    if (way.remedy == OomRemedy::without_place) {
      places.push_back(&way);
    } else {
      words.lines.push_back(way_words(way));
    }
  }
  for (const OomFix* const way : places) {
    if (way == places.front()) {
      words.lines.push_back("The free memory, if it were in one piece, would have been enough without " +
                            std::string(places.size() > 1 ? "one of these: " : "") +
                            held_words(snapshot, *way));
    } else {
      words.lines.back() += "; " + held_words(snapshot, *way);
    }
  }
  if (autopsy.ways.empty()) {
    words.lines.push_back("Even in one piece, all free memory would have been " +
                          text_from_bytes(autopsy.missing) + " short");
  }
  if (autopsy.setting) {
    words.lines.push_back(setting_words(autopsy.setting->expandable_segments));
    words.to_set = autopsy.setting->line;
  }
  for (const OomPlace& place : autopsy.places)
    words.places.emplace_back(text_from_bytes(place.bytes), place_text(snapshot, place));
  return words;
}

std::string snapshot_info_json(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes) {
  const Snapshot& snapshot = *opened.snapshot;
  const LoadStats& stats = opened.stats;
  Json devices = Json::array();
  const CategoryRules rules = read_category_rules(category_rules_path());
  for (const SnapshotDevice& device : snapshot.devices)
    devices.push_back(device_json(snapshot, device, rules.rules));
  const bool configured = std::ranges::any_of(
      snapshot.settings, [](const auto& setting) { return setting.first == "PYTORCH_CUDA_ALLOC_CONF"; });
  const Json json = {
      {"schema", kInfoSchema},
      {"kind", "snapshot"},
      {"file", path.string()},
      {"source", source_text(snapshot.source)},
      {"bytes", stats.text_bytes},
      {"capsule", capsule_json(opened.capsule.get())},
      {"annotations", snapshot.annotations.size()},
      {"alloc_conf", configured ? Json(snapshot.setting("PYTORCH_CUDA_ALLOC_CONF")) : Json()},
      {"settings", settings_json(snapshot)},
      {"expandable_segments", expandable_json(allocator_settings(snapshot).expandable_segments)},
      {"devices", devices},
      {"damage", damage_json(snapshot.damage)},
      {"load",
       {{"bytes", stats.text_bytes},
        {"seconds", stats.seconds},
        {"mb_per_s", stats.seconds > 0 ? static_cast<double>(stats.text_bytes) / 1e6 / stats.seconds : 0.0},
        {"model_bytes", snapshot.size_bytes()},
        {"peak_rss_bytes", peak_rss_bytes}}}};
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string snapshot_info_text(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes) {
  const Snapshot& snapshot = *opened.snapshot;
  std::string out;
  add_line(out, "File", escaped(path.string()));
  add_line(out, "Type",
           "allocator snapshot, " + text_from_bytes(opened.stats.text_bytes) + " as " +
               source_text(snapshot.source));
  if (opened.capsule != nullptr) add_line(out, "Capsule", capsule_text(*opened.capsule, "a snapshot"));
  add_line(out, "Stacks",
           grouped(snapshot.stacks.stack_count() - 1) + " unique call stacks with " +
               grouped(snapshot.stacks.frame_count()) + " unique frames");
  add_line(out, "Annotations", grouped(snapshot.annotations.size()));
  if (has_settings(snapshot.source)) add_line(out, "Settings", escaped(settings_words(snapshot)));
  for (const SnapshotDevice& device : snapshot.devices) add_device(out, snapshot, device);
  add_damage(out, snapshot.damage);
  add_line(out, "Load",
           fixed(opened.stats.seconds, 3) + " s; model " + text_from_bytes(snapshot.size_bytes()) +
               "; peak memory " + text_from_bytes(peak_rss_bytes));
  return out;
}

}  // namespace kino
