#include "loaders/cache/ranks/cached_ranks.hpp"

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {
namespace {

/// Returns the key of the source; nullopt if the file is missing or unreadable.
std::optional<SourceKey> key_of(const TracePath& path) {
  const Result<Descriptor> file = open_to_read(path.file);
  const std::optional<FileStamp> stamp = file ? stamp_of(file.value().fd) : std::nullopt;
  if (!stamp) return std::nullopt;
  return source_key(path.file, path.entry, file.value().fd, *stamp);
}

std::optional<CachedRank> read_if_of(const std::filesystem::path& file,
                                     const std::optional<SourceKey>& source) {
  const std::optional<RankFileHead> head = read_rank_file_head(file);
  if (!head || (source && !(head->source == RankSource{source->size_bytes, source->hash})))
    return std::nullopt;
  return read_rank_file(file);
}

}  // namespace

std::optional<CachedRank> find_cached_rank(const std::filesystem::path& trace, const OpenOptions& options) {
  const TracePath path = split_trace_path(trace);
  if (options.may_open && !options.may_open(path.file)) return std::nullopt;
  const Result<FileFacts> facts = file_facts(path.file);
  const bool gone = !facts && facts.error().kind == Error::Kind::not_found;
  const std::optional<SourceKey> source = key_of(path);
  if (!source && !gone) return std::nullopt;
  const std::filesystem::path beside_trace = rank_file_beside(trace);
  if (path.entry.empty() && (!options.may_open || options.may_open(beside_trace))) {
    if (std::optional<CachedRank> beside = read_if_of(beside_trace, source)) return beside;
  }
  const std::filesystem::path folder = cache_folder(options);
  if (!source || !options.cache.look || folder.empty()) return std::nullopt;
  return read_if_of(cached_path(folder, source->path, kRankFileExtension), source);
}

std::optional<Error> store_rank(const OpenedTrace& opened, const CachedRank& rank,
                                const OpenOptions& options) {
  const std::filesystem::path folder = cache_folder(options);
  if (folder.empty() || opened.source.path.empty())
    return Error{Error::Kind::not_found, "There is no cache folder"};
  make_cache_folder(folder);
  const std::filesystem::path file = cached_path(folder, opened.source.path, kRankFileExtension);
  if (auto error = write_rank_file(file, {opened.source.size_bytes, opened.source.hash}, rank)) return error;
  make_room(folder, options.cache.limit, 0, 0);
  return std::nullopt;
}

}  // namespace kino
