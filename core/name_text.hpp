// Names as they appear on slices: the shortest form of a kernel's, operator's or function's name that still
// says it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kino {

/// C++ kernels lose return type, namespaces, template arguments and parameters; Python frames their directory
/// and line; modules, copies, autograd wrappers and "## framed ##" annotations
/// what is the same for all of them. Names of other kinds
/// come back as they are. Never empty for a name that is not. O(length).
///   "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" -> "vectorized_elementwise_kernel"
///   "torch/nn/modules/module.py(1501): _call_impl" -> "module.py: _call_impl"
///   "Memcpy HtoD (Pageable -> Device)" -> "Memcpy HtoD"
std::string short_name(std::string_view name);

/// At most `most_bytes` of the begin of `text`, cut where a character begins.
std::string_view head_of(std::string_view text, std::size_t most_bytes);
/// The whole text if it has at most `most_bytes`, else its head and three dots.
std::string cut_text(std::string_view text, std::size_t most_bytes);

}  // namespace kino
