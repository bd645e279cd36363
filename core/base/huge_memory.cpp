#include "core/base/huge_memory.hpp"

#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

namespace kino {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Returns the page size: 4 KiB on x86-64, and 4 to 64 KiB on arm64, depending on how the kernel was built.
std::size_t page_bytes() {
  static const std::size_t bytes = static_cast<std::size_t>(std::max(::sysconf(_SC_PAGESIZE), 4096L));
  return bytes;
}

}  // namespace

HugeMemory::HugeMemory(std::size_t size_bytes) {
  if (size_bytes == 0) return;
  if (size_bytes > PTRDIFF_MAX - 2 * kHugePage) throw std::bad_alloc();
  // Round up to whole pages, so that a mapping a few bytes short of a huge page gets a huge page.
  const std::size_t page = page_bytes();
  size_bytes = (size_bytes + page - 1) / page * page;
  size_bytes_ = size_bytes;
  const std::size_t slack = size_bytes >= kHugePage ? kHugePage : 0;
  void* raw = ::mmap(nullptr, size_bytes + slack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  data_ = raw;
  if (slack == 0) return;
  // Trim to an aligned start so that the kernel can use huge pages from the first byte.
  const auto address = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t end = aligned + size_bytes;
  if (aligned > address) ::munmap(raw, aligned - address);
  const std::uintptr_t raw_end = address + size_bytes + slack;
  if (raw_end > end)
    ::munmap(reinterpret_cast<void*>(end), raw_end - end);  // NOLINT(performance-no-int-to-ptr)
  data_ = reinterpret_cast<void*>(aligned);                 // NOLINT(performance-no-int-to-ptr)
  ::madvise(data_, size_bytes, MADV_HUGEPAGE);              // only advice: a failure only affects speed
}

HugeMemory::~HugeMemory() {
  if (data_ != nullptr) ::munmap(data_, size_bytes_);
}

void HugeMemory::release(std::size_t begin, std::size_t end) {
  // Release whole huge pages only, because splitting a huge page costs more than it returns.
  const std::size_t unit = size_bytes_ >= kHugePage ? kHugePage : page_bytes();
  const std::size_t first = (begin + unit - 1) / unit * unit;
  const std::size_t last = std::min(end, size_bytes_) / unit * unit;
  if (first < last) ::madvise(static_cast<char*>(data_) + first, last - first, MADV_DONTNEED);
}

}  // namespace kino
