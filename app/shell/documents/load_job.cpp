#include "app/shell/documents/load_job.hpp"

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "app/shell/documents/opened_content.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/process_limits.hpp"

namespace kino {
namespace {

LoadJob::Loaded loaded(OpenedFile opened, double share) {
  GlyphSet glyphs = glyphs_of(opened);
  return {std::move(opened), std::move(glyphs), share, {}};
}

/// Returns the only recording in a folder; empty for anything else.
std::filesystem::path file_in_folder(const std::filesystem::path& path, const std::stop_token& stop) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {};
  const Result<ContainedTraces> contained = traces_in_folder(path, stop);
  if (!contained.ok() || contained.value().traces.size() != 1) return {};
  return contained.value().traces.front().path;
}

}  // namespace

Error out_of_memory_error() {
  if (const std::optional<std::uint64_t> limit = memory_limit_bytes())
    return {Error::Kind::out_of_memory, {msg::memory_limit_reached, bytes_text(*limit, ByteUnits::binary)}};
  return {Error::Kind::out_of_memory, msg::not_enough_memory_close_tabs};
}

LoadJob::LoadJob(std::filesystem::path path, OpenOptions options, bool wants_parts, Open open,
                 std::function<void()> wake)
    : open_(std::move(open)),
      wake_(std::move(wake)),
      thread_([this, path = std::move(path), options = std::move(options),
               wants_parts](const std::stop_token& stop) { run(path, options, wants_parts, stop); }) {}

void LoadJob::run(const std::filesystem::path& path, OpenOptions options, bool wants_parts,
                  const std::stop_token& stop) {
  if (wants_parts) {
    options.on_partial = [this](OpenedTrace part, double share) {
      Loaded fresh = loaded(std::move(part), share);
      std::optional<Loaded> old;  // destroyed after the lock is released
      {
        const std::lock_guard lock(mutex_);
        old = std::exchange(part_, std::move(fresh));
      }
      wake_();
    };
  }
  options.choices = &choices_;
  try {
    Result<OpenedFile> opened = open_(path, options, progress_, stop);
    if (opened) {
      Loaded whole = loaded(std::move(opened).value(), 1);
      whole.file = file_in_folder(path, stop);
      result_ = std::move(whole);
    } else {
      result_ = opened.error();
    }
  } catch (const std::bad_alloc&) {
    result_ = out_of_memory_error();
  } catch (const std::exception& error) {
    result_ = Error{Error::Kind::system, error.what()};
  }
  done_.store(true, std::memory_order_release);
  wake_();
}

std::optional<LoadJob::Loaded> LoadJob::take_part() {
  const std::lock_guard lock(mutex_);
  return std::exchange(part_, std::nullopt);
}

Result<LoadJob::Loaded> LoadJob::take_result() {
  thread_.join();
  return std::move(*result_);
}

double LoadJob::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

}  // namespace kino
