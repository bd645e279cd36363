#include "app/document.hpp"

#include <exception>
#include <new>
#include <utility>

#include <malloc.h>

#include "app/track_memory.hpp"

namespace kino {
namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Error out_of_memory() {
  return {Error::Kind::out_of_memory,
          "there is not enough memory for this trace; close other tabs or programs"};
}

GlyphSet glyphs_of(const Trace& trace) {
  GlyphSet glyphs;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) glyphs.add(trace.names[i]);
  for (std::uint32_t i = 0; i < trace.categories.size(); ++i) glyphs.add(trace.categories[i]);
  for (const Track& track : trace.tracks) glyphs.add(track.name);
  for (const Process& process : trace.processes) glyphs.add(process.title);
  return glyphs;
}

}  // namespace

Document::Document(std::filesystem::path path, const OpenOptions& options,
                   const std::filesystem::path& bookmarks_folder, WorkerPool& pool,
                   std::function<void()> wake)
    : path_(std::move(path)),
      serial_(next_serial()),
      pool_(pool),
      wake_(std::move(wake)),
      bookmarks_(path_, bookmarks_folder, pool_, wake_) {
  glyphs_.add(path_.string());
  loader_ = std::jthread([this, options](const std::stop_token& stop) { load(options, stop); });
}

Document::~Document() {
  loader_.request_stop();
  panel_.reset();
  if (!opened_.trace) return;
  // Giving back a large model takes the system a while; that is no reason to hold up a frame.
  try {
    pool_.post(WorkerPool::Priority::normal, [dropped = std::move(opened_)]() mutable {
      dropped = {};
      // The columns are mappings of their own; names, tables and tiles are not, and the allocator keeps
      // those.
      ::malloc_trim(0);
    });
  } catch (const std::bad_alloc&) {
    opened_ = {};
  }
}

void Document::load(const OpenOptions& options, const std::stop_token& stop) {
  try {
    loaded_ = open_trace(path_, options, progress_, stop);
    if (loaded_->ok()) loaded_glyphs_ = glyphs_of(*loaded_->value().trace);
  } catch (const std::bad_alloc&) {
    loaded_ = out_of_memory();
  } catch (const std::exception& error) {
    loaded_ = Error{Error::Kind::system, error.what()};
  }
  loader_done_.store(true, std::memory_order_release);
  wake_();
}

bool Document::poll() {
  bookmarks_.poll();
  if (state_ != State::loading || !loader_done()) return false;
  loader_.join();
  glyphs_.add(loaded_glyphs_);
  if (!loaded_->ok()) {
    error_ = std::move(loaded_->error());
    state_ = State::failed;
  } else {
    try {
      opened_ = std::move(*loaded_).value();
      panel_ = std::make_unique<TimelinePanel>(opened_.trace, opened_.text, bookmarks_, pool_, wake_);
      panel_->remember_tracks(track_memory_path(path_));
      state_ = State::ready;
    } catch (const std::bad_alloc&) {
      opened_ = {};
      error_ = out_of_memory();
      state_ = State::failed;
    }
  }
  loaded_.reset();
  return true;
}

void Document::request_stop() { loader_.request_stop(); }

double Document::loading_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace kino
