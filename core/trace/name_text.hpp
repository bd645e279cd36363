// Names as they appear on slices: the shortest form of a kernel's, operator's or function's name that still
// says it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// C++ kernels lose return type, namespaces, template arguments and parameters; Python frames their directory
/// and line; modules, copies, autograd wrappers and "## framed ##" annotations what is the same for all of
/// them. Names of other kinds come back as they are. Never empty for a name that is not. O(length).
///   "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" -> "vectorized_elementwise_kernel"
///   "torch/nn/modules/module.py(1501): _call_impl" -> "module.py: _call_impl"
///   "Memcpy HtoD (Pageable -> Device)" -> "Memcpy HtoD"
std::string short_name(std::string_view name);

/// At most `most_bytes` of the begin of `text`, cut where a character begins.
std::string_view head_of(std::string_view text, std::size_t most_bytes);
/// The whole text if it has at most `most_bytes`, else its head and three dots.
std::string cut_text(std::string_view text, std::size_t most_bytes);

/// At most `most` characters, the middle left out.
std::string shortened_text(std::string_view text, std::size_t most);

/// What is shown of names, with an excerpt from where they begin to differ after those that would look the
/// same though their names are not: "gemm" of "gemm<4, A>" and "gemm<4, B>" become "gemm ... A>" and
/// "gemm ... B>". `shown` is by name; with `most` other than 0 an excerpt takes the place of the end, so that
/// no more characters are shown than that. What no excerpt tells apart is numbered: no two names look the
/// same. O(length of all names that collide).
std::vector<std::string> told_apart(std::span<const std::string_view> names, std::vector<std::string> shown,
                                    std::size_t most = 0);

}  // namespace kino
