#include "app/shell/documents/document.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/pages/critical/critical_panel.hpp"
#include "app/pages/job/job_panel.hpp"
#include "app/pages/layers/layers_panel.hpp"
#include "app/pages/ledger/ledger_panel.hpp"
#include "app/pages/serving/serving_panel.hpp"
#include "app/pages/snapshot_set/snapshot_set_panel.hpp"
#include "app/pages/timeline/track_memory.hpp"
#include "app/shell/documents/opened_content.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/bookmarks/note.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/platform/who.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/job/trace_memory.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "loaders/formats/capsule/pack.hpp"
#include "loaders/formats/packing.hpp"

namespace kino {
namespace {

// Time after which a reload shows a notice. Notices of shorter reloads would only make the page jump down and
// up.
constexpr double kUnnoticedSeconds = 0.3;

PackOptions pack_options(const CapsuleRequest& wish, const std::string& title, const LibraryList& libraries) {
  PackOptions options;
  options.title = title;
  options.note = wish.note;
  if (wish.redacted)
    options.redaction = PackOptions::Redaction{random_redaction_key(), machine_and_user_names(), libraries};
  return options;
}

Result<CapsuleResult> outcome_of(const Result<PackReport>& report) {
  if (!report.ok()) return report.error();
  return CapsuleResult{report.value().events, report.value().bytes, report.value().replaced};
}

/// If the capsule is redacted, shows a toast that explains names such as file_2404be5d5140.
void tell_if_redacted(const CapsuleNotes& capsule) {
  if (capsule.redacted) show_toast(tr(Text::capsule_redacted), false);
}

/// A page of a trace that is shown instead of its timeline.
struct ExtraPage {
  PageKind kind;
  std::unique_ptr<Page> (*make)(const std::shared_ptr<const Trace>& trace, WorkerPool& pool,
                                const std::function<void()>& wake);
};

template <class Panel>
constexpr ExtraPage extra_page_of() {
  return {Panel::kKind,
          [](const std::shared_ptr<const Trace>& trace, WorkerPool& pool, const std::function<void()>& wake)
              -> std::unique_ptr<Page> { return std::make_unique<Panel>(trace, pool, wake); }};
}

constexpr ExtraPage kExtraPages[] = {extra_page_of<LedgerPanel>(), extra_page_of<LayersPanel>(),
                                     extra_page_of<CriticalPanel>(), extra_page_of<ServingPanel>()};

std::uint64_t next_serial() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

Document::Document(std::filesystem::path path, OpenOptions options,
                   const std::filesystem::path& bookmarks_folder, WorkerPool& pool,
                   std::function<void()> wake, LoadJob::Open open)
    : path_(std::move(path)),
      serial_(next_serial()),
      options_(std::move(options)),
      pool_(pool),
      wake_(std::move(wake)),
      open_(std::move(open)),
      bookmarks_(path_, bookmarks_folder, pool_, wake_) {
  if (!is_read_once(path_)) watched_file_ = split_trace_path(path_).file;
  glyphs_.add(path_.string());
  start();
}

Document::Document(std::filesystem::path container, ContainedTraces recordings, OpenOptions options,
                   WorkerPool& pool, std::function<void()> wake)
    : path_(std::move(container)),
      serial_(next_serial()),
      options_(std::move(options)),
      pool_(pool),
      wake_(std::move(wake)),
      of_one_file_(false),
      state_(State::ready),
      choices_(std::move(recordings)),
      bookmarks_(path_, {}, pool_, wake_) {
  show_recordings();
  glyphs_.add(path_.string());
  for (const ContainedTrace& recording : choices_.traces) glyphs_.add(recording.path.string());
}

Document::Document(std::filesystem::path name, std::array<ComparedSide, kSides> sides,
                   std::function<OpenSides()> open_sides, WorkerPool& pool, std::function<void()> wake)
    : path_(std::move(name)),
      serial_(next_serial()),
      pool_(pool),
      wake_(std::move(wake)),
      of_one_file_(false),
      state_(State::ready),
      bookmarks_(path_, {}, pool_, wake_) {
  for (const ComparedSide& side : sides) glyphs_.add(side.path.string());
  page_ = std::make_unique<ComparisonPanel>(std::move(sides), std::move(open_sides), pool_, wake_);
}

Document::Document(const Document& other, const std::filesystem::path& bookmarks_folder)
    : path_(other.path_),
      watched_file_(other.watched_file_),
      serial_(next_serial()),
      options_(other.options_),
      pool_(other.pool_),
      wake_(other.wake_),
      open_(other.open_),
      state_(State::ready),
      limited_(other.limited_),
      opened_(other.opened_),
      job_(job_of(opened_)),
      shown_share_(other.shown_share_),
      opened_at_(other.opened_at_),
      bookmarks_(path_, bookmarks_folder, pool_, wake_) {
  glyphs_.add(other.glyphs_);
  // Only the first view of a file saves the arrangement of the tracks.
  page_ = page_of(opened_, {.keeps_tracks = false, .before = other.page_.get()});
  find_siblings();
}

Document::~Document() {
  load_.reset();
  memory_panel_.reset();
  extra_pages_ = {};
  page_ = {};
  drop_opened();
}

void Document::show_recordings() {
  new_files_ = 0;
  if (!choices_.traces.empty() && std::ranges::all_of(choices_.traces, &ContainedTrace::snapshot)) {
    page_ = std::make_unique<SnapshotSetPanel>(path_, choices_, options_, pool_, wake_);
  } else {
    page_ = std::make_unique<JobPanel>(path_, choices_.traces, options_, pool_, wake_);
  }
}

void Document::start() {
  const bool wants_parts = state_ != State::ready;
  load_ = std::make_unique<LoadJob>(path_, options_, wants_parts, open_, wake_);
}

// Frees the model on a worker, since freeing a large model is slow.
void Document::drop_opened() {
  job_ = {};
  if (page_ == nullptr && std::holds_alternative<OpenedTrace>(opened_) &&
      !std::get<OpenedTrace>(opened_).trace) {
    return;
  }
  try {
    pool_.post(WorkerPool::Priority::normal, [dropped = std::move(opened_)]() mutable {
      dropped = {};
      // Columns are memory mappings. Names, tables and tiles are on the heap, which does not return freed
      // pages by itself.
      release_freed_memory();
    });
  } catch (const std::bad_alloc&) {
    opened_ = {};
  }
  opened_ = {};
}

std::unique_ptr<Page> Document::page_of(const OpenedFile& opened, const PageWish& wish) {
  if (const auto* trace = std::get_if<OpenedTrace>(&opened)) return page_of_trace(*trace, wish);
  const auto* const snapshot = std::get_if<OpenedSnapshot>(&opened);
  if (snapshot == nullptr) return plain_page_of(opened);
  auto panel = std::make_unique<SnapshotPanel>(snapshot->snapshot, path_, pool_, wake_);
  panel->pack_by(pack_of_snapshot());
  if (const auto* before = page_as<SnapshotPanel>(wish.before)) panel->carry_from(*before);
  return panel;
}

std::unique_ptr<Page> Document::page_of_trace(const OpenedTrace& opened, const PageWish& wish) {
  auto panel = std::make_unique<TimelinePanel>(opened.trace, opened.details, bookmarks_, pool_, wake_);
  panel->remember_tracks(arrangement_path(path_), wish.keeps_tracks);
  const auto* const before = page_as<TimelinePanel>(wish.before);
  if (before != nullptr) panel->carry_from(*before);
  if (wish.whole) {
    panel->pack_by(pack_of(opened));
    panel->analyze();
  }
  if (wish.whole && opened.capsule != nullptr && before == nullptr) {
    tell_if_redacted(*opened.capsule);
    std::optional<ReadNote> read = note_from_json(opened.capsule->note);
    if (read && read->view) panel->show_first(std::move(read->note));
  }
  return panel;
}

PackCapsule Document::pack_of(const OpenedTrace& opened) const {
  return [opened, title = path_.filename().string(), libraries = options_.libraries](
             const CapsuleRequest& wish, const std::stop_token& stop) -> Result<CapsuleResult> {
    std::atomic<double> done{0};
    return outcome_of(
        pack_part(opened, wish.range, pack_options(wish, title, libraries), wish.out, done, stop));
  };
}

PackCapsule Document::pack_of_snapshot() const {
  return [path = path_, opening = options_](const CapsuleRequest& wish,
                                            const std::stop_token& stop) -> Result<CapsuleResult> {
    OpenOptions quietly;
    quietly.threads = opening.threads;
    quietly.cache_directory = opening.cache_directory;
    quietly.spool_limit = opening.spool_limit;
    std::atomic<double> done{0};
    return outcome_of(pack_snapshot_of(path, quietly,
                                       pack_options(wish, path.filename().string(), quietly.libraries),
                                       wish.out, done, stop));
  };
}

std::vector<std::string> Document::capsule_text() const {
  const auto* const trace = std::get_if<OpenedTrace>(&opened_);
  if (trace == nullptr || trace->capsule == nullptr) return {};
  const CapsuleNotes& capsule = *trace->capsule;
  std::vector<std::string> words;
  if (!capsule.title.empty()) words.push_back(filled(Text::capsule_of, {escaped(capsule.title)}));
  if (capsule.left_out > 0)
    words.push_back(filled(Text::capsule_arguments_excluded, {grouped(capsule.left_out)}));
  if (!capsule.redacted) return words;
  std::array<std::string, 4> replaced;
  for (std::size_t i = 0; i < replaced.size(); ++i)
    replaced[i] = grouped(i < capsule.replaced.size() ? capsule.replaced[i] : 0);
  words.push_back(filled(Text::capsule_replaced, {replaced[0], replaced[1], replaced[2], replaced[3]}));
  return words;
}

void Document::show(LoadJob::Loaded loaded) {
  Job job = job_of(loaded.opened);
  memory_.reset();
  memory_panel_.reset();
  extra_pages_ = {};
  view_ = View::file;
  if (const auto* snapshot = std::get_if<OpenedSnapshot>(&loaded.opened);
      snapshot != nullptr && snapshot->capsule != nullptr) {
    tell_if_redacted(*snapshot->capsule);
  }
  // A partly loaded trace may lack tracks, so the arrangement is not saved.
  const bool whole = loaded.share >= 1;
  page_ = page_of(loaded.opened, {.whole = whole, .keeps_tracks = whole, .before = page_.get()});
  drop_opened();
  opened_ = std::move(loaded.opened);
  job_ = std::move(job);
  glyphs_.add(loaded.glyphs);
  shown_share_ = loaded.share;
  opened_at_ = load_->start();
  if (!loaded.file.empty()) watch_file(split_trace_path(loaded.file).file);
  if (whole) find_siblings();
}

// Starts to search the folder of a trace for other ranks of its job. Archives and capsules are left out.
void Document::find_siblings() {
  siblings_.reset();
  const auto* const trace = std::get_if<OpenedTrace>(&opened_);
  if (trace == nullptr || trace->capsule != nullptr || !watched_file_ || *watched_file_ != path_) return;
  siblings_.start(pool_, wake_, [file = path_, shown = trace->trace](const std::stop_token& stop) {
    return siblings_of(file, *shown, stop);
  });
}

bool Document::take_siblings() {
  if (siblings_.poll() == nullptr || siblings() == nullptr || timeline() == nullptr) return false;
  timeline()->offer_job(siblings()->count(), siblings()->more);
  return true;
}

const JobSiblings* Document::siblings() const {
  const JobSiblings* const found = siblings_.value();
  return found != nullptr && found->count() > 1 ? found : nullptr;
}

/// Changes the watched file, and drops the observed state of the previous file.
void Document::watch_file(std::filesystem::path file) {
  if (watched_file_ == file) return;
  watched_file_ = std::move(file);
  disk_.reset();
  dismissed_.reset();
}

bool Document::take_part() {
  std::optional<LoadJob::Loaded> part = load_->take_part();
  // When reloading after a canceled load, show a partial result only once it exceeds the visible part.
  if (!part || state_ == State::ready || (page_ != nullptr && part->share <= shown_share_)) return false;
  try {
    show(std::move(*part));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Document::take_result() {
  reload_failed_ = false;
  Result<LoadJob::Loaded> result = load_->take_result();
  std::optional<Error> failure;
  if (result) {
    try {
      show(std::move(result).value());
      state_ = State::ready;
      limited_ = damage().count(DamageReason::spool_limit) > 0;
    } catch (const std::bad_alloc&) {
      failure = out_of_memory_error();
    }
  } else {
    take_part();  // shows the last part before the failure
    failure = result.error();
    choices_ = load_->take_choices();
  }
  load_.reset();
  if (!failure) return;
  error_ = std::move(*failure);
  if (state_ != State::ready) state_ = State::failed;
  reload_failed_ = state_ == State::ready && error_.kind != Error::Kind::cancelled;
}

bool Document::has_memory() const {
  return state_ == State::ready && timeline() != nullptr && has_memory_events(*opened().trace);
}

void Document::toggle_memory() {
  view_ = view_ == View::memory ? View::file : View::memory;
  if (view_ == View::file || memory_panel_ != nullptr || memory_.running()) return;
  memory_.start(pool_, wake_,
                [trace = opened().trace, libraries = options_.libraries](const std::stop_token& stop) {
                  return snapshot_of_trace(*trace, libraries, stop);
                });
}

bool Document::has_extra(PageKind kind) const {
  return state_ == State::ready && timeline() != nullptr &&
         std::ranges::find(kExtraPages, kind, &ExtraPage::kind) != std::end(kExtraPages);
}

void Document::toggle_extra(PageKind kind) {
  view_ = shows_extra(kind) ? View::file : View::extra;
  extra_ = kind;
  std::unique_ptr<Page>& page = extra_pages_[static_cast<std::size_t>(kind)];
  if (page != nullptr) return;
  page = std::ranges::find(kExtraPages, kind, &ExtraPage::kind)->make(opened().trace, pool_, wake_);
}

void Document::show_ledger(std::string_view row) {
  if (!has_extra(PageKind::ledger)) return;
  if (!shows_extra(PageKind::ledger)) toggle_extra(PageKind::ledger);
  if (auto* const ledger = page_as<LedgerPanel>(extra_page()); ledger != nullptr && !row.empty())
    ledger->show_row(row);
}

bool Document::take_memory() {
  const std::shared_ptr<const Snapshot>* made = memory_.poll();
  if (made == nullptr) {
    if (memory_.failed() && view_ == View::memory) view_ = View::file;
    return false;
  }
  memory_panel_ = std::make_unique<SnapshotPanel>(*made, path_, pool_, wake_);
  memory_panel_->pack_by(pack_of(opened()));
  return true;
}

const DamageLog& Document::damage() const { return damage_of(opened_); }

bool Document::poll() {
  bookmarks_.poll();
  if (page_ != nullptr) page_->poll();
  for (const std::unique_ptr<Page>& extra : extra_pages_) {
    if (extra != nullptr) extra->poll();
  }
  bool came = take_memory();
  came = take_siblings() || came;
  if (!load_) return came;
  if (!load_->done()) return take_part() || came;
  take_result();
  return true;
}

void Document::request_stop() {
  if (load_) load_->request_stop();
}

void Document::reload() {
  if (load_) return;
  if (!of_one_file_) {
    if (!choices_.traces.empty()) show_recordings();  // the page of a comparison follows its sides
    return;
  }
  if (state_ != State::ready) state_ = State::loading;
  reload_failed_ = false;
  if (std::exchange(limited_, false)) options_.spool_limit.none = true;
  start();
}

bool Document::take_up(const ContainedTrace& file) {
  if (file.dump) return false;  // dumps have a separate page
  auto* const set = as<SnapshotSetPanel>();
  if (as<JobPanel>() == nullptr && (set == nullptr || !file.snapshot)) return false;
  const auto known = std::ranges::find(choices_.traces, file.path, &ContainedTrace::path);
  if (known == choices_.traces.end()) choices_.traces.push_back(file);
  if (set != nullptr) {
    set->add(file);
  } else {
    ++new_files_;
  }
  return true;
}

void Document::note_disk(const FileWatch::Look& look) { disk_ = look; }

void Document::dismiss_notice() {
  reload_failed_ = false;
  limited_ = false;
  new_files_ = 0;
  dismissed_ = disk_;
  if (TimelinePanel* const trace = timeline()) trace->reset_refused();
}

Document::Notice Document::notice() const {
  if (new_files_ > 0) return Notice::new_files;
  if (page_ == nullptr || !of_one_file_ || !page_->follows_file()) return Notice::none;
  if (state_ == State::loading) return Notice::part_loading;
  if (state_ == State::failed) return Notice::part_only;
  if (load_ && load_->seconds() >= kUnnoticedSeconds) return Notice::reloading;
  if (reload_failed_) return Notice::reload_failed;
  if (limited_) return Notice::limited;
  const auto refused =
      timeline() != nullptr ? timeline()->refused() : AddedTracks::TracksOutOfMemory::nothing;
  if (refused != AddedTracks::TracksOutOfMemory::nothing)
    return refused == AddedTracks::TracksOutOfMemory::counters ? Notice::no_counters : Notice::no_packing;
  const FileStamp& stamp =
      std::visit([](const auto& opened) -> const FileStamp& { return opened.stamp; }, opened_);
  // Ignore states of the file that were observed before it was opened.
  if (!disk_ || disk_->at < opened_at_ || disk_->stamp == stamp) return Notice::none;
  if (dismissed_ && dismissed_->stamp == disk_->stamp) return Notice::none;
  return disk_->stamp ? Notice::changed : Notice::vanished;
}

const LoadStats& Document::stats() const {
  return std::visit([](const auto& opened) -> const LoadStats& { return opened.stats; }, opened_);
}

std::shared_ptr<const Trace> Document::trace() const {
  return job_.recordings.empty() ? nullptr : job_.recordings.front().trace();
}

std::shared_ptr<const Snapshot> Document::snapshot() const {
  return job_.recordings.empty() ? nullptr : job_.recordings.front().snapshot();
}

SnapshotPanel* Document::any_snapshot_panel() const {
  return memory_panel_ != nullptr ? memory_panel_.get() : page_as<SnapshotPanel>(page_.get());
}

Page* Document::page() const {
  if (shows_memory()) return memory_panel_.get();
  if (view_ == View::extra) return extra_page();
  return page_.get();
}

TimelinePanel* Document::timeline() const { return page_as<TimelinePanel>(page_.get()); }

std::filesystem::path Document::tab_path() const { return page_ != nullptr ? page_->tab_path(path_) : path_; }

std::optional<TimePane> Document::time_pane() const {
  return page() != nullptr ? page()->time_pane() : std::nullopt;
}

void Document::show_slice(SliceId slice) {
  view_ = View::file;
  if (TimelinePanel* const trace = timeline()) trace->select(slice);
}

void Document::show_range(TimeRange range, SliceId slice) {
  view_ = View::file;
  TimelinePanel* const shown = timeline();
  if (shown == nullptr) return;
  if (slice != kNoSlice) shown->select(slice);
  constexpr std::int64_t kMarginShare = 5;  // a fifth of the range on each side
  const std::int64_t margin_ns = range.length_ns() / kMarginShare + 1;
  shown->show({range.begin_ns - margin_ns, range.end_ns + margin_ns});
}

bool Document::wants_frames() const { return page() != nullptr && page()->wants_frames(); }

bool Document::complete() const {
  return !memory_.running() && !siblings_.running() && (page() == nullptr || page()->complete());
}

}  // namespace kino
