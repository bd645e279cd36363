#include "app/shell/link_opener.hpp"

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <imgui.h>

#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

/// Returns the file that a link or note names; empty if it is not found. The path may be from another
/// machine. If it does not exist here, searches for the file name among the tabs, in `beside` (the folder of
/// the note), and in the working directory.
std::filesystem::path found_file(const std::filesystem::path& file, const std::filesystem::path& beside,
                                 const Session& session) {
  std::error_code code;
  if (is_standard_input(file) || std::filesystem::exists(split_trace_path(file).file, code)) return file;
  for (std::size_t i = 0; i < session.size(); ++i) {
    const std::filesystem::path& open_one = session.document(i).path();
    if (open_one.filename() == file.filename()) return open_one;
  }
  for (const std::filesystem::path& folder : {beside, std::filesystem::current_path(code)}) {
    if (!folder.empty() && std::filesystem::exists(folder / file.filename(), code))
      return folder / file.filename();
  }
  return {};
}

}  // namespace

std::vector<std::filesystem::path> LinkOpener::files_of(std::span<const std::filesystem::path> paths,
                                                        const Session& session, GlyphSet& glyphs) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    std::optional<MomentLink> link;
    if (path.native().find("kinetoscope:") != std::string::npos && !path.is_absolute())
      link = link_in_text(path.native());
    std::optional<ReadNote> note;
    if (!link) note = read_note(path);
    if (!link && !note) {
      files.push_back(path);
      continue;
    }
    const std::filesystem::path& named = link ? link->file : note->note.trace;
    std::filesystem::path file = found_file(named, path.parent_path(), session);
    if (file.empty()) {
      show_toast(filled(Text::link_file_missing, {named.filename().string()}), true);
      glyphs.add(named.string());
      continue;
    }
    std::error_code code;
    if (!is_standard_input(file)) file = std::filesystem::absolute(file, code);
    files.push_back(file);
    Pending pending{file, std::move(note), path, {}};
    if (link) pending.moment = link->moment;
    pending_.push_back(std::move(pending));
  }
  return files;
}

void LinkOpener::show_pending(const Session& session) {
  std::erase_if(pending_, [&session](const Pending& pending) {
    for (std::size_t i = 0; i < session.size(); ++i) {
      Document& document = session.document(i);
      std::error_code code;
      if (document.path() == pending.file || std::filesystem::equivalent(document.path(), pending.file, code))
        return show(pending, document);
    }
    return true;  // its tab was closed, or it was an archive of several traces
  });
}

bool LinkOpener::show(const Pending& pending, Document& document) {
  if (document.state() == Document::State::failed) return true;
  if (document.state() != Document::State::ready) return false;
  if (auto* const timeline = document.as<TimelinePanel>()) {
    if (!timeline->laid_out()) return false;
    if (pending.note) {
      if (!pending.note->note.bookmarks.empty()) document.bookmarks().start_import(pending.note_file);
      if (pending.note->view) timeline->open_note(pending.note->note);
    } else {
      timeline->go_to(pending.moment);
    }
  } else if (auto* const snapshot = document.as<SnapshotPanel>();
             snapshot != nullptr && pending.moment.event) {
    snapshot->go_to(static_cast<EventIndex>(*pending.moment.event));
  }
  return true;
}

void copy_link(const Document& document) {
  MomentLink link{document.path(), {}};
  if (const auto* const timeline = document.as<TimelinePanel>()) {
    link.moment = timeline->moment();
  } else if (const auto* const snapshot = document.as<SnapshotPanel>();
             snapshot != nullptr && snapshot->shown().any()) {
    link.moment.event = static_cast<std::int64_t>(snapshot->shown().cursor);
  }
  ImGui::SetClipboardText(link_text(link).c_str());
  show_toast(tr(Text::link_copied), false);
}

std::optional<std::filesystem::path> file_in_clipboard() {
  const char* clipboard = ImGui::GetClipboardText();
  const std::string text = clipboard == nullptr ? "" : clipboard;
  const std::string_view line = std::string_view(text).substr(0, text.find_first_of("\r\n"));
  std::error_code code;
  const bool path = line.starts_with('/') && std::filesystem::exists(line, code);
  if (path) return line;
  if (link_in_text(text)) return text;
  show_toast(tr(Text::link_none), true);
  return std::nullopt;
}

}  // namespace kino
