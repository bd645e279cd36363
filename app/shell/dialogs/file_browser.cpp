#include "app/shell/dialogs/file_browser.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/system/enough_memory.hpp"
#include "app/ui/text/local_date.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/widgets/field_focus.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

std::filesystem::path home_folder() {
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? home : "/";
}

std::string label_of_folder(const std::filesystem::path& folder) {
  return escaped(folder.has_filename() ? folder.filename().string() : folder.string());
}

}  // namespace

FileBrowser::FileBrowser(std::function<void()> wake) : wake_(std::move(wake)) {}

void FileBrowser::show(const std::filesystem::path& folder, FileWish wish) {
  visible_ = true;
  wish_ = std::move(wish);
  saving_ = !wish_.save_as.empty();
  name_ = wish_.save_as;
  marked_.clear();
  enter(folder);
}

void FileBrowser::enter(const std::filesystem::path& folder) {
  if (may_enter_ && !may_enter_(folder)) {
    problem_ = filled(Text::serve_outside, {folder.filename().string()});
    return;
  }
  came_from_ = folder == folder_.parent_path() ? folder_.filename().string() : std::string();
  folder_ = folder;
  filter_.clear();
  typed_folder_.clear();
  replaces_.clear();
  matches_.clear();
  marked_.clear();
  listing_ = {};
  problem_.clear();
  cursor_ = 0;
  focus_filter_ = true;
  reading_ = true;
  // This assignment stops the reader of the previous folder.
  reader_ = std::jthread([this, folder](const std::stop_token& stop) {
    Result<DirectoryListing> listing = Error{Error::Kind::out_of_memory, {}};
    run_catching_bad_alloc([&] { listing = list_directory(folder, stop); });
    {
      const std::lock_guard lock(mutex_);
      read_ = std::move(listing);
    }
    wake_();
  });
}

void FileBrowser::take_listing() {
  if (!reading_) return;
  std::optional<Result<DirectoryListing>> read;
  {
    const std::lock_guard lock(mutex_);
    read = std::exchange(read_, std::nullopt);
  }
  if (!read) return;
  if (!read->ok()) {
    if (read->error().kind == Error::Kind::cancelled) return;
    const bool full = read->error().kind == Error::Kind::out_of_memory;
    problem_ = full ? tr(Text::not_enough_memory) : in_language(read->error().what);
  } else if (read->value().folder != folder_) {
    return;
  } else {
    listing_ = std::move(*read).value();
  }
  reading_ = false;
  apply_filter();
  for (std::size_t i = 0; i < matches_.size(); ++i) {
    if (!came_from_.empty() && listing_.entries[matches_[i]].name == came_from_) cursor_ = i;
  }
  scroll_to_cursor_ = true;
}

void FileBrowser::apply_filter() {
  const std::optional<std::filesystem::path> typed = typed_path(filter_, folder_, home_folder());
  const bool here = typed && !filter_.ends_with('/') && typed->parent_path() == folder_;
  matches_ = matching_entries(listing_, here ? typed->filename().string() : typed ? std::string() : filter_);
  sort_entries(listing_, order_, descending_, matches_);
  cursor_ = 0;
  if (marked_.size() == 1) marked_.clear();  // so that Enter opens the entry at the cursor
  scroll_to_cursor_ = true;
}

