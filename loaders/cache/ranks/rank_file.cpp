#include "loaders/cache/ranks/rank_file.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <xxhash.h>

#include "core/base/messages/message.hpp"
#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "core/job/rank_digest_members.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/text_file.hpp"
#include "loaders/cache/member_bytes.hpp"

namespace kino {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little endian");

constexpr std::uint64_t kRankMagic = 0x6b6e61726f6e690aULL;
/// Version of the content. Must also be raised if the columns of a PackedTable or the rows of a ledger
/// change, which the list of members does not cover.
constexpr std::uint64_t kRankVersion = 6;
/// Maximum size of a digest without its header, in bytes.
constexpr std::uint64_t kMostRankBytes = std::uint64_t{2} << 30;

struct Head {
  std::uint64_t magic = kRankMagic;
  std::uint64_t layout = 0;
  std::uint64_t source_bytes = 0;
  std::uint64_t source_hash = 0;
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::uint64_t slices = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t payload_hash = 0;
  std::uint64_t hash = 0;  ///< hash of the members above
};
static_assert(std::has_unique_object_representations_v<Head>);

std::uint64_t hash_of_bytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t head_hash(const Head& head) {
  return hash_of_bytes(bytes_of(head).substr(0, sizeof head - sizeof head.hash));
}

std::uint64_t digest_layout() {
  const auto base = mixed_layout(layout_of<RankDigest>(kRankVersion), kDamageReasonCount);
  return mixed_layout(mixed_layout(base, static_cast<std::uint64_t>(CollectiveKind::other)),
                      catalogue_version());
}

class RankWriter : public MemberWriter<RankWriter> {};

class RankReader : public MemberReader<RankReader> {
 public:
  explicit RankReader(std::string_view bytes) : MemberReader(bytes) {}
};

std::optional<Head> read_head_of(FileStream& in) {
  const std::string bytes = read_head(in, sizeof(Head));
  if (bytes.size() < sizeof(Head)) return std::nullopt;
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != kRankMagic || head.layout != digest_layout() || head.hash != head_hash(head))
    return std::nullopt;
  return head;
}

}  // namespace

std::optional<RankSource> rank_source(const std::filesystem::path& trace) {
  const Result<Descriptor> opened = open_to_read(trace);
  if (!opened) return std::nullopt;
  const Descriptor& file = opened.value();
  const std::optional<FileStamp> stamp = stamp_of(file.fd);
  if (!stamp) return std::nullopt;
  const std::optional<SourceKey> key = source_key(trace, "", file.fd, *stamp);
  if (!key) return std::nullopt;
  return RankSource{key->size_bytes, key->hash};
}

std::filesystem::path trace_of_rank_file(const std::filesystem::path& file) {
  std::string text = file.string();
  if (text.ends_with(kRankFileExtension))
    text.resize(text.size() - std::string_view(kRankFileExtension).size());
  return text;
}

std::filesystem::path rank_file_beside(const std::filesystem::path& trace) {
  return trace.native() + kRankFileExtension;
}

std::optional<Error> write_rank_file(const std::filesystem::path& file, const RankSource& source,
                                     const CachedRank& rank) {
  RankWriter writer;
  writer.put(rank.digest);
  writer.put(rank.damage);
  Head head{.layout = digest_layout(),
            .source_bytes = source.size_bytes,
            .source_hash = source.hash,
            .rank = rank.digest.rank,
            .world_size = rank.digest.world_size,
            .slices = rank.slices,
            .payload_bytes = writer.bytes().size(),
            .payload_hash = hash_of_bytes(writer.bytes())};
  head.hash = head_hash(head);
  Result<TextFile> out = TextFile::create(file);
  if (!out) return out.error();
  if (auto error = out->write(bytes_of(head))) return error;
  if (auto error = out->write(writer.bytes())) return error;
  const Result<std::uint64_t> written = out->finish();
  if (!written) return written.error();
  return std::nullopt;
}

std::optional<RankFileHead> read_rank_file_head(const std::filesystem::path& file) {
  const Result<Descriptor> opened = open_to_read(file);
  if (!opened) return std::nullopt;
  FileStream in(opened.value().fd);
  const std::optional<Head> head = read_head_of(in);
  if (!head) return std::nullopt;
  return RankFileHead{{head->source_bytes, head->source_hash}, head->rank, head->world_size};
}

std::optional<CachedRank> read_rank_file(const std::filesystem::path& file) {
  const Result<Descriptor> opened = open_to_read(file);
  if (!opened) return std::nullopt;
  const Result<FileFacts> facts = file_facts(opened.value().fd);
  if (!facts || facts.value().type != FileType::regular) return std::nullopt;
  FileStream in(opened.value().fd);
  const std::optional<Head> head = read_head_of(in);
  if (!head || head->payload_bytes > kMostRankBytes ||
      facts.value().stamp.size_bytes != sizeof(Head) + head->payload_bytes)
    return std::nullopt;
  // Reused across the thousands of files of a job: fresh memory is more expensive.
  thread_local std::string bytes;
  bytes.resize(head->payload_bytes);
  const Result<std::size_t> got =
      read_at(opened.value().fd, std::as_writable_bytes(std::span(bytes)), sizeof(Head));
  if (!got || got.value() != bytes.size() || hash_of_bytes(bytes) != head->payload_hash) return std::nullopt;
  CachedRank rank;
  rank.slices = head->slices;
  RankReader reader(bytes);
  reader.get(rank.digest);
  reader.get(rank.damage);
  if (!reader.complete() || rank.digest.rank != head->rank || rank.digest.world_size != head->world_size ||
      !is_consistent(rank.digest))
    return std::nullopt;
  return rank;
}

}  // namespace kino
