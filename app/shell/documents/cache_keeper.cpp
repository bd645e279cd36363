#include "app/shell/documents/cache_keeper.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "core/base/messages/message.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/terminal_text.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

// Delay before each write, so that the write does not compete with the first frames for processors.
constexpr auto kRest = std::chrono::milliseconds(500);

void log_unkept(const Message& why) {
  std::fprintf(stderr, "kinetoscope: %s\n", escaped(Message(msg::log_trace_not_cached, why).str()).c_str());
}

}  // namespace

CacheKeeper::CacheKeeper() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

void CacheKeeper::add(OpenedTrace opened, OpenOptions options) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace_back(std::move(opened), std::move(options));
  }
  wake_.notify_one();
}

void CacheKeeper::run(const std::stop_token& stop) {
  lower_thread_priority(kMostNice);
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
    const auto [opened, options] = std::move(waiting_.front());
    waiting_.pop_front();
    if (wake_.wait_for(lock, stop, kRest, [] { return false; }) || stop.stop_requested()) return;
    lock.unlock();
    try {
      // If a trace cannot be cached, it is parsed again next time, so a line in the log is enough.
      const auto error = store_opened(opened, options, stop);
      if (error && error->kind != Error::Kind::cancelled) log_unkept(error->what);
    } catch (const std::exception& exception) {
      log_unkept(exception.what());
    }
  }
}

}  // namespace kino