std::vector<std::filesystem::path> FileBrowser::draw(const Theme& theme) {
  if (!visible_) return {};
  take_listing();
  const std::string title = with_id(wish_.title, "files");
  if (!ImGui::IsPopupOpen(title.c_str())) ImGui::OpenPopup(title.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSize(
      ImVec2(std::min(60 * em, display.x - 2 * em), std::min(40 * em, display.y - 2 * em)));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar;
  if (ImGui::BeginPopupModal(title.c_str(), &visible_, kFlags)) {
    handle_keys();
    draw_path(theme);
    draw_entries(theme);
    draw_buttons(theme);
    if (!chosen_.empty()) visible_ = false;
    if (!visible_) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  return std::exchange(chosen_, {});
}

void FileBrowser::handle_keys() {
  if (key_pressed(NamedKey::escape)) visible_ = false;
  // The field handles Backspace later in this frame, so it still contains the text from before the key.
  const bool was_empty = saving_ ? name_.empty() : filter_.empty();
  if (was_empty && key_pressed(NamedKey::backspace) && folder_.has_relative_path())
    enter(folder_.parent_path());
  if (matches_.empty() || saving_) return;
  if (key_pressed(NamedKey::down, true)) cursor_ = std::min(cursor_ + 1, matches_.size() - 1);
  if (key_pressed(NamedKey::up, true) && cursor_ > 0) --cursor_;
  if (key_pressed(NamedKey::down, true) || key_pressed(NamedKey::up, true)) {
    scroll_to_cursor_ = true;
    typed_folder_.clear();
    if (marked_.size() == 1) marked_.clear();
  }
}

void FileBrowser::draw_path(const Theme& theme) {
  std::filesystem::path target;
  std::filesystem::path so_far;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  if (ImGui::Button(tr(Text::files_home))) target = home_folder();
  places_.home = item_center();
  if (ImGui::IsItemHovered()) wrapped_tooltip(escaped(home_folder().string()));
  ImGui::SameLine();
  bool first = true;
  for (const std::filesystem::path& part : folder_) {
    so_far /= part;
    const std::string label = part == "/" ? "/" : escaped(part.string());
    if (!first) {
      ImGui::SameLine(0, 0);
      if (so_far.parent_path() != so_far.root_path()) {
        ImGui::AlignTextToFramePadding();
        colored_text(theme.text_dim, "/");
        ImGui::SameLine(0, 0);
      }
      if (ImGui::GetCursorPosX() + flat_button_width(label.c_str()) > right) ImGui::NewLine();
    }
    first = false;
    ImGui::PushID(so_far.c_str());
    if (flat_button(label.c_str(), tr(Text::files_go_to_folder))) target = so_far;
    ImGui::PopID();
  }
  if (focus_filter_) focus_next_field();
  focus_filter_ = false;
  ImGui::SetNextItemWidth(-1);
  if (saving_) {
    draw_name();
  } else {
    const bool entered = ImGui::InputTextWithHint("##filter", tr(Text::files_filter), &filter_,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    if (ImGui::IsItemEdited()) {
      problem_.clear();
      typed_folder_.clear();
      apply_filter();
    }
    if (entered) {
      const std::optional<std::filesystem::path> typed = typed_path(filter_, folder_, home_folder());
      typed ? open_typed(*typed) : open_cursor();
    }
  }
  if (!problem_.empty()) wrapped_text(theme.error, problem_);
  if (!target.empty()) enter(target);
}

void FileBrowser::draw_name() {
  // Without AutoSelectAll, the field keeps the cursor of its previous use.
  const bool entered =
      ImGui::InputTextWithHint("##name", tr(Text::files_name), &name_,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemEdited()) replaces_.clear();
  if (entered) save_here();
}

void FileBrowser::save_here() {
  focus_filter_ = true;
  problem_.clear();
  if (name_.empty()) return;
  // If the name is an absolute path, operator/ ignores the folder.
  const std::filesystem::path target = (folder_ / name_).lexically_normal();
  std::error_code code;
  if (std::filesystem::is_directory(target, code)) {
    name_.clear();
    enter(target);
    return;
  }
  if (std::filesystem::exists(target, code) && replaces_ != target) {
    replaces_ = target;
  } else {
    chosen_.push_back(target);
  }
}

void FileBrowser::draw_entries(const Theme& theme) {
  const float buttons = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_NoSavedSettings;
  const float height = std::max(ImGui::GetFontSize() * 3, ImGui::GetContentRegionAvail().y - buttons);
  if (!ImGui::BeginTable("entries", 3, kFlags, ImVec2(0, height))) return;
  const float em = ImGui::GetFontSize();
  constexpr ImGuiTableColumnFlags kFixed =
      ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending;
  ImGui::TableSetupColumn(tr(Text::files_column_name),
                          ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_DefaultSort);
  ImGui::TableSetupColumn(tr(Text::files_column_size), kFixed, em * 6);
  ImGui::TableSetupColumn(tr(Text::files_column_date), kFixed, em * 9.5F);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  places_.date = item_center();
  take_order();
  if (matches_.empty()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    colored_text(theme.text_dim, tr(reading_ ? Text::files_reading : Text::files_no_match));
  }
  const float row_height = ImGui::GetTextLineHeightWithSpacing();
  if (std::exchange(scroll_to_cursor_, false)) {
    const float top = static_cast<float>(cursor_) * row_height;
    if (top < ImGui::GetScrollY() || top + 2 * row_height > ImGui::GetScrollY() + height) {
      ImGui::SetScrollY(std::max(0.0F, top - height / 2));
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(matches_.size()));
  bool left_folder = false;
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd && !left_folder; ++i) {
      draw_entry(static_cast<std::size_t>(i), theme);
      left_folder = matches_.empty();
    }
    if (left_folder) {
      clipper.End();
      break;
    }
  }
  ImGui::EndTable();
}

void FileBrowser::draw_entry(std::size_t position, const Theme& theme) {
  const DirectoryEntry& entry = listing_.entries[matches_[position]];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(position));
  const bool marked = saving_ ? entry.name == name_ : position == cursor_ || marked_.contains(entry.name);
  const bool clicked = ImGui::Selectable("##entry", marked, ImGuiSelectableFlags_SpanAllColumns);
  ImGui::SameLine(0, 0);
  const std::string name = escaped(entry.name) + (entry.folder ? "/" : "");
  const std::string shown = fitted_in_middle(name, ImGui::GetContentRegionAvail().x);
  const bool plain = entry.openable && wish_.files;
  colored_text(entry.folder ? theme.accent : plain ? theme.text : theme.text_dim, shown);
  ImGui::TableNextColumn();
  if (!entry.folder)
    right_aligned_text(theme.text_dim, text_from_bytes(static_cast<double>(entry.size_bytes)));
  ImGui::TableNextColumn();
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (entry.modified_ns != 0) right_aligned_text(theme.text_dim, local_date(entry.modified_ns / kSecond));
  ImGui::PopID();
  if (clicked) click(position);
}

void FileBrowser::click(std::size_t position) {
  const DirectoryEntry& entry = listing_.entries[matches_[position]];
  const ImGuiIO& io = ImGui::GetIO();
  const std::size_t before = std::exchange(cursor_, position);
  typed_folder_.clear();
  if (entry.folder) {
    enter(folder_ / entry.name);
  } else if (saving_) {
    name_ = entry.name;
    replaces_.clear();
    focus_filter_ = true;
  } else if (!wish_.files) {
    focus_filter_ = true;
  } else if (io.KeyShift) {
    for (std::size_t i = std::min(before, position); i <= std::max(before, position); ++i) {
      const DirectoryEntry& between = listing_.entries[matches_[i]];
      if (!between.folder) marked_.insert(between.name);
    }
  } else if (io.KeyCtrl) {
    if (marked_.erase(entry.name) == 0) marked_.insert(entry.name);
  } else {
    // The second click of a double click opens the file.
    const bool again =
        marked_.size() == 1 && marked_.contains(entry.name) && ImGui::GetIO().MouseClickedCount[0] > 1;
    marked_ = {entry.name};
    if (again) choose_marked();
  }
}

void FileBrowser::open_cursor() {
  focus_filter_ = true;
  if (!wish_.files && filter_.empty() && folder_at_cursor() == nullptr) return choose_folder(folder_);
  if (cursor_ >= matches_.size()) return;
  const DirectoryEntry& entry = listing_.entries[matches_[cursor_]];
  if (entry.folder && marked_.empty()) {
    enter(folder_ / entry.name);
    return;
  }
  if (!wish_.files) return;
  if (marked_.empty()) marked_ = {entry.name};
  choose_marked();
}

void FileBrowser::open_typed(const std::filesystem::path& path) {
  focus_filter_ = true;
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    enter(path);
    if (problem_.empty()) typed_folder_ = path;
  } else if (wish_.files && std::filesystem::exists(path, code)) {
    chosen_.push_back(path);
  } else {
    problem_ = filled(Text::path_missing, {escaped(path.string())});
  }
}

