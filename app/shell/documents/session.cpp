#include "app/shell/documents/session.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "app/pages/job/job_panel.hpp"
#include "app/pages/snapshot_set/snapshot_set_panel.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "loaders/bytes/trace_path.hpp"

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

// Returns the last `folders` folders of `path` and its short name: "run2/rank0/trace".
std::string name_with_folders(const std::filesystem::path& path, std::size_t folders) {
  std::string name = short_file_name(path);
  std::filesystem::path folder = path.parent_path();
  for (std::size_t i = 0; i < folders && folder.has_filename(); ++i) {
    name.insert(0, folder.filename().string() + "/");
    folder = folder.parent_path();
  }
  return name;
}

struct PathHash {
  std::size_t operator()(const std::filesystem::path& path) const {
    return std::filesystem::hash_value(path);
  }
};

/// Counts the distinct paths per name.
class NameCounts {
 public:
  template <class NameOf>
  NameCounts(std::span<const std::filesystem::path> paths, NameOf name_of) {
    for (const std::filesystem::path& path : paths) ++counts_[name_of(path)];
  }
  bool several(const std::string& name) const {
    const auto found = counts_.find(name);
    return found != counts_.end() && found->second > 1;
  }

 private:
  std::unordered_map<std::string, std::size_t> counts_;
};

std::string whole_file_name(const std::filesystem::path& path) { return path.filename().string(); }

/// Finds the document of a file by its path, or by device and inode.
class OpenFiles {
 public:
  void add(const std::filesystem::path& path, std::size_t document) {
    by_path_.try_emplace(path, document);
    if (const auto stamp = stamp_of(path)) by_inode_.try_emplace({stamp->device, stamp->inode}, document);
  }
  std::optional<std::size_t> find(const std::filesystem::path& path) const {
    if (const auto found = by_path_.find(path); found != by_path_.end()) return found->second;
    const auto stamp = stamp_of(path);
    const auto found = stamp ? by_inode_.find({stamp->device, stamp->inode}) : by_inode_.end();
    return found != by_inode_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  std::unordered_map<std::filesystem::path, std::size_t, PathHash> by_path_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_inode_;
};

/// Returns the name of a comparison. It is not the path of any file, so that no file is mistaken for it.
std::filesystem::path name_of(const std::array<ComparedSide, kSides>& sides) {
  return sides[0].path.parent_path() / (sides[0].label + " ↔ " + sides[1].label);
}

}  // namespace

std::vector<std::string> tab_titles(std::span<const std::filesystem::path> paths) {
  constexpr std::size_t kMostFolders = 4;
  std::unordered_map<std::filesystem::path, std::size_t, PathHash> tabs;  // number of tabs per path so far
  for (const std::filesystem::path& path : paths) tabs.try_emplace(path, 0);
  std::vector<std::filesystem::path> different;
  different.reserve(tabs.size());
  for (const auto& [path, count] : tabs) different.push_back(path);
  const NameCounts by_short_name(different, short_file_name);
  const NameCounts by_file_name(different, whole_file_name);
  std::vector<NameCounts> by_folders;  // index: number of folders - 1; filled on demand
  std::vector<std::string> titles;
  titles.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    std::string title = short_file_name(path);
    if (by_short_name.several(title)) title = whole_file_name(path);
    if (by_file_name.several(whole_file_name(path))) {
      for (std::size_t folders = 1; folders <= kMostFolders; ++folders) {
        const auto name = [&](const std::filesystem::path& any) { return name_with_folders(any, folders); };
        title = name(path);
        if (folders == kMostFolders) break;
        if (by_folders.size() < folders) by_folders.emplace_back(different, name);
        if (!by_folders[folders - 1].several(title)) break;
      }
    }
    if (const std::size_t number = ++tabs.at(path); number > 1) title += " (" + std::to_string(number) + ")";
    titles.push_back(std::move(title));
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
  // Stop all loaders at the same time, so that destroying the documents does not wait for one after the
  // other.
  for (const auto& document : documents_) document->request_stop();
}

void Session::open(std::span<const std::filesystem::path> paths) {
  OpenFiles files;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const Document& document = *documents_[i];
    if (document.state() != Document::State::failed || document.page() != nullptr)
      files.add(document.path(), i);
  }
  bool first = true;
  for (const std::filesystem::path& given : paths) {
    std::error_code code;
    std::filesystem::path path = is_standard_input(given) ? given : std::filesystem::absolute(given, code);
    if (code) path = given;
    const std::optional<std::size_t> open_already = files.find(path);
    const std::size_t index = open_already.value_or(documents_.size());
    if (!open_already) {
      files.add(path, index);
      documents_.push_back(
          std::make_unique<Document>(std::move(path), options_, bookmarks_folder_, pool_, wake_));
    } else if (documents_[index]->state() == Document::State::failed) {
      documents_[index]->reload();
    }
    if (std::exchange(first, false)) active_ = index;
  }
  update_titles();
}

