// Names as displayed: short forms of kernel, operator and function names, truncated texts, and distinct texts
// for distinct names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Returns the displayed form of a name. Removes return type, namespaces, template arguments and parameters
/// of C++ kernels, and directory and line of Python frames. Also removes the common affixes of modules,
/// copies, autograd wrappers and "## framed ##" annotations. Other names are only trimmed. Empty only for an
/// empty name. O(length).
///   "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" -> "vectorized_elementwise_kernel"
///   "torch/nn/modules/module.py(1501): _call_impl" -> "module.py: _call_impl"
///   "Memcpy HtoD (Pageable -> Device)" -> "Memcpy HtoD"
std::string short_name(std::string_view name);

/// Returns at most `most_bytes` from the start of `text`, cut between characters.
std::string_view head_of(std::string_view text, std::size_t most_bytes);
/// Returns the whole text if it has at most `most_bytes`, otherwise the result of head_of() and " ...".
std::string cut_text(std::string_view text, std::size_t most_bytes);

/// Returns the text if it has at most `most` characters, which must be 3 or more. Otherwise replaces its
/// middle by "...", so that the result has `most` characters.
std::string shortened_text(std::string_view text, std::size_t most);

/// Makes the displayed texts of different names differ. Equal texts get an excerpt from the first difference:
/// "gemm" for "gemm<4, A>" and "gemm<4, B>" becomes "gemm ... A>" and "gemm ... B>". `shown` contains the
/// displayed text of each name. If `most` is not 0, the text becomes the start of the name, "..." and the
/// excerpt, together at most `most` characters. Texts that no excerpt distinguishes are numbered. O(length of
/// all texts and of the names that collide).
std::vector<std::string> disambiguated(std::span<const std::string_view> names,
                                       std::vector<std::string> shown, std::size_t most = 0);

/// Like disambiguated(), for texts whose middle is cut on screen. Also adds excerpts to longer texts of which
/// only the middle differs: of texts with more than `most` characters, at least 8, that have equal results of
/// shortened_text(). O(length of all texts and of the names that collide).
std::vector<std::string> disambiguated_if_cut(std::span<const std::string_view> names,
                                              std::vector<std::string> shown, std::size_t most);

/// Precedes the excerpt in texts of disambiguated() without `most`.
inline constexpr std::string_view kExcerptMark = " ... ";

}  // namespace kino