/// Sorts the entries after a click on the header of a column.
void FileBrowser::take_order() {
  ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty || specs->SpecsCount < 1) return;
  specs->SpecsDirty = false;
  order_ = static_cast<EntryOrder>(specs->Specs[0].ColumnIndex);
  descending_ = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  sort_entries(listing_, order_, descending_, matches_);
  cursor_ = 0;
  focus_filter_ = true;  // the click on the header took the keyboard
}

std::vector<std::string> FileBrowser::first_names() const {
  constexpr std::size_t kMostNames = 50;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostNames, matches_.size()); ++i)
    names.push_back(listing_.entries[matches_[i]].name);
  return names;
}

const DirectoryEntry* FileBrowser::folder_at_cursor() const {
  if (!marked_.empty() || cursor_ >= matches_.size()) return nullptr;
  if (!wish_.files && typed_folder_ == folder_) return nullptr;  // the typed folder is the choice
  const DirectoryEntry& entry = listing_.entries[matches_[cursor_]];
  return entry.folder ? &entry : nullptr;
}

void FileBrowser::choose_marked() {
  for (const std::string& name : marked_) chosen_.push_back(folder_ / name);
}

/// The folder to which the button refers: the one at the cursor, else the typed one, else the listed one.
std::filesystem::path FileBrowser::folder_to_choose() const {
  const std::optional<std::filesystem::path> typed = typed_path(filter_, folder_, home_folder());
  const bool here = !typed || (!filter_.ends_with('/') && typed->parent_path() == folder_);
  const DirectoryEntry* const entry = folder_at_cursor();
  if (entry != nullptr && here) return folder_ / entry->name;
  return typed.value_or(folder_);
}

