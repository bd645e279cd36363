// Opens, reads, writes and flushes files by descriptor, without conversion.
//
// The sentence of an error is only the system's text (see system_failure.hpp). A read or write that a signal
// interrupts is repeated, except by read_available().
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

/// File descriptor of standard input.
inline constexpr int kStandardInputFd = 0;

enum class Links : std::uint8_t { followed, refused };

/// Opens a file for reading. Never waits: a pipe opens at once, with or without a writer.
Result<Descriptor> open_to_read(const std::filesystem::path& path, Links links = Links::followed);
/// Opens an existing file, device or pipe for writing in place. For a pipe, waits until it has a reader.
Result<Descriptor> open_to_write(const std::filesystem::path& path);
/// Returns another descriptor of the same open file, with a number above the three standard ones.
Result<Descriptor> duplicate(int fd);
/// Makes `target` refer to the same open file as `fd`, atomically.
std::optional<Error> replace_descriptor(int fd, int target);
/// Creates a private file without a name, which disappears with its last descriptor. The file is in `folder`,
/// whose file system must support such files, or in memory.
Result<Descriptor> new_unnamed_file(const std::filesystem::path& folder);
Result<Descriptor> new_memory_file(const char* name);

/// Reads once at `offset` and returns the bytes read, 0 at the end. An error's offset is `offset`.
Result<std::size_t> read_some_at(int fd, std::span<std::byte> out, std::uint64_t offset);
/// Reads until `out` is full or the file ends; returns the bytes read. An error's offset is where the error
/// happened.
Result<std::size_t> read_at(int fd, std::span<std::byte> out, std::uint64_t offset);
/// Reads the available bytes of a pipe, socket or terminal. Returns 0 at its end, and nullopt if nothing
/// arrives within `patience` or a signal interrupts the wait.
Result<std::optional<std::size_t>> read_available(int fd, std::span<std::byte> out,
                                                  std::chrono::milliseconds patience);

/// Writes all data at the descriptor's position, or at `offset`. After an error, part of the data may have
/// been written.
std::optional<Error> write_all(int fd, std::span<const std::byte> data);
std::optional<Error> write_at(int fd, std::span<const std::byte> data, std::uint64_t offset);
std::optional<Error> set_size(int fd, std::uint64_t size_bytes);

/// Removes a file's name, but not a folder. The file remains usable through open descriptors.
std::optional<Error> remove_file(const std::filesystem::path& path);

/// Returns when the bytes [begin, begin + count) have been written to the disk or its cache, or at once if
/// the file system cannot flush a part. Calling this early makes a later flush_data() faster.
void flush_part(int fd, std::uint64_t begin, std::uint64_t count);
/// Returns when the disk has the content and the metadata that is needed to find it.
std::optional<Error> flush_data(int fd);
/// Returns when the disk has the content and all metadata.
std::optional<Error> flush_all(int fd);

/// Sets the access and modification times to now, if permitted.
void mark_used(int fd);
/// Sets permissions, as bits of chmod(2), if permitted.
void set_permissions(int fd, unsigned permissions);
/// Returns the permissions of new files of this process, as bits of chmod(2). Changes the umask for a moment,
/// so it must not be called while another thread creates files.
unsigned new_file_permissions();

}  // namespace kino