void Session::open_together(std::span<const std::filesystem::path> paths) {
  std::optional<ContainedTraces> ranks = ranks_of_one_job(paths);
  constexpr std::size_t kLeastSnapshots = 3;
  if (!ranks && paths.size() >= kLeastSnapshots) ranks = as_snapshots(paths);
  if (!ranks) return open(paths);
  // The page's path is not the path of any file, so that no file is mistaken for it.
  Opened opened;
  std::error_code code;
  for (const ContainedTrace& trace : ranks->traces)
    opened.members.push_back(std::filesystem::absolute(trace.path, code));
  const std::filesystem::path& first = opened.members.front();
  const std::string name = short_file_name(first) + " + " + std::to_string(ranks->traces.size() - 1);
  opened.path = first.parent_path() / name;
  open_job(opened.path, std::move(*ranks));
  opened_.push_back(std::move(opened));
}

void Session::open_job(const std::filesystem::path& container, ContainedTraces recordings) {
  documents_.push_back(std::make_unique<Document>(container, std::move(recordings), options_, pool_, wake_));
  active_ = documents_.size() - 1;
  update_titles();
}

void Session::open_siblings(const Document& trace) {
  const JobSiblings* const siblings = trace.siblings();
  if (siblings == nullptr) return;
  const std::filesystem::path folder = siblings->folder;
  if (siblings->whole_folder) return open(std::span(&folder, 1));
  const auto found = std::ranges::find_if(documents_, [&](const auto& document) {
    return document->path() == folder && document->template as<JobPanel>() != nullptr;
  });
  if (found == documents_.end()) return open_job(folder, siblings->ranks);
  active_ = static_cast<std::size_t>(found - documents_.begin());
}

void Session::show_snapshots_of(const Document& job, std::int64_t rank) {
  const auto* const panel = job.as<JobPanel>();
  if (panel == nullptr) return;
  const std::uint64_t serial = job.serial();
  auto found = std::ranges::find(documents_, serial, &Document::job_of_ranks);
  if (found == documents_.end()) {
    open_job(job.path() / tr(Text::set_of_job), {panel->snapshots(), {}});
    found = documents_.end() - 1;
    (*found)->set_job_of_ranks(serial);
  }
  active_ = static_cast<std::size_t>(found - documents_.begin());
  auto* const set = (*found)->as<SnapshotSetPanel>();
  if (rank >= 0 && set != nullptr) set->select_rank(rank);
}

void Session::show_job_of(const Document& snapshots, std::int64_t rank) {
  const auto found = std::ranges::find(documents_, snapshots.job_of_ranks(), &Document::serial);
  auto* const job = found != documents_.end() ? (*found)->as<JobPanel>() : nullptr;
  if (job == nullptr) return;
  active_ = static_cast<std::size_t>(found - documents_.begin());
  if (rank >= 0) job->select_rank(rank);
}

void Session::show_slice(const SliceRef& wanted) {
  const auto found = std::ranges::find_if(
      documents_, [&](const auto& document) { return document->job().holds(wanted.recording); });
  if (found == documents_.end()) return;
  (*found)->show_slice(wanted.slice);
  active_ = static_cast<std::size_t>(found - documents_.begin());
}

void Session::show_interval(const ShowInterval& wanted) {
  const auto found = std::ranges::find(documents_, wanted.document, &Document::serial);
  auto* const timeline = found != documents_.end() ? (*found)->as<TimelinePanel>() : nullptr;
  if (timeline == nullptr) return;
  const std::int64_t origin_ns = (*found)->trace()->origin_unix_ns;
  timeline->show({wanted.begin_ns - origin_ns, wanted.end_ns - origin_ns});
  active_ = static_cast<std::size_t>(found - documents_.begin());
}

void Session::watch_folder(const std::filesystem::path& place, FolderWatch::Options options) {
  if (options_.may_open && !options_.may_open(place)) return;
  watched_.clear();
  watch_problem_ = {};
  watched_tabs_ = 0;
  watched_serial_ = documents_.empty() ? 0 : documents_[active_]->serial();
  std::error_code code;
  const std::filesystem::path whole = std::filesystem::absolute(place, code);
  feed_ = std::make_unique<FolderFeed>(code ? place : whole, wake_, options);
}

