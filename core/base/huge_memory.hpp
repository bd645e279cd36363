// Large arrays on huge pages, because the first touch of fresh memory is much cheaper than with 4 KiB pages.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace kino {

/// An anonymous mapping. A mapping of 2 MiB or more is aligned to huge pages and requests them.
class HugeMemory {
 public:
  HugeMemory() = default;
  /// Throws std::bad_alloc if the memory cannot be mapped. The memory reads as zero and uses no physical
  /// memory until it is touched.
  explicit HugeMemory(std::size_t size_bytes);
  HugeMemory(HugeMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  HugeMemory& operator=(HugeMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;
  ~HugeMemory();

  void* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }
  /// Returns the whole pages of [begin, end) to the system; these pages read as zero afterwards. In a mapping
  /// of 2 MiB or more, only whole huge pages are returned.
  void release(std::size_t begin, std::size_t end);

 private:
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// A fixed-size array of plain values in HugeMemory, initially zero: one column of the model.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  explicit Column(std::size_t size) : memory_(checked_bytes(size)), size_(size) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }
  std::span<const T> sub(std::size_t first, std::size_t count) const { return span().subspan(first, count); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  /// Releases the whole pages of elements [first, last), which must not be read again.
  void release(std::size_t first, std::size_t last) { memory_.release(first * sizeof(T), last * sizeof(T)); }

 private:
  static std::size_t checked_bytes(std::size_t size) {
    if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    return size * sizeof(T);
  }

  HugeMemory memory_;
  std::size_t size_ = 0;
};

/// Returns a column with one value per record, in order. `value_of` is a function or member of a record.
template <class Record, class ValueOf>
auto column_of(const std::vector<Record>& records, const ValueOf& value_of) {
  Column<std::remove_cvref_t<std::invoke_result_t<const ValueOf&, const Record&>>> column(records.size());
  std::ranges::transform(records, column.data(), value_of);
  return column;
}

/// An append-only list of plain records in blocks of at most 2 MiB. Growing copies nothing, and blocks can be
/// released one by one while the list is read in order.
template <class T>
class RecordList {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t kFirstRecords = 256;
  static constexpr std::size_t kBlockRecords = (std::size_t{2} << 20) / sizeof(T);
  /// Number of blocks at the start of the list that double in size, because most lists are short.
  static constexpr std::size_t kDoublings = std::bit_width(kBlockRecords / kFirstRecords);

 public:
  struct Block {
    Column<T> records;
    std::size_t used = 0;
    std::size_t released = 0;
    std::span<const T> span() const { return records.sub(0, used); }
    std::span<T> span() { return records.span().subspan(0, used); }
  };

  std::size_t size() const { return size_; }
  void push_back(const T& record) {
    Block& block = open_block();
    block.records[block.used++] = record;
    ++size_;
  }
  /// Appends many records.
  void append(std::span<const T> records) {
    while (!records.empty()) {
      Block& block = open_block();
      const std::size_t taken = std::min(records.size(), block.records.size() - block.used);
      std::memcpy(block.records.data() + block.used, records.data(), taken * sizeof(T));
      block.used += taken;
      size_ += taken;
      records = records.subspan(taken);
    }
  }
  /// Returns the first `count` records, block by block. Records do not move while the list grows.
  std::vector<std::span<const T>> first(std::size_t count) const {
    std::vector<std::span<const T>> spans;
    for (const Block& block : blocks_) {
      if (count == 0) break;
      spans.push_back(block.records.sub(0, std::min(count, block.used)));
      count -= spans.back().size();
    }
    return spans;
  }
  /// Returns record `i`, which is below size().
  T& operator[](std::size_t i) {
    const auto [block, at] = place_of(i);
    return blocks_[block].records[at];
  }
  /// Returns the records from index `i` to the end of their block; `i` is below size().
  std::span<const T> rest_of_block(std::size_t i) const {
    const auto [block, at] = place_of(i);
    return blocks_[block].span().subspan(at);
  }
  /// Releases records [first, last), which must not be read again nor released twice. A block is freed when
  /// all its records have been released, so the list must not grow afterwards. Threads may release records,
  /// and read others, at the same time.
  void release(std::size_t first, std::size_t last) {
    std::size_t begin = 0;  // index of the block's first record
    for (Block& block : blocks_) {
      const std::size_t end = begin + block.used;
      const std::size_t from = std::max(first, begin);
      const std::size_t until = std::min(last, end);
      if (from < until) {
        const std::size_t more = until - from;
        if (std::atomic_ref(block.released).fetch_add(more) + more == block.used) block.records = {};
      }
      begin = end;
    }
  }
  std::vector<Block>& blocks() { return blocks_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  void clear() {
    blocks_.clear();
    size_ = 0;
  }

 private:
  /// Index of the first record of a block, for `block` <= kDoublings.
  static constexpr std::size_t begin_of(std::size_t block) {
    return kFirstRecords * ((std::size_t{1} << block) - 1);
  }
  /// Returns the block of a record and its index in the block.
  static std::pair<std::size_t, std::size_t> place_of(std::size_t i) {
    const auto doubled = static_cast<std::size_t>(std::bit_width(i / kFirstRecords + 1) - 1);
    if (doubled < kDoublings) return {doubled, i - begin_of(doubled)};
    const std::size_t beyond = i - begin_of(kDoublings);
    return {kDoublings + beyond / kBlockRecords, beyond % kBlockRecords};
  }
  /// Returns the last block, after adding one if the last one is full or there is none.
  Block& open_block() {
    const std::size_t index = blocks_.size();
    if (index == 0 || blocks_.back().used == blocks_.back().records.size())
      blocks_.push_back(Block{Column<T>(index < kDoublings ? kFirstRecords << index : kBlockRecords)});
    return blocks_.back();
  }

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace kino
