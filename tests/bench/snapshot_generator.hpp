// Makes allocator snapshots for the benchmark: pickles as torch.cuda.memory._dump_snapshot() writes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace kino_test {

/// Writes the snapshot of one device in which a transformer was trained until the trace had `entries`
/// entries: parameters from before the recording, activations that the backward pass frees, gradients, a
/// little that stays in each step; with the keys, the shared stacks and the batched lists of PyTorch 2.12,
/// protocol 4. The same bytes each time. Returns what went wrong, if anything did.
std::optional<std::string> write_snapshot(const std::filesystem::path& path, std::size_t entries);

}  // namespace kino_test
