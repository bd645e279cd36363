// Opens, reads, writes and flushes files as the system has them: by descriptor, the bytes as they are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "core/base/platform/descriptor.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Errors have the system's text alone for their sentence (see system_failure.hpp). Each call is begun again
/// when a signal interrupts it. Any thread.

inline constexpr int kStandardInputFd = 0;

enum class Links : std::uint8_t { followed, refused };

/// Never waits: a pipe is open at once, whoever writes to it.
Result<Descriptor> open_to_read(const std::filesystem::path& path, Links links = Links::followed);
/// What is there already and keeps its place: a device, a pipe. Waits for who reads a pipe.
Result<Descriptor> open_to_write(const std::filesystem::path& path);
/// Another descriptor of the same open file, none of the three standard ones.
Result<Descriptor> duplicate(int fd);
/// `target` becomes another descriptor of the same open file as `fd`; whoever uses it meanwhile finds either.
std::optional<Error> put_in_place(int fd, int target);
/// A file without a name, for the owner alone to read and write, that is gone when the last descriptor of it
/// is: in a folder, whose file system must know such files, or in memory.
Result<Descriptor> new_unnamed_file(const std::filesystem::path& folder);
Result<Descriptor> new_memory_file(const char* name);

/// One read at `offset`; 0 at the end. An error's offset is `offset`.
Result<std::size_t> read_some_at(int fd, std::span<std::byte> out, std::uint64_t offset);
/// Reads until `out` is full or the file ends; how much it was. An error's offset is where it happened.
Result<std::size_t> read_at(int fd, std::span<std::byte> out, std::uint64_t offset);
/// What a pipe, a socket or a terminal has to give, 0 at its end; nullopt when it has nothing within
/// `patience`.
Result<std::optional<std::size_t>> read_arrived(int fd, std::span<std::byte> out,
                                                std::chrono::milliseconds patience);

/// At the descriptor's own place. After an error some of it may be written.
std::optional<Error> write_all(int fd, std::span<const std::byte> data);
std::optional<Error> write_at(int fd, std::span<const std::byte> data, std::uint64_t offset);
std::optional<Error> set_size(int fd, std::uint64_t size_bytes);

/// The name; what has it open keeps the file. No folder.
std::optional<Error> remove_file(const std::filesystem::path& path);

/// Returns when the disk has the bytes [begin, begin + count), or at once where the file system cannot do a
/// part: a hint that keeps flush_data() short.
void flush_part(int fd, std::uint64_t begin, std::uint64_t count);
/// Returns when the disk has the content, and what is needed to find it.
std::optional<Error> flush_data(int fd);
/// Returns when the disk has the content and all that is known of the file.
std::optional<Error> flush_all(int fd);

/// Sets the times of the last use and change to now, if that is allowed.
void mark_used(int fd);
/// Bits as of chmod(2). What cannot be set stays.
void set_permissions(int fd, unsigned permissions);
/// What a new file of this process gets, as bits of chmod(2). Not while another thread makes files.
unsigned new_file_permissions();

}  // namespace kino
