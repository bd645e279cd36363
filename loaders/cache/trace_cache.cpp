#include "loaders/cache/trace_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include <xxhash.h>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/folder_names.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/platform/space.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/spool.hpp"

namespace kino {
namespace {

constexpr std::size_t kHashedBytes = std::size_t{64} << 10;

/// Returns the files of the cache with their sizes on disk, most recently used first.
std::vector<CacheEntry> files_of(const std::filesystem::path& folder) {
  std::vector<CacheEntry> files;
  FolderNames names(folder);
  while (const char* const name = names.next()) {
    const std::filesystem::path path = folder / name;
    if (path.extension() != kIndexExtension && path.extension() != kRankFileExtension) continue;
    if (const Result<FileFacts> facts = link_facts(path))
      files.push_back({path, {}, facts.value().disk_bytes, facts.value().stamp.modified_ns});
  }
  std::ranges::sort(files, std::greater(), &CacheEntry::used_ns);
  return files;
}

/// Flushes the file in portions, so that a stop request takes effect soon.
std::optional<Error> flush(int fd, const std::stop_token& stop) {
  constexpr std::uint64_t kPortion = std::uint64_t{8} << 20;
  const std::optional<FileStamp> file = stamp_of(fd);
  if (!file) return cancelled("Caching the trace");
  for (std::uint64_t done = 0; done < file->size_bytes; done += kPortion) {
    if (stop.stop_requested()) return cancelled("Caching the trace");
    flush_part(fd, done, kPortion);
  }
  if (!flush_data(fd)) return std::nullopt;
  return Error{Error::Kind::system, "The index cannot be written to the disk"};
}

/// Appends the index to the text and flushes the file. The file gets its name later.
std::optional<Error> write_and_flush(int fd, const IndexedText& text, const SourceKey& source,
                                     const Trace& trace, const std::stop_token& stop) {
  if (auto error = write_index(fd, text, trace, source, stop)) return error;
  return flush(fd, stop);
}

std::optional<Error> keep_with_spool(const std::filesystem::path& target, const SourceKey& source,
                                     const Trace& trace, const FileSource& spool,
                                     const std::stop_token& stop) {
  const IndexedText text{.bytes = spool.size_bytes(), .blocks = spool.blocks(), .seek_points = {}};
  std::optional<Error> error = write_and_flush(spool.fd(), text, source, trace, stop);
  if (!error) error = publish_unnamed(spool.fd(), target);
  // On failure, the index is removed from the spool: the open trace still needs the text before the index.
  if (error) set_size(spool.fd(), text.bytes);
  return error;
}

std::optional<Error> keep_alone(const std::filesystem::path& target, const SourceKey& source,
                                const Trace& trace, const SeekPoints* seek_points,
                                const std::stop_token& stop) {
  Result<NewFile> file = NewFile::create(target.parent_path());
  if (!file) return file.error();
  IndexedText text;
  if (seek_points != nullptr) text.seek_points = *seek_points;
  if (auto error = write_and_flush(file->fd(), text, source, trace, stop)) return error;
  return file->publish(target.filename());
}

struct Found {
  std::optional<CachedTrace> trace;
  std::string why;    ///< reason why it is unusable; empty: usable or missing
  bool ours = false;  ///< whether the file belongs to this user
};

/// Reads a cached file. `same` decides whether its source is the requested source.
template <class Same>
Found find_at(const std::filesystem::path& path, const SourceKey& source, const Same& same, unsigned threads,
              const std::stop_token& stop) {
  Result<Descriptor> file = open_to_read(path, Links::refused);
  if (!file) return {};
  const Result<FileFacts> facts = file_facts(file->fd);
  if (!facts || !facts.value().mine) return {.trace = {}, .why = "its file belongs to another user"};
  const std::optional<IndexHead> head = read_index_head(file->fd);
  if (!head) {
    return {.trace = {},
            .why = "another build of the program wrote its file, or the file is damaged",
            .ours = true};
  }
  if (!same(head->source)) return {.trace = {}, .why = "the trace has changed since", .ours = true};
  const std::uint64_t text_bytes = std::max({head->text_bytes, head->inflated_bytes, source.size_bytes});
  ReadTrace cached = read_trace(file->fd, *head, text_bytes, threads, stop);
  if (!cached.trace) return {.trace = {}, .why = "it is damaged", .ours = true};
  mark_used(file->fd);  // fails in a read-only folder, where no file is removed anyway
  CachedTrace found{std::move(cached.trace), {}, std::move(cached.text.seek_points)};
  if (head->text_bytes > 0) {
    const auto spool = std::make_shared<FileSource>(std::move(*file));
    spool->set_size_bytes(head->text_bytes);
    spool->check_by(std::move(cached.text.blocks), path);
    found.text = spool;
  }
  return {.trace = std::move(found), .why = {}, .ours = true};
}

}  // namespace

std::filesystem::path cached_path(const std::filesystem::path& folder, const std::string& source_path,
                                  const char* extension) {
  const XXH128_hash_t hash = XXH3_128bits(source_path.data(), source_path.size());
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return folder / (text.data() + std::string(extension));
}

bool make_room(const std::filesystem::path& folder, const CacheLimit& limit, std::uint64_t new_bytes,
               std::uint64_t written_bytes) {
  const std::optional<Space> disk = disk_space(folder);
  if (!disk) return false;
  std::vector<CacheEntry> files = files_of(folder);
  std::uint64_t used = 0;
  for (const CacheEntry& file : files) used += file.size_bytes;
  // The limit is `most_bytes`, or a fraction of the disk space that would be free if the cache were empty,
  // whichever is smaller.
  const std::uint64_t free = disk->free_bytes + used + written_bytes;
  const std::uint64_t most = std::min(limit.most_bytes, free / (limit.least_free_parts + 1));
  if (new_bytes > most) return false;
  for (; used + new_bytes > most && !files.empty(); files.pop_back()) {
    remove_file(files.back().file);
    used -= files.back().size_bytes;
  }
  return true;
}

std::optional<SourceKey> source_key(const std::filesystem::path& file, const std::string& entry, int fd,
                                    const FileStamp& stamp) {
  std::error_code code;
  const std::filesystem::path path = std::filesystem::canonical(file, code);
  if (code) return std::nullopt;
  const std::size_t hashed = std::min<std::uint64_t>(kHashedBytes, stamp.size_bytes);
  std::string ends(2 * hashed, '\0');
  const auto halves = std::as_writable_bytes(std::span(ends));
  const Result<std::size_t> first = read_some_at(fd, halves.first(hashed), 0);
  const Result<std::size_t> second = read_some_at(fd, halves.subspan(hashed), stamp.size_bytes - hashed);
  if (!first || !second) return std::nullopt;
  return SourceKey{entry.empty() ? path.native() : path.native() + "#" + entry,
                   stamp.size_bytes,
                   stamp.modified_ns,
                   stamp.changed_ns,
                   stamp.inode,
                   XXH3_64bits(ends.data(), ends.size())};
}

std::optional<CachedTrace> find_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                         unsigned threads, const std::stop_token& stop,
                                         const CacheRejection& refused) {
  if (folder.empty()) return std::nullopt;
  const std::filesystem::path path = cached_path(folder, source.path, kIndexExtension);
  Found found = find_at(
      path, source, [&](const SourceKey& cached) { return cached == source; }, threads, stop);
  if (found.why.empty() || stop.stop_requested()) return std::move(found.trace);
  if (found.ours) remove_file(path);
  if (refused) refused("The cached trace is not used because " + found.why, source.path);
  return std::nullopt;
}

