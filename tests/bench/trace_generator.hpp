// Makes traces for the benchmark: a file as Kineto writes it, and a model without a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/trace/trace.hpp"

namespace kino_test {

/// Writes training steps of a transformer, one event after the other with Kineto's fields in its order, until
/// the file has at least so many bytes. The same bytes each time. Returns what went wrong, if anything did.
std::optional<std::string> write_kineto_trace(const std::filesystem::path& path, std::size_t size_bytes);

/// About `slices` slices: 8 GPU streams of back-to-back kernels and 16 CPU threads of nested operators, made
/// by the builder that loaders use. Null when there is not enough memory.
std::shared_ptr<const kino::Trace> make_large_trace(std::size_t slices);

}  // namespace kino_test
