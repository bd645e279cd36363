#include "loaders/formats/open.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "loaders/bytes/archive.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/gzip_inflate.hpp"
#include "loaders/bytes/gzip_source.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/bytes/spool_writer.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "loaders/bytes/utf16.hpp"
#include "loaders/formats/chrome_trace/json_event_details.hpp"
#include "loaders/formats/flight_recorder/flight_format.hpp"
#include "loaders/formats/formats.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error open_error(const Error& why) {
  switch (why.kind) {
    case Error::Kind::not_found:
      return {why.kind, "There is no such file"};
    case Error::Kind::no_permission:
      return {why.kind, "No permission to read the file"};
    default:
      return {Error::Kind::system, "The file cannot be opened: " + why.what.str()};
  }
}

Error out_of_memory() { return {Error::Kind::out_of_memory, "There is not enough memory for this file"}; }

/// Loads the content with the format detected from `head`.
Result<OpenedFile> load(GrowingText& content, std::string_view head, const OpenOptions& options,
                        LoadProgress& progress, const std::stop_token& stop,
                        const std::function<DamageLog()>& source_damage,
                        const std::filesystem::path& file = {}) {
  const Format* const format = detect_format(all_formats(), head).format;
  if (format == nullptr)
    return unsupported_content(head).value_or(unknown_format("This file has an unknown format"));
  if (format->holds == Format::Holds::snapshot && !options.snapshots) {
    return unknown_format("This is " + std::string(format->title) + ", not a trace");
  }
  if (format->holds == Format::Holds::trace && !options.traces) {
    return unknown_format("This is not a snapshot of the CUDA allocator");
  }
  if (format->holds == Format::Holds::hang && (!options.traces || !options.snapshots)) {
    return unknown_format("This is " + std::string(format->title) + ", not a trace or snapshot");
  }
  Result<OpenedFile> opened = format->open({content, options, progress, stop, source_damage, file});
  if (auto* const trace = opened ? std::get_if<OpenedTrace>(&*opened) : nullptr) {
    if (trace->format == nullptr) trace->format = format;
  }
  return opened;
}

Result<OpenedFile> open_plain(Descriptor plain, std::string_view head, const FileStamp& stamp,
                              const std::filesystem::path& file, const OpenOptions& options,
                              LoadProgress& progress, const std::stop_token& stop) {
  GrowingText text(std::make_shared<FileSource>(std::move(plain), stamp));
  text.grow_to(stamp.size_bytes);
  text.finish();
  return load(
      text, head, options, progress, stop, [] { return DamageLog(); }, file);
}

void decode(FileKind kind, ByteStream& in, SpoolWriter& out, const std::stop_token& stop) {
  if (kind == FileKind::gzip) {
    inflate_gzip(in, out, stop);
  } else if (kind == FileKind::compressed) {
    decompress(in, out, stop);
  } else {
    copy_text(in, out, stop);
  }
}

/// Parses the text while `decode` writes it on another thread. `decode` must always end the text.
Result<OpenedFile> load_while_decoding(GrowingText& text, TextWriter& writer,
                                       const std::function<void(const std::stop_token&)>& decode,
                                       const OpenOptions& options, LoadProgress& progress,
                                       const std::stop_token& stop) {
  // Stops the decoder if the load is cancelled or fails.
  std::stop_source decode_stop;
  const std::stop_callback forward(stop, [&] { decode_stop.request_stop(); });
  std::jthread decoder([&] {
    try {
      decode(decode_stop.get_token());
    } catch (const std::bad_alloc&) {
      text.fail(out_of_memory());
    } catch (const std::exception& exception) {
      text.fail({Error::Kind::system, std::string("Loading failed: ") + exception.what()});
    }
  });
  struct StopOnExit {
    std::stop_source& source;
    ~StopOnExit() { source.request_stop(); }
  } const stop_on_exit{decode_stop};

  const GrowingText::Available first = text.wait_for(kHeadBytes, stop);
  if (stop.stop_requested()) return cancelled("Loading");
  if (const auto error = text.error()) return *error;
  const Result<std::string> begin =
      text.source()->read_text(0, std::min<std::uint64_t>(first.size, kHeadBytes));
  if (!begin) return begin.error();
  return load(text, begin.value(), options, progress, stop, [&] {
    text.wait_for(GrowingText::kWhole, stop);
    decoder.join();
    return std::move(writer.damage());
  });
}