// Takes over the new files and the problem of the watched folder. Returns whether anything is new.
bool Session::take_up_files() {
  if (feed_ == nullptr) return false;
  const std::filesystem::path folder = feed_->folder();
  const Message problem = feed_->problem();
  const bool begins = watched_ != folder;
  std::vector<ContainedTrace> found = feed_->take();
  if (found.empty() && !begins && problem == watch_problem_) return false;
  watched_ = folder;
  watch_problem_ = problem;
  FolderNews news = news_.value_or(FolderNews{});
  news.folder = folder;
  news.begins = news.begins || begins;
  news.problem = problem;
  for (const ContainedTrace& file : found) {
    news.names.push_back(file.name);
    if (!take_up(file, folder)) ++news.not_opened;
  }
  news_ = std::move(news);
  if (!found.empty()) update_titles();
  return true;
}

// Passes a new file to the document that it belongs to, or opens the file in a new tab. Returns false if
// kMostWatchedTabs tabs have been opened in this way. The active document does not change.
bool Session::take_up(const ContainedTrace& file, const std::filesystem::path& folder) {
  for (const auto& document : documents_) {
    if (document->path() == file.path) return true;  // its file watch reports changes
  }
  for (const auto& document : documents_) {
    if (document->serial() != watched_serial_ && document->path() != folder) continue;
    if (!document->take_up(file)) continue;
    // The snapshots of a job can also be open in a separate tab.
    for (const auto& other : documents_) {
      if (other->job_of_ranks() == document->serial()) other->take_up(file);
    }
    return true;
  }
  if (watched_tabs_ == kMostWatchedTabs) return false;
  ++watched_tabs_;
  if (file.snapshot) {
    ContainedTraces all{feed_->snapshots_there(), {}};
    const auto known = std::ranges::find(all.traces, file.path, &ContainedTrace::path);
    if (known == all.traces.end()) all.traces.push_back(file);
    documents_.push_back(std::make_unique<Document>(folder, std::move(all), options_, pool_, wake_));
  } else {
    documents_.push_back(std::make_unique<Document>(file.path, options_, bookmarks_folder_, pool_, wake_));
  }
  return true;
}

std::optional<ComparedSide> Session::side_of(std::size_t index) const {
  const Document& document = *documents_[index];
  if (document.state() != Document::State::ready) return std::nullopt;
  ComparedSide side;
  side.path = document.path();
  side.title = side.label = title(index);
  if (const auto* const panel = document.as<JobPanel>()) {
    JobTraces job = panel->traces();
    if (job.files.empty()) return std::nullopt;
    side.job = std::make_shared<const ComparedJob>(ComparedJob{
        std::move(job.files), std::move(job.verdict), std::move(job.reasons), std::move(job.options)});
    return side;
  }
  side.trace = document.trace();
  if (side.trace == nullptr) return std::nullopt;
  side.recording = document.job().recordings.front().id;
  side.text = document.opened().text;
  return side;
}

OpenSides Session::open_sides() const {
  OpenSides sides;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    std::optional<ComparedSide> side = side_of(i);
    // List a run only once, even if it is open in two tabs.
    const bool known =
        side && std::ranges::any_of(sides, [&](const ComparedSide& other) { return other.same_run(*side); });
    if (side && !known) sides.push_back(std::move(*side));
  }
  return sides;
}

void Session::compare(std::array<ComparedSide, kSides> sides) {
  const std::array<std::string, kSides> labels = different_labels({sides[0].title, sides[1].title});
  for (std::size_t i = 0; i < kSides; ++i) sides[i].label = labels[i];
  const std::filesystem::path name = name_of(sides);
  GlyphSet glyphs;
  for (const auto& document : documents_) {
    if (document->path() == sides[0].path || document->path() == sides[1].path)
      glyphs.add(document->glyphs());
  }
  documents_.push_back(std::make_unique<Document>(
      name, std::move(sides), [this] { return open_sides(); }, pool_, wake_));
  documents_.back()->add_glyphs(glyphs);
  active_ = documents_.size() - 1;
  update_titles();
}

void Session::open_and_compare(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::array<std::uint64_t, kSides> serials{};
  for (std::size_t i = 0; i < kSides; ++i) {
    open(std::span(i == 0 ? &a : &b, 1));
    serials[i] = documents_[active_]->serial();
  }
  to_compare_ = serials;
}

// Opens the requested comparison once both runs are loaded. Returns whether it was opened.
bool Session::compare_loaded() {
  if (!to_compare_) return false;
  std::array<ComparedSide, kSides> sides;
  for (std::size_t i = 0; i < kSides; ++i) {
    const auto found = std::ranges::find(documents_, (*to_compare_)[i], &Document::serial);
    const bool fails = found == documents_.end() || (*found)->state() == Document::State::failed;
    if (!fails && (*found)->state() == Document::State::loading) return false;
    const auto* const job = fails ? nullptr : (*found)->as<JobPanel>();
    if (job != nullptr && job->analyzing()) return false;
    std::optional<ComparedSide> side =
        fails ? std::nullopt : side_of(static_cast<std::size_t>(found - documents_.begin()));
    if (!side) {
      to_compare_.reset();
      // A file that cannot be opened has already been reported.
      if (!fails) show_toast(tr(Text::runs_need_two), true);
      return false;
    }
    sides[i] = std::move(*side);
  }
  to_compare_.reset();
  compare(std::move(sides));
  return true;
}

