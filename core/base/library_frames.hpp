// Distinguishes library frames of a call stack from user code: one rule for snapshots and traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Whether a frame's file is Python code, including notebook cells and code from standard input.
bool is_python_file(std::string_view file);

/// Libraries to recognize. An entry without a slash is a package, wherever it is installed; "python" is the
/// standard library. An entry with a slash is a part of a path.
using LibraryList = std::vector<std::string>;
/// Returns torch with its backends and generated code, and the standard library. Packages built on them
/// (transformers, vllm, megatron, deepspeed) count as user code.
const LibraryList& default_libraries();

/// Whether a Python file of a snapshot's or trace's stack belongs to a library of the list or is generated
/// ("<string>"). O(entries * length).
bool is_library_file(std::string_view file, const LibraryList& libraries);
/// Whether a frame is not user code: C++, generated code, or a Python file of a library.
inline bool is_library_frame_of(std::string_view file, const LibraryList& libraries) {
  return !is_python_file(file) || is_library_file(file, libraries);
}

/// Whether the frame is a Python function through which PyTorch calls the code of the user or of another
/// library.
bool is_pass_through_frame(std::string_view file, std::string_view function);
/// Whether the C++ function captures stacks, belongs to an allocator, to c10 or to the standard library, or
/// is a destructor. Such functions are at the top of most stacks of allocations and carry no information
/// about the caller.
bool is_memory_bookkeeping(std::string_view function);
/// Whether the function belongs to the engine that runs the backward pass, as a C++ function or as an
/// operator of a trace. Nodes that the engine runs are excluded.
bool is_autograd_engine(std::string_view function);

}  // namespace kino
