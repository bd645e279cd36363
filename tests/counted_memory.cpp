#include "counted_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<kino_test::AllocationFails> allocation_fails{nullptr};
std::atomic<std::int64_t> live{0};        // allocations not freed
std::atomic<std::int64_t> live_bytes{0};  // theirs
std::atomic<std::int64_t> peak_bytes{0};  // the most of them since it was last set

void* allocate(std::size_t size, std::size_t alignment) {
  const kino_test::AllocationFails fails = allocation_fails.load(std::memory_order_relaxed);
  if (fails != nullptr && fails(size)) throw std::bad_alloc();
  void* const memory = alignment == 0
                           ? std::malloc(std::max<std::size_t>(size, 1))
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  ++live;
  const auto given = static_cast<std::int64_t>(::malloc_usable_size(memory));
  const std::int64_t now = live_bytes.fetch_add(given) + given;
  for (std::int64_t peak = peak_bytes.load(); now > peak && !peak_bytes.compare_exchange_weak(peak, now);) {
  }
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  --live;
  live_bytes -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

std::int64_t kino_test::peak_bytes_of(const std::function<void()>& body) {
  const std::int64_t before = live_bytes.load();
  peak_bytes = before;
  body();
  return peak_bytes.load() - before;
}

std::int64_t kino_test::live_allocations() { return live.load(); }

void kino_test::set_allocation_fails(AllocationFails fails) { allocation_fails = fails; }

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// The library's own would do, but a sanitizer replaces it by one whose memory free() may not take.
void* operator new(std::size_t size, const std::nothrow_t& /*kind*/) noexcept {
  try {
    return allocate(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
