#include "loaders/bytes/file_source.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <isa-l/crc.h>

#include "core/base/messages/message.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/system_failure.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kSmallBlocks = std::uint64_t{256} << 10;

}  // namespace

bool FileSource::unchanged() const {
  if (!stamp_) return true;
  const std::optional<FileStamp> now = stamp_of(fd());
  return now && now->same_content(*stamp_);
}

void FileSource::add_block(std::span<const std::uint8_t> data, std::uint32_t crc_before,
                           std::uint32_t crc_after) {
  const std::uint64_t begin = blocks_.empty() ? 0 : blocks_.back().end;
  const std::uint64_t before = blocks_.size() < 2 ? 0 : blocks_[blocks_.size() - 2].end;
  if (blocks_.empty() || begin - before + data.size() > kSmallBlocks) {
    blocks_.push_back({begin + data.size(), crc_before, crc_after});
    return;
  }
  blocks_.back().end += data.size();
  blocks_.back().crc_after = ::crc32_gzip_refl(blocks_.back().crc_after, data.data(), data.size());
}

void FileSource::check_by(std::vector<TextBlock> blocks, std::filesystem::path file) {
  blocks_ = std::move(blocks);
  kept_as_ = std::move(file);
  good_ = std::make_unique<std::atomic<bool>[]>(blocks_.size());
}

bool FileSource::blocks_hold(std::uint64_t offset, std::span<const char> bytes) const {
  const auto first =
      std::upper_bound(blocks_.begin(), blocks_.end(), offset,
                       [](std::uint64_t at, const TextBlock& block) { return at < block.end; });
  std::vector<char> whole;
  for (auto it = first; it != blocks_.end(); ++it) {
    const std::uint64_t begin = it == blocks_.begin() ? 0 : std::prev(it)->end;
    if (begin >= offset + bytes.size()) break;
    std::atomic<bool>& good = good_[static_cast<std::size_t>(it - blocks_.begin())];
    if (good.load(std::memory_order_relaxed)) continue;
    std::span<const char> block;
    if (begin >= offset && it->end <= offset + bytes.size()) {
      block = bytes.subspan(begin - offset, it->end - begin);
    } else {
      whole.resize(it->end - begin);
      Result<std::size_t> got = read_unchecked(begin, whole);
      if (!got || *got != whole.size()) return false;
      block = whole;
    }
    const auto* const data = reinterpret_cast<const unsigned char*>(block.data());
    if (::crc32_gzip_refl(it->crc_before, data, block.size()) != it->crc_after) return false;
    good.store(true, std::memory_order_relaxed);
  }
  return true;
}

Result<std::size_t> FileSource::read(std::uint64_t offset, std::span<char> out) const {
  Result<std::size_t> got = read_unchecked(offset, out);
  if (!good_ || !got || blocks_hold(offset, out.first(*got))) return got;
  std::error_code code;
  std::filesystem::remove(kept_as_, code);
  return Error{Error::Kind::wrong_checksum,
               "The decompressed text that was kept is damaged; load the trace again (F5)", offset};
}

Result<std::size_t> FileSource::read_unchecked(std::uint64_t offset, std::span<char> out) const {
  if (spool() != nullptr) {
    const std::uint64_t size = size_bytes();
    out = out.first(std::min<std::uint64_t>(out.size(), size > offset ? size - offset : 0));
  }
  Result<std::size_t> got = read_at(fd(), std::as_writable_bytes(out), offset);
  if (!got) return no_space_or_system(msg::reading_failed, std::move(got.error()));
  return got;
}

}  // namespace kino
