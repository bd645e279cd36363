// Generates allocator snapshots for the benchmark: pickles as torch.cuda.memory._dump_snapshot() writes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace kino_test {

/// Writes a snapshot of one device with about `entries` allocator events of transformer training. Parameters
/// are older than the recording, the backward pass frees activations, and each step leaves a small
/// allocation. Keys, shared stacks and batched lists are those of PyTorch 2.12, protocol 4. Each call writes
/// equal bytes. Returns a sentence on failure.
std::optional<std::string> write_snapshot(const std::filesystem::path& path, std::size_t entries);

}  // namespace kino_test