/// Decodes a stream into a spool while it is loaded. `head`, the first bytes of a file or archive entry,
/// precedes `rest`.
Result<OpenedFile> open_stream(ByteStream& rest, std::string_view head, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop) {
  Result<Descriptor> spool = open_spool(cache_folder(options));
  if (!spool) return spool.error();
  const auto source = std::make_shared<FileSource>(std::move(*spool));
  GrowingText text(source);
  progress.compressed = true;
  progress.file_bytes_done = 0;
  ResumedStream in(head, rest);
  Utf8SpoolWriter writer(text, *source, options.spool_limit, progress.file_bytes_done, &in);
  const auto decode_all = [&](const std::stop_token& stopped) { decode(kind_of(head), in, writer, stopped); };
  return load_while_decoding(text, writer, decode_all, options, progress, stop);
}

/// Opens a gzip file. The text is not stored, but inflated again when it is needed.
Result<OpenedFile> open_gzip(Descriptor& file, const FileStamp& stamp, const OpenOptions& options,
                             LoadProgress& progress, const std::stop_token& stop) {
  const auto source = std::make_shared<GzipSource>(file, stamp);
  GrowingText text(source);
  progress.compressed = true;
  progress.file_bytes_done = 0;
  FileStream in(source->fd());
  GzipWriter writer(text, *source, options.spool_limit, progress.file_bytes_done, &in);
  const auto decode_all = [&](const std::stop_token& stopped) { inflate_gzip(in, writer, stopped); };
  return load_while_decoding(text, writer, decode_all, options, progress, stop);
}

/// Opens an archive entry: file `number` among the files called `name`.
Result<OpenedFile> open_entry(int fd, const std::string& name, std::size_t number, const OpenOptions& options,
                              LoadProgress& progress, const std::stop_token& stop) {
  auto reader = ArchiveReader::open(fd, stop);
  if (!reader) return reader.error();
  std::size_t found = 0;
  for (;;) {
    Result<std::optional<ArchiveEntry>> next = (*reader)->next();
    if (!next) return next.error();
    if (!*next) return Error{Error::Kind::not_found, "The archive contains no file of this name"};
    const ArchiveEntry& entry = **next;
    if (entry.name != name || !entry.file || ++found < number) continue;
    if (entry.encrypted) return unknown_format("This file is encrypted; unpack it with its password first");
    progress.file_bytes = entry.size_bytes.value_or(0);
    const std::string head = read_head(**reader, kHeadBytes);
    return open_stream(**reader, head, options, progress, stop);
  }
}

/// Opens an entry by its name, or by the result of numbered_entry().
Result<OpenedFile> open_entry(int fd, const std::string& name, const OpenOptions& options,
                              LoadProgress& progress, const std::stop_token& stop) {
  Result<OpenedFile> opened = open_entry(fd, name, 1, options, progress, stop);
  if (opened || opened.error().kind != Error::Kind::not_found) return opened;
  const std::optional<NumberedEntry> numbered = split_numbered_entry(name);
  if (!numbered) return opened;
  return open_entry(fd, numbered->name, numbered->number, options, progress, stop);
}

/// Returns the only contained trace, or an error if there are none or several.
Result<ContainedTrace> only_trace(Result<ContainedTraces> contained, const char* container,
                                  const OpenOptions& options) {
  if (!contained) return contained.error();
  if (contained->traces.size() == 1) return contained->traces.front();
  Error error = none_of(*contained, container);
  if (options.choices != nullptr) *options.choices = std::move(*contained);
  return error;
}

Result<OpenedFile> open_archive(int fd, const TracePath& path, const OpenOptions& options,
                                LoadProgress& progress, const std::stop_token& stop) {
  if (!path.entry.empty()) return open_entry(fd, path.entry, options, progress, stop);
  const Result<ContainedTrace> only = only_trace(traces_in_archive(fd, path.file, stop), "archive", options);
  if (!only) return only.error();
  return open_entry(fd, only.value().name, options, progress, stop);
}

/// Returns the kind of a file with this `head`; for a compressed file, the kind of its content.
FileKind content_kind(int fd, std::string_view head) {
  const FileKind kind = kind_of(head);
  if (kind != FileKind::gzip && kind != FileKind::compressed) return kind;
  FileStream in(fd);
  return kind_of(decompressed_head(in, kHeadBytes));
}

/// Reads the trace from the cache, or from the index beside the trace file. Returns nullopt if neither fits.
std::optional<OpenedTrace> open_cached(Descriptor& file, const TracePath& path, const FileStamp& stamp,
                                       const SourceKey& source, const OpenOptions& options,
                                       LoadProgress& progress, const std::stop_token& stop) {
  std::optional<CachedTrace> found =
      find_in_cache(cache_folder(options), source, options.threads, stop, options.cache.refused);
  if (!found && path.entry.empty()) found = find_beside(path.file, source, options.threads, stop);
  if (!found) return std::nullopt;
  OpenedTrace opened;
  opened.trace = std::move(found->trace);
  if (!found->text && found->seek_points.text_bytes > 0) {
    found->text = std::make_shared<GzipSource>(file, stamp, std::move(found->seek_points));
  } else if (!found->text) {
    found->text = std::make_shared<FileSource>(std::move(file), stamp);
    found->text->set_size_bytes(stamp.size_bytes);
  }
  opened.stats.text_bytes = found->text->size_bytes();
  opened.text = std::move(found->text);
  opened.details = json_event_details(opened.trace, opened.text);
  opened.stamp = stamp;
  opened.stats.file_bytes = stamp.size_bytes;
  opened.from_cache = true;
  opened.source = source;
  progress.text_bytes = opened.stats.text_bytes;
  progress.file_bytes_done = progress.file_bytes.load();
  progress.events = opened.trace->counts.total();
  return opened;
}

