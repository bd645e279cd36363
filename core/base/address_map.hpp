// Hash map from addresses, or other 64-bit keys, to 32-bit values: for live blocks while a snapshot is
// replayed, and for row keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kino {

/// Uses linear probing without tombstones, so repeated insertion and removal do not slow lookups down.
/// Pointers are valid until the next change. Amortized O(1).
class AddressMap {
 public:
  AddressMap() : slots_(kFirstSlots) {}

  std::size_t size() const { return used_; }

  const std::uint32_t* find(std::uint64_t addr) const {
    const std::size_t i = slot_of(addr);
    return slots_[i].used ? &slots_[i].value : nullptr;
  }

  void set(std::uint64_t addr, std::uint32_t value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[slot_of(addr)];
    if (!slot.used) ++used_;
    slot = {addr, value, true};
  }

  void erase(std::uint64_t addr) {
    std::size_t hole = slot_of(addr);
    if (!slots_[hole].used) return;
    --used_;
    // Moves entries after the hole into it if a probe for them would stop at the hole.
    for (std::size_t i = next(hole); slots_[i].used; i = next(i)) {
      const std::size_t home = home_of(slots_[i].addr);
      if (((i - home) & mask()) >= ((i - hole) & mask())) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = {};
  }

 private:
  struct Slot {
    std::uint64_t addr = 0;
    std::uint32_t value = 0;
    bool used = false;
  };
  static constexpr std::size_t kFirstSlots = 1024;

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home_of(std::uint64_t addr) const {
    std::uint64_t hash = addr * 0x9E3779B97F4A7C15U;  // Fibonacci hashing: the low bits of addresses are 0
    hash ^= hash >> 32U;
    return static_cast<std::size_t>(hash) & mask();
  }
  /// Returns the slot of `addr`, or the free slot where it belongs.
  std::size_t slot_of(std::uint64_t addr) const {
    std::size_t i = home_of(addr);
    while (slots_[i].used && slots_[i].addr != addr) i = next(i);
    return i;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) slots_[slot_of(slot.addr)] = slot;
    }
  }

  std::vector<Slot> slots_;  // size is a power of two
  std::size_t used_ = 0;
};

}  // namespace kino
