#include "app/ui/bookmarks/bookmarks.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "app/ui/view/event_steps.hpp"

namespace kino {
namespace {

std::uint64_t random_id() {
  std::random_device device;
  for (;;) {
    const std::uint64_t id = static_cast<std::uint64_t>(device()) << 32 | device();
    if (id != 0) return id;
  }
}

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

PlacedBookmark placed_in(const Trace& trace, const Bookmark& mark, FoundSlice found) {
  PlacedBookmark placed{mark, {}, found, true};
  if (found.slice != kNoSlice) {
    placed.range = range_of(trace, {found.slice, 0xffffffffU});
  } else {
    placed.range = {ns_from_unix(mark.begin_unix_ns, trace.origin_unix_ns),
                    ns_from_unix(mark.end_unix_ns, trace.origin_unix_ns)};
  }
  placed.inside = placed.range.end_ns >= trace.range.begin_ns && placed.range.begin_ns <= trace.range.end_ns;
  return placed;
}

}  // namespace

Bookmarks::Bookmarks(std::filesystem::path trace_path, std::filesystem::path folder, WorkerPool& pool,
                     std::function<void()> wake)
    : trace_path_(std::move(trace_path)), folder_(std::move(folder)), pool_(pool), wake_(std::move(wake)) {
  loaded_ = folder_.empty();
  if (loaded_) return;
  loading_.start(pool_, wake_, [folder = folder_, path = trace_path_](const std::stop_token&) {
    return open_bookmarks(folder, path);
  });
}

Bookmarks::~Bookmarks() {
  try {
    save_unsaved();
  } catch (...) {  // if memory runs out, unsaved changes are lost
  }
}

void Bookmarks::save_unsaved() {
  BookmarkChanges unsaved = changes_;
  unsaved.merge(saved_);  // the pool may drop a pending write; writing twice is harmless
  if (unsaved.empty() || folder_.empty()) return;
  if (!loaded_) {
    OpenedBookmarks opened = open_bookmarks(folder_, trace_path_);
    file_ = std::move(opened.file);
    marks_ = std::move(opened.bookmarks);
  }
  if (!file_.empty()) change_bookmarks(file_, trace_path_, marks_, unsaved);
}

void Bookmarks::set_trace(std::shared_ptr<const Trace> trace) {
  trace_ = std::move(trace);
  found_.clear();
  finding_.reset();
  look();
  place();
}

bool Bookmarks::poll() {
  bool changed = false;
  if (const OpenedBookmarks* opened = loading_.poll(); opened != nullptr || loading_.failed()) {
    changed = loaded_ = true;
    if (opened != nullptr) {
      file_ = opened->file;
      marks_ = opened->bookmarks;
      if (!opened->problem.empty()) notify(opened->problem, true);
    }
    apply_changes(marks_, changes_);
    loading_.reset();
    look();
    save();
  }
  if (const ChangedBookmarks* saved = saving_.poll(); saved != nullptr || saving_.failed()) {
    changed = true;
    const bool written = saved != nullptr && saved->written;
    if (written) marks_ = saved->bookmarks;
    if (saved != nullptr && !saved->problem.empty()) notify(saved->problem, true);
    if (!written) changes_.merge(saved_);  // retried with the next change
    apply_changes(marks_, changes_);
    saved_.clear();
    saving_.reset();
    look();
    if (written) save();
  }
  if (const auto* found = finding_.poll(); found != nullptr || finding_.failed()) {
    changed = true;
    if (found != nullptr) {
      for (const auto& [id, slice] : *found) found_[id] = slice;
    }
    finding_.reset();
  }
  if (const Transfer* done = transfer_.poll(); done != nullptr || transfer_.failed()) {
    changed = true;
    if (done != nullptr) {
      change_missing(done->imported);
      notify(done->message, done->problem);
    }
    transfer_.reset();
    look();
  }
  if (loaded_ && !missing_.empty()) {
    changed = true;
    change_missing(std::exchange(missing_, {}));
    look();
  }
  if (changed) place();
  return changed;
}

void Bookmarks::change_missing(const std::vector<Bookmark>& marks) {
  for (const Bookmark& mark : marks) {
    if (mutable_mark(mark.id) == nullptr) change(mark);
  }
}

template <class Matches>
const PlacedBookmark* Bookmarks::first(const Matches& matches) const {
  const auto found = std::ranges::find_if(placed_, matches);
  return found == placed_.end() ? nullptr : &*found;
}

const PlacedBookmark* Bookmarks::find(std::uint64_t id) const {
  return first([&](const PlacedBookmark& placed) { return placed.mark.id == id; });
}

const PlacedBookmark* Bookmarks::numbered(std::uint32_t number) const {
  return first([&](const PlacedBookmark& placed) { return placed.mark.number == number; });
}

const PlacedBookmark* Bookmarks::at(TimeRange range, SliceId slice) const {
  return first([&](const PlacedBookmark& placed) {
    if (slice != kNoSlice) return placed.found.slice == slice;
    return !placed.mark.slice && placed.range == range;
  });
}

const PlacedBookmark* Bookmarks::neighbor(std::uint64_t current, std::int64_t time_ns, int step) const {
  const auto at = std::ranges::find_if(
      by_time_, [&](std::uint32_t i) { return current != 0 && placed_[i].mark.id == current; });
  if (at != by_time_.end()) {
    const auto next = (at - by_time_.begin()) + step;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(by_time_.size())) return nullptr;
    return &placed_[by_time_[static_cast<std::size_t>(next)]];
  }
  const PlacedBookmark* best = nullptr;
  for (const std::uint32_t i : by_time_) {
    const std::int64_t begin = placed_[i].range.begin_ns;
    if (step > 0 && begin >= time_ns) return &placed_[i];
    if (step < 0 && begin <= time_ns) best = &placed_[i];
  }
  return best;
}

