#include "render/tile_cache.hpp"

#include <algorithm>
#include <chrono>

namespace kino {
namespace {

constexpr std::size_t kPageBytes = Gpu::kPageTexels * Gpu::kPageTexelBytes;
static_assert(BuiltTile::kTexelBytes == Gpu::kPageTexelBytes);
static_assert(2 * kTileBins + 1 <= Gpu::kPageTexels);

}  // namespace

TileCache::TileCache(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake,
                     std::size_t budget_bytes)
    : gpu_(current_gpu()), budget_bytes_(budget_bytes), builder_(std::move(trace), pool, std::move(wake)) {}

bool TileCache::begin_frame(double budget_ms) {
  ++frame_;
  const std::size_t waited = waiting_.size();
  builder_.take(waiting_);
  for (std::size_t i = waited; i < waiting_.size(); ++i) waiting_keys_.insert(waiting_[i].key);
  const auto start = std::chrono::steady_clock::now();
  while (!waiting_.empty()) {
    store(waiting_.back());
    waiting_keys_.erase(waiting_.back().key);
    waiting_.pop_back();
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    if (spent.count() > budget_ms) break;
  }
  flush();
  return waiting_.empty();
}

const CachedTile* TileCache::find(const TileKey& key) {
  const auto found = tiles_.find(key);
  if (found == tiles_.end()) return nullptr;
  pages_[found->second.page].last_frame = frame_;
  return &found->second.tile;
}

void TileCache::request(std::vector<TileRequest> wanted) {
  std::erase_if(wanted, [&](const TileRequest& request) { return waiting_keys_.contains(request.key); });
  builder_.request(wanted);
}

std::size_t TileCache::size_bytes() const {
  std::size_t bytes = 0;
  for (const Page& page : pages_) bytes += kPageBytes + page.kept_bytes;
  return bytes;
}

void TileCache::store(BuiltTile& built) {
  if (tiles_.contains(built.key)) return;
  // Memory of the table's node, of the key in the page's list, and of the labels. Since empty tiles also
  // count, the memory of many empty tiles is bounded.
  const std::size_t kept_bytes = sizeof(std::pair<TileKey, Entry>) + 2 * sizeof(void*) + sizeof(TileKey) +
                                 built.labels.size() * sizeof(TileLabel);
  const auto texels = static_cast<std::uint32_t>(built.texel_count());
  if (pages_.empty() || pages_[current_].used_texels + texels > Gpu::kPageTexels ||
      pages_[current_].kept_bytes + kept_bytes > kPageBytes) {
    flush();
    open_page();
  }
  Page& page = pages_[current_];
  built.labels.shrink_to_fit();
  tiles_.emplace(built.key,
                 Entry{current_, {page.texels.id(), page.used_texels, texels, std::move(built.labels)}});
  page.keys.push_back(built.key);
  page.kept_bytes += kept_bytes;
  page.used_texels += texels;
  page.last_frame = frame_;
  staged_.insert(staged_.end(), built.texels.begin(), built.texels.end());
}

void TileCache::open_page() {
  const auto oldest = std::ranges::min_element(pages_, {}, &Page::last_frame);
  // Tiles of the previous frame are not evicted even if the budget is exceeded, because a view that does not
  // fit must not flicker.
  const bool reuse =
      size_bytes() + kPageBytes > budget_bytes_ && oldest != pages_.end() && oldest->last_frame + 1 < frame_;
  if (reuse) {
    for (const TileKey& key : oldest->keys) tiles_.erase(key);
    oldest->keys.clear();
    oldest->used_texels = 0;
    oldest->kept_bytes = 0;
    gpu_.clear_page(oldest->texels.id());
    current_ = static_cast<std::uint32_t>(oldest - pages_.begin());
  } else {
    pages_.emplace_back();
    current_ = static_cast<std::uint32_t>(pages_.size() - 1);
  }
  staged_first_ = 0;
}

void TileCache::flush() {
  if (staged_.empty()) return;
  const Page& page = pages_[current_];
  gpu_.write_page(page.texels.id(), staged_first_, staged_);
  staged_.clear();
  staged_first_ = page.used_texels;
}

}  // namespace kino