void FileBrowser::choose_folder(const std::filesystem::path& folder) {
  std::error_code code;
  if (may_enter_ && !may_enter_(folder)) {
    problem_ = filled(Text::serve_outside, {folder.filename().string()});
  } else if (!std::filesystem::is_directory(folder, code)) {
    problem_ = filled(Text::path_missing, {escaped(folder.string())});
  } else {
    chosen_.push_back(folder);
  }
}

// Draws the button that opens files or enters a folder, and the button that chooses a folder.
void FileBrowser::draw_open_buttons() {
  const DirectoryEntry* const folder = folder_at_cursor();
  if (wish_.files || folder != nullptr) {
    ImGui::BeginDisabled(marked_.empty() && matches_.empty());
    const Text does = folder != nullptr ? Text::files_enter_folder : Text::open;
    if (ImGui::Button(with_id(does, "choose").c_str())) open_cursor();
    ImGui::EndDisabled();
    ImGui::SameLine();
  }
  if (!marked_.empty()) return;
  const std::filesystem::path target = folder_to_choose();  // the button may have entered another folder
  const std::string name = fitted_in_middle(label_of_folder(target), 16 * ImGui::GetFontSize());
  if (ImGui::Button((filled(wish_.choose, {name}) + "###folder").c_str())) choose_folder(target);
  places_.folder = item_center();
  if (ImGui::IsItemHovered()) wrapped_tooltip(escaped(target.string()));
  ImGui::SameLine();
}

void FileBrowser::draw_buttons(const Theme& theme) {
  if (saving_) {
    ImGui::BeginDisabled(name_.empty());
    const Text does = replaces_.empty() ? Text::files_save : Text::files_replace;
    if (ImGui::Button(with_id(does, "choose").c_str())) save_here();
    ImGui::EndDisabled();
    ImGui::SameLine();
  } else {
    draw_open_buttons();
  }
  if (ImGui::Button(tr(Text::cancel))) visible_ = false;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const std::string note = saving_ ? tr(replaces_.empty() ? Text::files_save_hint : Text::files_replace_hint)
                           : marked_.size() > 1 ? filled(Text::files_marked, {grouped(marked_.size())})
                           : listing_.cut       ? tr(Text::files_cut)
                           : wish_.files        ? tr(Text::files_mark_hint)
                                                : "";
  colored_text(replaces_.empty() ? theme.text_dim : theme.warning,
               fitted_in_middle(note, ImGui::GetContentRegionAvail().x));
}

}  // namespace kino
