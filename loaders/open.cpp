#include "loaders/open.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/trace_builder.hpp"
#include "loaders/chrome_trace_loader.hpp"
#include "loaders/gzip_inflate.hpp"
#include "loaders/json_scan.hpp"
#include "loaders/spool.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr const char* kWhatOpens =
    "Kinetoscope opens Chrome-trace JSON, plain or gzip, as the PyTorch profiler writes it";

Error unknown(const std::string& what) {
  return {Error::Kind::unknown_format, what + ". " + kWhatOpens, kNoOffset};
}

Error open_error(int reason) {
  switch (reason) {
    case ENOENT:
      return {Error::Kind::not_found, "There is no such file", kNoOffset};
    case EACCES:
    case EPERM:
      return {Error::Kind::no_permission, "No permission to read the file", kNoOffset};
    default:
      return {Error::Kind::system, std::string("The file cannot be opened: ") + std::strerror(reason),
              kNoOffset};
  }
}

/// Closes on scope exit.
struct Descriptor {
  int fd = -1;
  Descriptor() = default;
  explicit Descriptor(int open_fd) : fd(open_fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int release() { return std::exchange(fd, -1); }
};

/// What the first bytes of a text say it is, when it is nothing that opens; nullopt for JSON.
std::optional<Error> refuse_by_content(std::string_view head) {
  const auto starts = [&](std::string_view magic) { return head.substr(0, magic.size()) == magic; };
  using namespace std::string_view_literals;
  if (starts("\x80\x02"sv) || starts("\x80\x03"sv) || starts("\x80\x04"sv) || starts("\x80\x05"sv)) {
    return unknown("This looks like a Python pickle, perhaps an allocator snapshot");
  }
  if (starts("PK\x03\x04"sv))
    return unknown("This looks like a zip archive; unpack it and open the traces in it");
  if (starts("\x28\xB5\x2F\xFD"sv)) return unknown("This looks like a zstd file; unpack it first (zstd -d)");
  if (starts("BZh"sv)) return unknown("This looks like a bzip2 file; unpack it first (bunzip2)");
  if (starts("\xFD"
             "7zXZ"sv))
    return unknown("This looks like an xz file; unpack it first (unxz)");
  if (starts("SQLite format 3"sv))
    return unknown("This looks like an SQLite database, perhaps exported by Nsight Systems");
  if (head.size() > 262 && head.substr(257, 5) == "ustar") {
    return unknown("This looks like a tar archive; unpack it and open the traces in it");
  }
  if (starts("\xFF\xFE"sv) || starts("\xFE\xFF"sv))
    return unknown("This looks like UTF-16 text; save it as UTF-8");
  const std::size_t begin = skip_space(head, starts("\xEF\xBB\xBF"sv) ? 3 : 0);
  if (begin >= head.size()) return unknown("There is nothing but white space in it");
  if (head[begin] == '{' || head[begin] == '[') return std::nullopt;
  if (head.substr(begin).starts_with("<")) return unknown("This looks like an HTML or XML page");
  return unknown(
      "This is no JSON: it begins with '" +
      std::string(head.substr(begin, 1)[0] >= ' ' && head[begin] < 0x7f ? head.substr(begin, 1) : "?") + "'");
}

/// Parses, builds and times; `text` may still be growing. `source_damage` is asked once the text is complete.
Result<OpenedTrace> load(GrowingText& text, const OpenOptions& options, LoadProgress& progress,
                         const std::stop_token& stop, const std::function<DamageLog()>& source_damage) {
  const Clock::time_point start = Clock::now();
  Result<BuildInput> parsed = parse_chrome_trace(text, options, progress, stop);
  if (!parsed) return parsed.error();
  parsed->damage.merge(source_damage());
  OpenedTrace opened;
  opened.stats.parse_seconds = seconds_since(start);
  progress.stage = LoadStage::arranging;
  parsed->threads = options.threads;
  parsed->sample_at = [source = text.source()](std::uint64_t offset) {
    Result<std::string> sample = source->read_text(offset, Damage::kSampleBytes);
    return sample ? std::move(*sample) : std::string();
  };
  parsed->on_indexing = [&progress] { progress.stage = LoadStage::indexing; };
  const Clock::time_point build_start = Clock::now();
  Result<std::shared_ptr<const Trace>> built = build_trace(std::move(*parsed), stop);
  if (!built) return built.error();
  opened.trace = std::move(*built);
  opened.text = text.source();
  opened.stats.build_seconds = seconds_since(build_start);
  opened.stats.text_bytes = text.source()->size_bytes();
  return opened;
}

Result<OpenedTrace> open_plain(int fd, std::string_view head, const FileStamp& stamp,
                               const OpenOptions& options, LoadProgress& progress,
                               const std::stop_token& stop) {
  GrowingText text(std::make_shared<TextSource>(fd, stamp));
  if (auto error = refuse_by_content(head)) return *error;
  text.grow_to(stamp.size_bytes);
  text.finish();
  return load(text, options, progress, stop, [] { return DamageLog(); });
}

Result<OpenedTrace> open_gzip(int fd, const OpenOptions& options, LoadProgress& progress,
                              const std::stop_token& stop) {
  const Result<int> spool =
      open_spool(options.cache_directory.empty() ? default_cache_directory() : options.cache_directory);
  if (!spool) return spool.error();
  GrowingText text(std::make_shared<TextSource>(spool.value()));
  DamageLog damage;
  // The inflater stops when the load is cancelled, and when it fails.
  std::stop_source inflate_stop;
  const std::stop_callback forward(stop, [&] { inflate_stop.request_stop(); });
  std::jthread inflater(
      [&] { damage = inflate_gzip(fd, text, progress.file_bytes_done, inflate_stop.get_token()); });
  struct StopOnExit {
    std::stop_source& source;
    ~StopOnExit() { source.request_stop(); }
  } const stop_on_exit{inflate_stop};

  const GrowingText::Available first = text.wait_for(512, stop);
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled", kNoOffset};
  if (const auto error = text.error()) return *error;
  const Result<std::string> head = text.source()->read_text(0, std::min<std::uint64_t>(first.size, 512));
  if (!head) return head.error();
  if (auto error = refuse_by_content(head.value())) return *error;
  return load(text, options, progress, stop, [&] {
    inflater.join();
    return std::move(damage);
  });
}

Result<OpenedTrace> open_checked(const std::filesystem::path& path, const OpenOptions& options,
                                 LoadProgress& progress, const std::stop_token& stop) {
  const Clock::time_point start = Clock::now();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return open_error(errno);
  if (S_ISDIR(status.st_mode)) {
    return Error{Error::Kind::not_a_file, "This is a folder; open the trace files in it", kNoOffset};
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{Error::Kind::not_a_file,
                 "This is a pipe or a device, not a file; save its content to a file first", kNoOffset};
  }
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) return open_error(errno);
  const std::optional<FileStamp> stamp = stamp_of(file.fd);
  if (!stamp) return open_error(errno);
  const std::uint64_t file_bytes = stamp->size_bytes;
  progress.file_bytes = file_bytes;
  if (file_bytes == 0) return unknown("The file is empty");

