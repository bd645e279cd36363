#include "app/session.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "app/texts.hpp"
#include "loaders/trace_path.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

std::string short_file_name(const std::filesystem::path& path) {
  static constexpr std::array kExtensions = {".gz"sv,    ".zst"sv, ".xz"sv,       ".bz2"sv,    ".lz4"sv,
                                             ".tgz"sv,   ".tar"sv, ".zip"sv,      ".7z"sv,     ".json"sv,
                                             ".trace"sv, ".pt"sv,  ".pt_trace"sv, ".pickle"sv, ".pkl"sv};
  if (is_standard_input(path)) return tr(Text::standard_input);
  std::string name = path.filename().string();
  for (const std::string_view extension : kExtensions) {
    if (name.size() > extension.size() && name.ends_with(extension)) {
      name.resize(name.size() - extension.size());
    }
  }
  return name;
}

// The last `folders` folders of `path` and its short name: "run2/rank0/trace".
std::string name_with_folders(const std::filesystem::path& path, int folders) {
  std::string name = short_file_name(path);
  std::filesystem::path folder = path.parent_path();
  for (int i = 0; i < folders && folder.has_filename(); ++i) {
    name.insert(0, folder.filename().string() + "/");
    folder = folder.parent_path();
  }
  return name;
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code code;
  return a == b || std::filesystem::equivalent(a, b, code);
}

}  // namespace

std::vector<std::string> tab_titles(std::span<const std::filesystem::path> paths) {
  constexpr int kMostFolders = 4;
  std::vector<std::string> titles;
  titles.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    const auto taken = [&](auto name_of) {
      return std::ranges::any_of(paths, [&](const std::filesystem::path& other) {
        return other != path && name_of(other) == name_of(path);
      });
    };
    std::string title = short_file_name(path);
    if (taken(short_file_name)) title = path.filename().string();
    if (taken([](const std::filesystem::path& any) { return any.filename().string(); })) {
      int folders = 1;
      const auto name = [&](const std::filesystem::path& any) { return name_with_folders(any, folders); };
      while (folders < kMostFolders && taken(name)) ++folders;
      title = name(path);
    }
    titles.push_back(std::move(title));
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto before = std::ranges::count(paths.subspan(0, i), paths[i]);
    if (before > 0) titles[i] += " (" + std::to_string(before + 1) + ")";
  }
  return titles;
}

Session::Session(std::function<void()> wake, std::function<void(const Document&)> failed,
                 std::filesystem::path bookmarks_folder, OpenOptions options)
    : wake_(std::move(wake)),
      failed_(std::move(failed)),
      bookmarks_folder_(std::move(bookmarks_folder)),
      options_(std::move(options)),
      watch_(wake_) {}

Session::~Session() {
  // All loaders stop at the same time instead of one after the other.
  for (const auto& document : documents_) document->request_stop();
}

void Session::open(std::span<const std::filesystem::path> paths) {
  bool first = true;
  for (const std::filesystem::path& given : paths) {
    std::error_code code;
    std::filesystem::path path = is_standard_input(given) ? given : std::filesystem::absolute(given, code);
    if (code) path = given;
    const auto open_already = std::ranges::find_if(documents_, [&](const auto& document) {
      const bool shows = document->state() != Document::State::failed || document->shows_content();
      return shows && same_file(document->path(), path);
    });
    const auto index = static_cast<std::size_t>(open_already - documents_.begin());
    if (open_already == documents_.end()) {
      documents_.push_back(
          std::make_unique<Document>(std::move(path), options_, bookmarks_folder_, pool_, wake_));
    } else if ((*open_already)->state() == Document::State::failed) {
      (*open_already)->reload();
    }
    if (std::exchange(first, false)) active_ = index;
  }
  update_titles();
}

void Session::open_again(std::size_t index) {
  if (documents_[index]->state() != Document::State::ready) return;
  const auto behind = documents_.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  documents_.insert(behind, std::make_unique<Document>(*documents_[index], bookmarks_folder_));
  active_ = index + 1;
  update_titles();
}

void Session::close(std::size_t index) {
  documents_[index]->request_stop();
  closing_.push_back(std::move(documents_[index]));
  documents_.erase(documents_.begin() + static_cast<std::ptrdiff_t>(index));
  if (active_ > index || (active_ == documents_.size() && active_ > 0)) --active_;
  update_titles();
}

// True when it changed.
bool Session::take_over(std::size_t index) {
  Document& document = *documents_[index];
  const Document::State before = document.state();
  if (!document.poll()) return false;
  if (document.state() == before) return true;
  if (document.state() == Document::State::ready) opened_.push_back(document.path());
  if (document.state() != Document::State::failed) return true;
  if (document.error().kind == Error::Kind::several_traces) {
    choices_.push_back({document.path(), document.choices(), document.error()});
    close(index);
  } else if (document.error().kind != Error::Kind::cancelled) {
    failed_(document);
  } else if (!document.shows_content()) {
    close(index);
  }
  return true;
}

bool Session::poll(bool mouse_held) {
  bool changed = false;
  for (std::size_t i = documents_.size(); i-- > 0;) {
    if (mouse_held && i == active_ && documents_[i]->shows_content()) continue;
    changed = take_over(i) || changed;
  }
  for (const auto& document : documents_) {
    const Document::Notice before = document->notice();
    const auto& file = document->watched_file();
    if (const auto look = file ? watch_.last(*file) : std::nullopt) document->note_disk(*look);
    changed = changed || document->notice() != before;
  }
  const auto stopped = [](const auto& document) { return document->loader_done(); };
  return std::erase_if(closing_, stopped) > 0 || changed;
}

void Session::activate(std::size_t index) {
  if (index < documents_.size()) active_ = index;
}

void Session::activate_neighbour(int step) {
  if (documents_.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(documents_.size());
  active_ = static_cast<std::size_t>((static_cast<std::ptrdiff_t>(active_) + step + count) % count);
}

bool Session::loading() const {
  return std::ranges::any_of(documents_, [](const auto& document) { return document->loading(); });
}

void Session::update_titles() {
  std::vector<std::filesystem::path> paths;
  paths.reserve(documents_.size());
  std::vector<std::filesystem::path> watched;
  for (const auto& document : documents_) {
    paths.push_back(document->path());
    if (document->watched_file()) watched.push_back(*document->watched_file());
  }
  titles_ = tab_titles(paths);
  watch_.watch(std::move(watched));
}

}  // namespace kino