std::optional<CachedTrace> find_beside(const std::filesystem::path& file, const SourceKey& source,
                                       unsigned threads, const std::stop_token& stop) {
  const auto same_content = [&](const SourceKey& cached) {
    return cached.size_bytes == source.size_bytes && cached.hash == source.hash;
  };
  return find_at(file.native() + kIndexExtension, source, same_content, threads, stop).trace;
}

std::optional<Error> store_index_as(const std::filesystem::path& index, const SourceKey& source,
                                    const Trace& trace, const TextSource& text, const std::stop_token& stop) {
  if (text.spool() != nullptr) {
    return Error{Error::Kind::system, "An index next to the file is supported only for plain text and gzip"};
  }
  return keep_alone(index, source, trace, text.seek_points(), stop);
}

bool is_index_of(const std::filesystem::path& index, std::uint64_t size_bytes, std::uint64_t hash) {
  const Result<Descriptor> file = open_to_read(index, Links::refused);
  const std::optional<IndexHead> head = file ? read_index_head(file.value().fd) : std::nullopt;
  return head && head->source.size_bytes == size_bytes && head->source.hash == hash;
}

std::optional<Error> store_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                    const Trace& trace, const TextSource& text, const CacheLimit& limit,
                                    const std::stop_token& stop) {
  make_cache_folder(folder);
  remove_leftovers(folder);
  const FileSource* const spool = text.spool();
  const Result<FileFacts> folder_facts = file_facts(folder);
  const Result<FileFacts> text_facts = spool != nullptr ? file_facts(spool->fd()) : FileFacts{};
  if (!folder_facts || !text_facts) return Error{Error::Kind::not_found, "There is no cache folder"};
  if (spool != nullptr && text_facts.value().stamp.device != folder_facts.value().stamp.device) {
    return Error{Error::Kind::system, "The decompressed text is in memory, not in the cache folder"};
  }
  if (spool != nullptr && text_facts.value().names > 0) return std::nullopt;  // already stored
  const std::filesystem::path target = cached_path(folder, source.path, kIndexExtension);
  remove_file(target);  // a file for an older state of the source is not needed
  const std::uint64_t written = spool != nullptr ? text_facts.value().disk_bytes : 0;
  const std::uint64_t needed = (spool != nullptr ? text.size_bytes() : 0) + trace.size_bytes();
  if (!make_room(folder, limit, needed, written)) {
    return Error{Error::Kind::no_space, "The disk has too little space to cache the trace"};
  }
  return spool != nullptr ? keep_with_spool(target, source, trace, *spool, stop)
                          : keep_alone(target, source, trace, text.seek_points(), stop);
}

std::vector<CacheEntry> cache_entries(const std::filesystem::path& folder) {
  std::vector<CacheEntry> files = files_of(folder);
  for (CacheEntry& file : files) {
    std::filesystem::path path = file.file;
    path.replace_extension(kIndexExtension);  // only the index beside a digest has the source path
    const Result<Descriptor> index = open_to_read(path, Links::refused);
    if (!index) continue;
    if (auto head = read_index_head(index.value().fd)) file.source = std::move(head->source.path);
  }
  return files;
}

std::vector<std::filesystem::path> clear_cache(const std::filesystem::path& folder) {
  remove_leftovers(folder);
  std::vector<std::filesystem::path> left;
  for (const CacheEntry& file : files_of(folder)) {
    const std::optional<Error> error = remove_file(file.file);
    if (error && error->kind != Error::Kind::not_found) left.push_back(file.file);
  }
  return left;
}

}  // namespace kino