std::uint64_t Bookmarks::add(TimeRange range, SliceId slice) {
  if (trace_ == nullptr || marks_.size() >= kMostBookmarks) {
    notify({Text::bookmarks_too_many, {}, {}}, true);
    return 0;
  }
  Bookmark mark;
  mark.id = random_id();
  mark.number = free_number(marks_);
  mark.begin_unix_ns = trace_->origin_unix_ns + range.begin_ns;
  mark.end_unix_ns = trace_->origin_unix_ns + range.end_ns;
  mark.created_unix_ms = unix_ms();
  mark.color = static_cast<std::uint8_t>((mark.number - 1) % kBookmarkColors);
  if (slice != kNoSlice) {
    mark.slice = bookmarked_slice(*trace_, slice);
    found_[mark.id] = {slice, SliceMatch::exact};
  }
  notify({}, false);
  removed_.reset();
  change(mark);
  place();
  return mark.id;
}

Bookmark* Bookmarks::mutable_mark(std::uint64_t id) {
  const auto found = std::ranges::find(marks_, id, &Bookmark::id);
  return found == marks_.end() ? nullptr : &*found;
}

void Bookmarks::set_text(std::uint64_t id, std::string_view text) {
  Bookmark* mark = mutable_mark(id);
  if (mark == nullptr) return;
  std::string stored = stored_text(text);
  if (stored == mark->text) return;
  mark->text = std::move(stored);
  change(Bookmark(*mark));
  place();
}

void Bookmarks::set_color(std::uint64_t id, std::uint8_t color) {
  Bookmark* mark = mutable_mark(id);
  if (mark == nullptr || color >= kBookmarkColors || mark->color == color) return;
  mark->color = color;
  change(Bookmark(*mark));
  place();
}

void Bookmarks::remove(std::uint64_t id) {
  const Bookmark* mark = mutable_mark(id);
  if (mark == nullptr) return;
  removed_ = *mark;
  notify({}, false);
  changes_[id] = std::nullopt;
  apply_changes(marks_, {{id, std::nullopt}});
  save();
  place();
}

std::uint64_t Bookmarks::restore() {
  if (!removed_) return 0;
  const Bookmark mark = *std::exchange(removed_, std::nullopt);
  change(mark);
  look();
  place();
  return mark.id;
}

void Bookmarks::change(const Bookmark& mark) {
  changes_[mark.id] = mark;
  apply_changes(marks_, {{mark.id, mark}});
  save();
}

void Bookmarks::notify(Sentence message, bool problem) {
  message_ = std::move(message);
  message_is_problem_ = problem;
}

void Bookmarks::save() {
  if (!loaded_ || changes_.empty() || saving_.running()) return;
  if (file_.empty()) {
    changes_.clear();
    if (!folder_.empty()) notify({Text::bookmarks_trace_unreadable, {}, {}}, true);
    return;
  }
  saved_ = std::exchange(changes_, {});
  saving_.start(pool_, wake_,
                [file = file_, path = trace_path_, known = marks_, changes = saved_](const std::stop_token&) {
                  return change_bookmarks(file, path, known, changes);
                });
}

void Bookmarks::look() {
  if (trace_ == nullptr) return;
  std::vector<std::pair<std::uint64_t, BookmarkedSlice>> wanted;
  bool all_known = true;
  for (const Bookmark& mark : marks_) {
    if (!mark.slice) continue;
    wanted.emplace_back(mark.id, *mark.slice);
    all_known = all_known && found_.contains(mark.id);
  }
  if (all_known) return;
  finding_.start(pool_, wake_, [trace = trace_, wanted = std::move(wanted)](const std::stop_token& stop) {
    std::map<std::uint64_t, FoundSlice> found;
    for (const auto& [id, slice] : wanted) found[id] = find_bookmarked(*trace, slice, stop);
    return found;
  });
}

void Bookmarks::place() {
  ++generation_;
  placed_.clear();
  by_time_.clear();
  for (const Bookmark& mark : marks_) glyphs_.add(mark.text);
  if (trace_ == nullptr) return;
  for (const Bookmark& mark : marks_) {
    const auto found = found_.find(mark.id);
    placed_.push_back(placed_in(*trace_, mark, found == found_.end() ? FoundSlice{} : found->second));
  }
  by_time_.resize(placed_.size());
  std::iota(by_time_.begin(), by_time_.end(), 0U);
  std::ranges::stable_sort(by_time_, {}, [&](std::uint32_t i) { return placed_[i].range.begin_ns; });
}

void Bookmarks::add_missing(std::vector<Bookmark> marks) { missing_ = std::move(marks); }

void Bookmarks::start_import(std::filesystem::path file) {
  transfer_.start(pool_, wake_, [file = std::move(file)](const std::stop_token&) {
    ImportedBookmarks imported = import_bookmarks(file);
    if (!imported.read) return Transfer{std::move(imported.problem), true, {}};
    const bool some_skipped = imported.read->skipped > 0;
    const Text said = some_skipped ? Text::bookmarks_some_not_imported : Text::bookmarks_imported;
    return Transfer{{said, file.string(), {}}, some_skipped, std::move(imported.read->bookmarks)};
  });
}

}  // namespace kino
