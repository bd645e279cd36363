#include "app/pages/job/rank_traces.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <variant>

#include "app/pages/job/job_loader.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

RankTraces::RankTraces(OpenOptions options, std::function<void()> wake)
    : options_(std::move(options)), wake_(std::move(wake)), most_bytes_(half_of_memory() / 2) {
  options_.choices = nullptr;
  options_.on_partial = nullptr;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

RankTraces::~RankTraces() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  stop_now_.request_stop();
}

void RankTraces::want(std::vector<std::filesystem::path> files) {
  {
    const std::lock_guard lock(mutex_);
    if (files == wanted_) return;
    wanted_ = std::move(files);
    const auto unwanted = [this](const auto& entry) {
      return std::ranges::find(wanted_, entry.first) == wanted_.end();
    };
    const bool freed = std::erase_if(known_, unwanted) > 0;
    // After memory was freed, files that did not fit before are tried again.
    if (freed) {
      std::erase_if(known_,
                    [](const auto& item) { return item.second.state == WantedTrace::State::no_room; });
    }
    if (now_ && std::ranges::find(wanted_, *now_) == wanted_.end()) stop_now_.request_stop();
    ++generation_;
  }
  changed_.notify_all();
}

WantedTrace RankTraces::of(const std::filesystem::path& file) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(file);
  return found != known_.end() ? found->second : WantedTrace{};
}

std::uint64_t RankTraces::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

bool RankTraces::done() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(wanted_, [this](const auto& file) { return known_.contains(file); });
}

void RankTraces::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::filesystem::path file;
    std::stop_token stop_reading;
    {
      std::unique_lock lock(mutex_);
      const auto next = [this] {
        return std::ranges::find_if(wanted_, [this](const auto& entry) { return !known_.contains(entry); });
      };
      if (!changed_.wait(lock, stop, [&] { return next() != wanted_.end(); }) || stop.stop_requested())
        return;
      file = *next();
      std::uint64_t bytes = 0;
      for (const auto& [path, known] : known_)
        bytes += known.trace != nullptr ? known.trace->size_bytes() : 0;
      if (bytes > most_bytes_) {
        known_[file] = {.state = WantedTrace::State::no_room, .trace = {}, .error = {}};
        ++generation_;
        continue;
      }
      now_ = file;
      stop_now_ = {};
      stop_reading = stop_now_.get_token();
    }
    WantedTrace made = read(file, stop_reading);
    {
      const std::lock_guard lock(mutex_);
      now_.reset();
      if (std::ranges::find(wanted_, file) != wanted_.end() && !stop_reading.stop_requested()) {
        known_[file] = std::move(made);
        ++generation_;
      }
    }
    if (wake_) wake_();
  }
}

WantedTrace RankTraces::read(const std::filesystem::path& file, const std::stop_token& stop) const {
  WantedTrace made;
  made.state = WantedTrace::State::failed;
  try {
    LoadProgress progress;
    Result<OpenedTrace> opened = open_trace(file, options_, progress, stop);
    if (opened.ok()) {
      made.trace = opened.value().trace;
      made.state = WantedTrace::State::ready;
    } else {
      made.error = opened.error();
    }
  } catch (const std::bad_alloc&) {
    made.state = WantedTrace::State::no_room;
  } catch (const std::exception& error) {
    made.error = {Error::Kind::system, error.what()};
  }
  return made;
}

}  // namespace kino
