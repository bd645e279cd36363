// Generates traces for the benchmark: a file as Kineto writes it, and a model without a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/trace/trace.hpp"

namespace kino_test {

/// Writes training steps of a transformer, with Kineto's fields in Kineto's order, until the file has at
/// least `size_bytes`. Each call writes equal bytes. Returns a sentence on failure.
std::optional<std::string> write_kineto_trace(const std::filesystem::path& path, std::size_t size_bytes);

/// Writes whole training steps of 48 layers until the file has at least `slices` slices. The layers have the
/// same kernels, but layer 7 is a fifth slower. A step has four forward and backward passes, modules, arrows
/// between the passes, and collectives. Otherwise like write_kineto_trace().
std::optional<std::string> write_layered_trace(const std::filesystem::path& path, std::size_t slices);

/// Returns a trace with about `slices` slices: 8 GPU streams of consecutive kernels and 16 CPU threads of
/// nested operators, made by the loaders' builder. Null if memory is missing.
std::shared_ptr<const kino::Trace> make_large_trace(std::size_t slices);

}  // namespace kino_test
