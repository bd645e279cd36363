// The global operator new of a test program: counts what it gives, and fails on demand. In a file of its own,
// so that no compiler sees malloc behind a new expression and takes the delete for a mismatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kino_test {

/// The most bytes that were in use at once beyond those in use before, by all threads.
std::int64_t peak_bytes_of(const std::function<void()>& body);

/// Allocations that were not freed yet, by all threads.
std::int64_t live_allocations();

/// Asked before each allocation, by every thread; true lets it fail. It must not allocate.
using AllocationFails = bool (*)(std::size_t bytes);
/// From now on; null: none fails.
void set_allocation_fails(AllocationFails fails);

}  // namespace kino_test