  std::string head(512, '\0');
  const ssize_t got = ::pread(file.fd, head.data(), head.size(), 0);
  if (got <= 0) return Error{Error::Kind::system, "The beginning of the file cannot be read", 0};
  head.resize(static_cast<std::size_t>(got));
  progress.stage = LoadStage::reading;

  OpenOptions stamping = options;
  if (options.on_partial) {
    stamping.on_partial = [&](OpenedTrace part, double share) {
      part.stamp = *stamp;
      options.on_partial(std::move(part), share);
    };
  }
  progress.compressed = head.starts_with("\x1f\x8b");
  Result<OpenedTrace> opened = progress.compressed
                                   ? open_gzip(file.fd, stamping, progress, stop)
                                   : open_plain(file.release(), head, *stamp, stamping, progress, stop);
  if (opened) {
    opened->stamp = *stamp;
    opened->stats.file_bytes = file_bytes;
    opened->stats.seconds = seconds_since(start);
  }
  return opened;
}

}  // namespace

double share_read(const LoadProgress& progress) {
  const auto file = static_cast<double>(progress.file_bytes.load());
  const auto done =
      static_cast<double>(progress.compressed ? progress.file_bytes_done.load() : progress.text_bytes.load());
  return file > 0 ? std::clamp(done / file, 0.0, 1.0) : 0.0;
}

Result<OpenedTrace> open_trace(const std::filesystem::path& path, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop) {
  try {
    Result<OpenedTrace> opened = open_checked(path, options, progress, stop);
    progress.stage = LoadStage::finished;
    return opened;
  } catch (const std::bad_alloc&) {
    return Error{Error::Kind::out_of_memory, "There is not enough memory for this file", kNoOffset};
  } catch (const std::exception& exception) {
    return Error{Error::Kind::system, std::string("Loading failed: ") + exception.what(), kNoOffset};
  }
}

}  // namespace kino
