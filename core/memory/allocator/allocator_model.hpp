// Model of PyTorch's caching allocator: splits, merges, caches and releases blocks by the allocator's rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/memory/allocator/allocator_rules.hpp"
#include "core/memory/allocator/free_blocks.hpp"

namespace kino {

/// Provides addresses for the model, and receives its device calls. The device has no limit on memory: the
/// model enforces AllocatorRules::capacity.
class AllocatorDevice {
 public:
  virtual ~AllocatorDevice() = default;
  /// Returns the address of a new segment; nullopt if the device refuses, such as a recording that has no
  /// such call.
  virtual std::optional<std::int64_t> allocate(std::uint64_t bytes) = 0;
  /// Returns the address of a new range for an expandable segment.
  virtual std::optional<std::int64_t> reserve() = 0;
  virtual bool map(std::int64_t addr, std::uint64_t bytes) = 0;
  virtual void unmap(std::int64_t addr, std::uint64_t bytes) = 0;
  virtual void free(std::int64_t addr, std::uint64_t bytes) = 0;
};

/// Device with synthetic addresses. Each segment is below the previous one, as CUDA allocates them, or above
/// it. Expandable segments are far apart.
class SyntheticDevice final : public AllocatorDevice {
 public:
  explicit SyntheticDevice(bool downwards)
      : downwards_(downwards), next_(downwards ? 0 : std::int64_t{1} << 60) {}
  std::optional<std::int64_t> allocate(std::uint64_t bytes) override;
  std::optional<std::int64_t> reserve() override;
  bool map(std::int64_t /*addr*/, std::uint64_t /*bytes*/) override { return true; }
  void unmap(std::int64_t /*addr*/, std::uint64_t /*bytes*/) override {}
  void free(std::int64_t /*addr*/, std::uint64_t /*bytes*/) override {}

 private:
  bool downwards_;
  std::int64_t next_;
  std::int64_t next_range_ = 0;
};

/// Index of a place, which is a stream in a pool. Each request belongs to one place.
using PlaceId = std::uint32_t;
inline constexpr std::uint32_t kNoBlock = 0xffffffffU;

struct AllocatorCounts {
  std::uint64_t device_calls = 0;        ///< number of calls that returned memory
  std::uint64_t returned_to_device = 0;  ///< number of segments freed and ranges unmapped, for any reason
  std::uint64_t retries = 0;             ///< number of times that a request released all cached memory
  std::uint64_t garbage_collected = 0;   ///< number of segments that garbage collection released
};

struct FreeMemorySums {
  std::uint64_t free = 0;
  std::uint64_t releasable = 0;  ///< part of `free` in wholly free segments or expandable granules
  std::uint64_t largest = 0;     ///< largest free block
};

class AllocatorModel {
 public:
  AllocatorModel(const AllocatorRules& rules, AllocatorDevice& device) : rules_(rules), device_(device) {}

  /// Adds a place for requests of a stream in a pool. Places of a pool are released in the order of
  /// `stream_order`. `may_expand`: expandable segments may serve its requests. `is_default`: empty_cache()
  /// releases the place's memory.
  PlaceId add_place(std::uint32_t pool, std::uint64_t stream_order, bool may_expand, bool is_default);

  /// Returns the block for a request; kNoBlock if memory runs out.
  std::uint32_t allocate(PlaceId place, std::uint64_t requested);
  /// Marks a block as freed by the user while other streams still use it, until complete(). For a free that
  /// completes at once, complete() alone suffices.
  void request_free(std::uint32_t block);
  void complete(std::uint32_t block);
  /// Models empty_cache(): completes pending frees and releases the unused memory of default places.
  void release_cached();

  // Initial state: segments by address, with their blocks in order of address.
  struct Given {
    std::int64_t addr = 0;
    std::uint64_t size = 0;
    bool mapped = true;
    bool in_use = false;
  };
  /// Adds one segment, or the whole range of an expandable segment, which ends with an unmapped block.
  /// Returns the index of the first block; the other blocks follow it.
  std::uint32_t give_segment(PlaceId place, bool small, bool expandable, const std::vector<Given>& given);
  /// Maps memory at the address at which a request of the recording had mapped it before the request failed.
  /// Returns whether it could be mapped.
  bool map_at_address(std::int64_t addr, std::uint64_t bytes);
  /// Releases the unused segment at this address, in any pool. Returns whether there was one.
  bool release_at_address(std::int64_t addr);

  std::uint64_t reserved() const { return reserved_; }
  std::uint64_t active() const { return active_; }
  const AllocatorCounts& counts() const { return counts_; }
  std::int64_t addr_of(std::uint32_t block) const { return blocks_[block].addr; }
  std::uint64_t size_of(std::uint32_t block) const { return blocks_[block].size; }
  /// Returns sums over the free memory. O(free blocks).
  FreeMemorySums free_sums() const;
  const AllocatorRules& rules() const { return rules_; }

 private:
  struct Block {
    std::int64_t addr = 0;
    std::uint64_t size = 0;
    std::uint64_t requested_base = 0;  // value of asked_ when the block became free, for garbage collection
    std::int64_t base = 0;             // start of the expandable range
    std::uint32_t previous = kNoBlock;
    std::uint32_t next = kNoBlock;
    std::uint32_t list = 0;
    bool used = false;
    bool pending = false;
    bool mapped = true;
    bool expandable = false;

    bool is_whole_segment() const { return !expandable && previous == kNoBlock && next == kNoBlock; }
  };
  /// Free blocks of a place: either the small or the large ones.
  struct List {
    std::uint32_t pool = 0;
    std::uint64_t stream_order = 0;
    bool small = false;
    bool may_expand = true;
    bool is_default = true;
    FreeBlocks free;
    std::map<std::int64_t, std::uint32_t> unmapped;  // by address
  };

  std::uint32_t new_block(const Block& block);
  void recycle(std::uint32_t block) { unused_.push_back(block); }
  void insert_free(std::uint32_t block);
  void erase_free(std::uint32_t block);
  void link_after(std::uint32_t block, std::uint32_t before);
  bool can_take(std::uint32_t block) const;
  void merge(std::uint32_t into, std::uint32_t from);
  std::uint64_t reach_of(std::uint32_t block) const;

  std::uint32_t find_free(List& list, std::uint64_t size, bool expand);
  std::uint32_t new_segment(std::uint32_t list_number, std::uint64_t size, bool expand);
  std::uint32_t expand(std::uint32_t list_number, std::uint64_t size);
  std::uint32_t expandable_candidate(std::uint32_t list_number, std::uint64_t size);
  bool map(std::uint32_t block, std::uint64_t size);
  void unmap(std::uint32_t block);
  std::uint32_t aligned(std::uint32_t block, std::uint64_t size);
  void split(std::uint32_t block, std::uint64_t size, bool expand);
  bool release_available(List& list, std::uint64_t size);
  void release_segment(std::uint32_t block);
  void collect_garbage();
  bool fits(std::uint64_t more) const {
    return more <= rules_.capacity && reserved_ <= rules_.capacity - more;
  }

  AllocatorRules rules_;
  AllocatorDevice& device_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> unused_;
  std::vector<List> lists_;  // two per place: large blocks, then small ones
  std::vector<std::uint32_t> pending_;
  std::uint64_t reserved_ = 0;
  std::uint64_t active_ = 0;
  std::uint64_t asked_ = 0;  // number of requests for large blocks of the default pool
  AllocatorCounts counts_;
};

}  // namespace kino
