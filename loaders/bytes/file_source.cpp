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
  cached_as_ = std::move(file);
  good_ = std::make_unique<std::atomic<bool>[]>(blocks_.size());
}

bool FileSource::blocks_valid(std::uint64_t offset, std::span<const char> bytes) const {
  std::vector<char> whole;
  for (auto block = std::ranges::upper_bound(blocks_, offset, {}, &TextBlock::end); block != blocks_.end();
       ++block) {
    const std::uint64_t begin = block == blocks_.begin() ? 0 : std::prev(block)->end;
    if (begin >= offset + bytes.size()) break;
    std::atomic<bool>& good = good_[static_cast<std::size_t>(block - blocks_.begin())];
    if (good.load(std::memory_order_relaxed)) continue;
    std::span<const char> text;
    if (begin >= offset && block->end <= offset + bytes.size()) {
      text = bytes.subspan(begin - offset, block->end - begin);
    } else {
      whole.resize(block->end - begin);
      Result<std::size_t> got = read_unchecked(begin, whole);
      if (!got || *got != whole.size()) return false;
      text = whole;
    }
    const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
    if (::crc32_gzip_refl(block->crc_before, data, text.size()) != block->crc_after) return false;
    good.store(true, std::memory_order_relaxed);
  }
  return true;
}

Result<std::size_t> FileSource::read(std::uint64_t offset, std::span<char> out) const {
  Result<std::size_t> got = read_unchecked(offset, out);
  if (!good_ || !got || blocks_valid(offset, out.first(*got))) return got;
  std::error_code code;
  std::filesystem::remove(cached_as_, code);
  return Error{Error::Kind::wrong_checksum,
               "The cached decompressed text is damaged; load the trace again (F5)", offset};
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
