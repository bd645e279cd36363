// Which frames of a stack are of libraries and not of the code that people look for: one rule for snapshots
// and traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Also a cell of a notebook, or what was typed.
bool is_python_file(std::string_view file);

/// The libraries that frames are told by. An entry without a slash is a package, wherever it is installed;
/// "python" is the standard library. One with a slash is a part of a path.
using LibraryList = std::vector<std::string>;
/// torch with its backends, and the standard library; what is built on them (transformers, vllm, megatron,
/// deepspeed) is what people look for.
const LibraryList& default_libraries();

/// Whether a Python file, as a stack of a snapshot or of a trace has it, is of a library of the list, or
/// generated ("<string>"). O(entries * length).
bool is_library_file(std::string_view file, const LibraryList& libraries);
/// Whether a frame is none of the code that people look for: of C++, or of a library's Python file.
inline bool is_library_frame_of(std::string_view file, const LibraryList& libraries) {
  return !is_python_file(file) || is_library_file(file, libraries);
}

/// Python frames through which PyTorch calls what the user or another library wrote: they say nothing about
/// what is called.
bool only_passes_on(std::string_view file, std::string_view function);
/// C++ functions that take the stack, give and return memory, or hold it (c10's storages, destructors): they
/// stand on top of every stack and say nothing about where.
bool is_memory_bookkeeping(std::string_view function);
/// The engine that runs the backward pass, as C++ calls it or as an operator of a trace; not its steps.
bool is_autograd_engine(std::string_view function);

}  // namespace kino