/// Opens a regular file, which is a user's file or a spool.
Result<OpenedFile> open_regular(Descriptor& file, const TracePath& path, const OpenOptions& options,
                                LoadProgress& progress, const std::stop_token& stop) {
  const Result<FileFacts> facts = file_facts(file.fd);
  if (!facts) return open_error(facts.error());
  const FileStamp* const stamp = &facts.value().stamp;
  progress.file_bytes = stamp->size_bytes;
  if (stamp->size_bytes == 0) {
    return unknown_format(is_standard_input(path.file) ? "The standard input is empty" : "The file is empty");
  }
  FileStream in(file.fd);
  const std::string head = read_head(in, kHeadBytes);
  if (head.empty()) return Error{Error::Kind::system, "The beginning of the file cannot be read", 0};
  progress.stage = LoadStage::reading;

  SourceKey source;
  if (options.cache.look || options.cache.keep) {
    if (!is_standard_input(path.file)) {
      source = source_key(path.file, path.entry, file.fd, *stamp).value_or(SourceKey{});
    }
  }
  if (options.cache.look && options.traces && !source.path.empty()) {
    auto cached = open_cached(file, path, *stamp, source, options, progress, stop);
    if (cached) return OpenedFile(std::move(*cached));
    if (stop.stop_requested()) return cancelled("Loading");
  }

  OpenOptions stamping = options;
  if (options.on_partial) {
    stamping.on_partial = [&](OpenedTrace part, double share) {
      part.stamp = *stamp;
      options.on_partial(std::move(part), share);
    };
  }
  const FileKind content = content_kind(file.fd, head);
  const bool archive = content == FileKind::archive;
  // Text converted from UTF-16 cannot be inflated again, so it needs a spool.
  const bool inflated_again = kind_of(head) == FileKind::gzip && content != FileKind::utf16;
  if (!archive && !path.entry.empty()) {
    return Error{Error::Kind::not_found, "There is no such file: the part before the # is not an archive"};
  }
  Result<OpenedFile> opened =
      archive          ? open_archive(file.fd, path, stamping, progress, stop)
      : inflated_again ? open_gzip(file, *stamp, stamping, progress, stop)
      : kind_of(head) != FileKind::text
          ? open_stream(in, head, stamping, progress, stop)
          : open_plain(std::move(file), head, *stamp,
                       is_standard_input(path.file) ? std::filesystem::path() : path.file, stamping, progress,
                       stop);
  if (opened) {
    std::visit(
        [&](auto& result) {
          result.stamp = *stamp;
          result.stats.file_bytes = stamp->size_bytes;
        },
        *opened);
    if (auto* const trace = std::get_if<OpenedTrace>(&*opened)) trace->source = std::move(source);
  }
  return opened;
}

/// Adds the names of the other recordings in the folder of the dumps.
OpenedHang with_recordings_beside(OpenedHang opened, const std::filesystem::path& folder,
                                  const std::stop_token& stop) {
  const Result<ContainedTraces> contained = traces_in_folder(folder, stop);
  if (!contained || contained.value().guessed) return opened;
  auto hang = std::make_shared<HangRecording>(*opened.hang);
  for (const ContainedTrace& trace : contained.value().traces) {
    if (!trace.dump) hang->beside.push_back(trace.name);
  }
  opened.hang = std::move(hang);
  return opened;
}

