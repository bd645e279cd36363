// What this process takes of the machine: memory, and its share of the processors.
#pragma once

#include <cstdint>

namespace kino {

/// The number of this process, which no other that runs has.
int process_number();
/// The most memory that it has had at once, in bytes.
std::uint64_t peak_memory_bytes();

/// The calling thread gives way to others by `nice` steps, at most kMostNice: then it gets what nobody else
/// wants.
inline constexpr int kMostNice = 19;
void lower_thread_priority(int nice);

/// What malloc() keeps of freed memory goes back to the system, where it is glibc's.
void give_back_freed_memory();
/// Blocks of 1 MiB and more go back when they are freed, whatever was freed before, where malloc() is
/// glibc's. For the begin of the program.
void give_back_large_blocks();

}  // namespace kino