void Session::open_again(std::size_t index) {
  if (documents_[index]->state() != Document::State::ready || !documents_[index]->of_one_file()) return;
  const auto next = documents_.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  documents_.insert(next, std::make_unique<Document>(*documents_[index], bookmarks_folder_));
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

// Takes over the results of a document's loader, and opens, replaces or closes tabs accordingly. Returns
// whether anything changed.
bool Session::take_over(std::size_t index) {
  Document& document = *documents_[index];
  const Document::State before = document.state();
  const std::optional<std::filesystem::path> watched = document.watched_file();
  if (!document.poll()) return false;
  ++generation_;
  if (document.watched_file() != watched) update_titles();
  if (document.state() == before) return true;
  if (document.state() == Document::State::ready) opened_.push_back({document.path(), {}});
  if (document.state() == Document::State::ready && document.page()->leaves_recordings()) {
    // Open the recordings of the folder in the next tab.
    OpenOptions beside = options_;
    beside.dumps = false;
    documents_.insert(
        documents_.begin() + static_cast<std::ptrdiff_t>(index) + 1,
        std::make_unique<Document>(document.path(), std::move(beside), bookmarks_folder_, pool_, wake_));
    if (active_ > index) ++active_;
    update_titles();
    return true;
  }
  if (document.state() != Document::State::failed) return true;
  if (document.error().kind == Error::Kind::several_traces &&
      (are_ranks(document.choices()) || are_snapshots(document.choices()))) {
    const std::uint64_t before_it = document.serial();
    documents_[index] =
        std::make_unique<Document>(document.path(), document.choices(), options_, pool_, wake_);
    if (to_compare_) std::ranges::replace(*to_compare_, before_it, documents_[index]->serial());
    opened_.push_back({documents_[index]->path(), {}});
    update_titles();
  } else if (document.error().kind == Error::Kind::several_traces) {
    choices_.push_back({document.path(), document.choices(), document.error()});
    close(index);
  } else if (document.error().kind != Error::Kind::cancelled) {
    failed_(document);
  } else if (document.page() == nullptr) {
    close(index);
  }
  return true;
}

bool Session::poll(bool mouse_held) {
  bool changed = false;
  for (const auto& document : documents_) {
    const auto* const comparison = document->as<ComparisonPanel>();
    if (comparison == nullptr) continue;
    // Rename the comparison if the user has swapped or replaced its sides.
    const std::filesystem::path name = name_of(comparison->shown().sides);
    if (name == document->path()) continue;
    document->rename(name);
    update_titles();
    changed = true;
  }
  for (std::size_t i = documents_.size(); i-- > 0;) {
    if (mouse_held && i == active_ && documents_[i]->page() != nullptr) continue;
    changed = take_over(i) || changed;
  }
  for (const auto& document : documents_) {
    const Document::Notice before = document->notice();
    const auto& file = document->watched_file();
    if (const auto look = file ? watch_.last(*file) : std::nullopt) document->note_disk(*look);
    changed = changed || document->notice() != before;
  }
  changed = compare_loaded() || changed;
  changed = take_up_files() || changed;
  return std::erase_if(closing_, std::mem_fn(&Document::loader_done)) > 0 || changed;
}

Document* Session::find(std::uint64_t serial) const {
  const auto found = std::ranges::find(documents_, serial, &Document::serial);
  return found != documents_.end() ? found->get() : nullptr;
}

bool Session::timeline_ready() const {
  return active_kind() == PageKind::timeline && active_document()->state() == Document::State::ready;
}

void Session::activate(std::size_t index) {
  if (index < documents_.size()) active_ = index;
}

void Session::activate_neighbor(int step) {
  if (documents_.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(documents_.size());
  active_ = static_cast<std::size_t>((static_cast<std::ptrdiff_t>(active_) + step + count) % count);
}

bool Session::loading() const { return std::ranges::any_of(documents_, &Document::loading); }

void Session::update_titles() {
  std::vector<std::filesystem::path> paths;
  paths.reserve(documents_.size());
  std::vector<std::filesystem::path> watched;
  for (const auto& document : documents_) {
    paths.push_back(document->tab_path());
    if (document->watched_file()) watched.push_back(*document->watched_file());
  }
  titles_ = tab_titles(paths);
  ++generation_;
  watch_.watch(std::move(watched));
}

}  // namespace kino