Result<OpenedFile> open_checked(const std::filesystem::path& path, const OpenOptions& options,
                                LoadProgress& progress, const std::stop_token& stop) {
  const bool input = is_standard_input(path);
  const TracePath parts = input ? TracePath{path, {}} : split_trace_path(path);
  if (options.may_open && !options.may_open(parts.file))
    return Error{Error::Kind::no_permission, "This file is outside the folders that are shared"};
  const Result<FileFacts> facts = input ? file_facts(kStandardInputFd) : file_facts(parts.file);
  if (!facts) return open_error(facts.error());
  const FileType type = facts.value().type;
  if (type == FileType::folder) {
    if (options.traces && options.snapshots && options.dumps) {
      if (std::optional<OpenedHang> hang = open_hang_folder(parts.file, stop))
        return OpenedFile(with_recordings_beside(std::move(*hang), parts.file, stop));
    }
    const Result<ContainedTrace> only = only_trace(traces_in_folder(parts.file, stop), "folder", options);
    if (!only) return only.error();
    return open_checked(only.value().path, options, progress, stop);
  }
  if (type != FileType::regular && type != FileType::pipe && type != FileType::socket) {
    return Error{Error::Kind::not_a_file, input ? "Nothing is piped to standard input; pipe a trace into it"
                                                : "This is a device, not a file"};
  }
  if (type == FileType::socket && !input)
    return Error{Error::Kind::not_a_file, "This is a socket, not a file"};
  Result<Descriptor> file_or_why = input ? duplicate(kStandardInputFd) : open_to_read(parts.file);
  if (!file_or_why) return open_error(file_or_why.error());
  Descriptor& file = *file_or_why;
  if (type == FileType::regular) return open_regular(file, parts, options, progress, stop);
  progress.stage = LoadStage::reading;
  Result<Descriptor> content =
      spool_pipe(file.fd, cache_folder(options), options.spool_limit, progress.file_bytes_done, stop);
  if (!content) return content.error();
  progress.file_bytes_done = 0;
  OpenOptions once = options;
  once.cache.look = false;
  once.cache.keep = nullptr;
  Result<OpenedFile> opened = open_regular(*content, parts, once, progress, stop);
  if (!opened && opened.error().kind == Error::Kind::several_traces) {
    return unknown_format(
        "The archive from the pipe contains several traces; save the archive to a file and open the file");
  }
  return opened;
}

/// Returns whether the trace can be cached, and opens faster from the cache.
bool is_cacheable(const OpenedTrace& opened, const CacheOptions& use) {
  return !opened.from_cache && !opened.source.path.empty() && opened.text != nullptr &&
         (opened.format == nullptr || opened.format->kept) &&
         opened.text->size_bytes() >= use.least_text_bytes &&
         opened.trace->damage.count(DamageReason::spool_limit) == 0;
}

void offer(const OpenedTrace& opened, const CacheOptions& use) {
  if (!use.keep || !is_cacheable(opened, use)) return;
  try {
    use.keep(opened);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): caching is optional
  }
}

/// Returns the result of `body`. Converts its exceptions to errors.
template <class Body>
auto without_exceptions(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& exception) {
    return Error{Error::Kind::system, std::string("Loading failed: ") + exception.what()};
  }
}

}  // namespace

Result<OpenedFile> open_file(const std::filesystem::path& path, const OpenOptions& options,
                             LoadProgress& progress, const std::stop_token& stop) {
  return without_exceptions([&]() -> Result<OpenedFile> {
    const Clock::time_point start = Clock::now();
    Result<OpenedFile> opened = open_checked(path, options, progress, stop);
    if (opened) std::visit([&](auto& result) { result.stats.seconds = seconds_since(start); }, *opened);
    if (const auto* const trace = opened ? std::get_if<OpenedTrace>(&*opened) : nullptr) {
      offer(*trace, options.cache);
    }
    progress.stage = LoadStage::finished;
    return opened;
  });
}
namespace {

/// Opens a file as `T`. `other` is the option that permits the other kind of recording, which is refused.
template <class T>
Result<T> open_only(const std::filesystem::path& path, const OpenOptions& options, bool OpenOptions::*other,
                    LoadProgress& progress, const std::stop_token& stop) {
  return without_exceptions([&]() -> Result<T> {
    OpenOptions narrowed = options;
    narrowed.*other = false;
    Result<OpenedFile> opened = open_file(path, narrowed, progress, stop);
    if (!opened) return opened.error();
    return std::move(std::get<T>(*opened));
  });
}

}  // namespace

Result<OpenedTrace> open_trace(const std::filesystem::path& path, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop) {
  return open_only<OpenedTrace>(path, options, &OpenOptions::snapshots, progress, stop);
}

Result<OpenedSnapshot> open_snapshot(const std::filesystem::path& path, const OpenOptions& options,
                                     LoadProgress& progress, const std::stop_token& stop) {
  return open_only<OpenedSnapshot>(path, options, &OpenOptions::traces, progress, stop);
}

std::optional<Error> store_opened_as(const OpenedTrace& opened, const std::filesystem::path& index,
                                     const std::stop_token& stop) {
  try {
    return store_index_as(index, opened.source, *opened.trace, *opened.text, stop);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

std::optional<Error> store_opened(const OpenedTrace& opened, const OpenOptions& options,
                                  const std::stop_token& stop) {
  try {
    return store_in_cache(cache_folder(options), opened.source, *opened.trace, *opened.text,
                          options.cache.limit, stop);
  } catch (const std::bad_alloc&) {
    return Error{Error::Kind::out_of_memory, "There is not enough memory for the trace"};
  }
}

}  // namespace kino
