#include "app/shell/box_data.hpp"

#include <cstddef>
#include <filesystem>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

void take_on_timeline(const BoxEntry& entry, TimelinePanel& timeline) {
  switch (entry.kind) {
    case BoxEntry::Kind::sql:
      return timeline.run_sql(entry.text);
    case BoxEntry::Kind::time:
      return timeline.go_to_time(entry.number);
    case BoxEntry::Kind::step:
      return timeline.go_to_step(static_cast<std::size_t>(entry.number));
    case BoxEntry::Kind::event:
      return timeline.find_first(entry.text);
    default:
      return;
  }
}

std::vector<BoxFile> recent_of_box(const RecentFiles& recent) {
  std::vector<BoxFile> files;
  files.reserve(recent.files().size());
  for (const RecentFile& file : recent.files()) {
    files.push_back({.name = file.path.filename().string(),
                     .folder = file.path.parent_path().string(),
                     .missing = recent.status(file).kind == RecentFiles::Status::Kind::missing});
  }
  return files;
}

}  // namespace

BoxContext BoxData::context() const {
  return {.searches = searches,
          .content = content,
          .steps = steps,
          .names = names,
          .completions = &completions,
          .tables = tables,
          .files = files,
          .device = device};
}

BoxData box_data(const Session& session, const RecentFiles& recent, const std::string& typed) {
  BoxData data;
  data.files = recent_of_box(recent);
  Page* const page = session.active_page();
  if (page == nullptr) return data;
  data.searches = page->has_search();
  data.device = page->device_word();
  for (const TableInfo* const table : page->tables()) data.tables.push_back({table->name, table->title});
  auto* const timeline = page_as<TimelinePanel>(page);
  if (timeline == nullptr) return data;
  data.content = timeline->shown().trace->content;
  data.steps = timeline->steps();
  if (box_mode(typed) != BoxMode::everything) return data;
  data.names = timeline->names_like(std::string(trimmed(typed)));
  data.completions = timeline->completions(typed);
  return data;
}

Text box_hint(const Session& session) {
  const Page* const page = session.active_page();
  if (page == nullptr || !page->has_search()) return Text::box_hint_commands;
  return page->kind() == PageKind::timeline ? Text::box_hint_trace : Text::box_hint_search;
}

void take_on_page(const BoxEntry& entry, Page& page) {
  if (entry.kind == BoxEntry::Kind::table) return page.show_table(entry.table);
  if (entry.kind == BoxEntry::Kind::search || entry.kind == BoxEntry::Kind::name)
    return page.search_for(entry.text);
  if (auto* const timeline = page_as<TimelinePanel>(&page)) take_on_timeline(entry, *timeline);
}

}  // namespace kino
