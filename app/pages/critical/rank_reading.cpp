#include "app/pages/critical/rank_reading.hpp"

#include <exception>
#include <new>
#include <utility>

#include "loaders/bytes/load_progress.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

RankReading::RankReading(std::vector<std::filesystem::path> files, std::vector<std::uint64_t> need_bytes,
                         OpenOptions options, std::function<void()> wake)
    : files_(std::move(files)), options_(std::move(options)), wake_(std::move(wake)), traces_(files_.size()) {
  need_bytes.resize(files_.size());
  options_.threads = BoundedJobs::threads_within(files_.size());
  // Traces that the cache keeps would occupy memory until they are written.
  options_.cache.keep = nullptr;
  jobs_.emplace(std::move(need_bytes), half_of_memory(),
                [this](std::size_t index, const std::stop_token& stop) { run(index, stop); });
}

void RankReading::run(std::size_t index, const std::stop_token& stop) {
  if (error()) return;
  Result<std::shared_ptr<const Trace>> trace = read(index, stop);
  {
    const std::lock_guard lock(mutex_);
    if (trace.ok()) {
      traces_[index] = std::move(trace).value();
      ++count_;
    } else if (!error_) {
      error_ = std::move(trace.error());
    }
  }
  if (wake_) wake_();
}

Result<std::shared_ptr<const Trace>> RankReading::read(std::size_t index, const std::stop_token& stop) const {
  try {
    LoadProgress progress;
    Result<OpenedTrace> opened = open_trace(files_[index], options_, progress, stop);
    if (!opened.ok()) return opened.error();
    return std::move(opened.value().trace);
  } catch (const std::bad_alloc&) {
    return Error{Error::Kind::out_of_memory, msg::not_enough_memory_for_this_file};
  } catch (const std::exception& error) {
    return Error{Error::Kind::system, error.what()};
  }
}

std::size_t RankReading::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool RankReading::done() const {
  const std::lock_guard lock(mutex_);
  return error_.has_value() || count_ == files_.size();
}

std::optional<Error> RankReading::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

std::vector<std::shared_ptr<const Trace>> RankReading::traces() const {
  const std::lock_guard lock(mutex_);
  return traces_;
}

}  // namespace kino
