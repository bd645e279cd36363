#include "core/base/library_frames.hpp"

#include <algorithm>
#include <array>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::string_view kStandardLibrary = "python";

bool is_slash(char c) { return c == '/' || c == '\\'; }

/// Whether path characters are equal. Slash and backslash count as equal, because paths may be recorded on
/// Windows.
bool same_in_path(char a, char b) { return a == b || (is_slash(a) && is_slash(b)); }

/// Whether the path contains `before`, a slash, and `name`, followed by a slash or by ".py" at the end. If
/// `before` is empty, `name` must be at the start.
bool is_in_folder(std::string_view file, std::string_view before, std::string_view name) {
  for (std::size_t at = file.find(name); at != file.npos; at = file.find(name, at + 1)) {
    const std::string_view rest = file.substr(at + name.size());
    if (rest.empty() || (!is_slash(rest.front()) && rest != ".py")) continue;
    if (before.empty()
            ? at == 0
            : at > before.size() && is_slash(file[at - 1]) && file.substr(0, at - 1).ends_with(before))
      return true;
  }
  return false;
}

/// Whether the file belongs to the package: in site-packages or dist-packages, relative to such a folder (as
/// the profiler writes it), or in the package's own repository (/src/vllm/vllm, /src/pytorch/torch).
bool is_of_package(std::string_view file, std::string_view package) {
  return is_in_folder(file, "site-packages", package) || is_in_folder(file, "dist-packages", package) ||
         is_in_folder(file, "", package) || is_in_folder(file, package, package) ||
         is_in_folder(file, "py" + std::string(package), package);
}

/// Whether the path is a file of the standard library that calls user code, relative to the library's folder,
/// as the profiler writes it.
bool is_bare_standard_file(std::string_view file) {
  constexpr std::array<std::string_view, 13> kFiles{
      "threading.py", "runpy.py",  "contextlib.py", "functools.py",  "selectors.py",
      "queue.py",     "pickle.py", "copyreg.py",    "subprocess.py", "socketserver.py",
      "tempfile.py",  "abc.py",    "enum.py"};
  constexpr std::array<std::string_view, 6> kFolders{"asyncio/",   "concurrent/", "multiprocessing/",
                                                     "importlib/", "logging/",    "unittest/"};
  return std::ranges::find(kFiles, file) != kFiles.end() ||
         std::ranges::any_of(kFolders, [&](std::string_view folder) { return file.starts_with(folder); });
}

/// Whether the file belongs to the standard library, such as /usr/lib/python3.12/threading.py and
/// C:\Python312\Lib\threading.py. Packages installed below the library's folder do not belong to it.
bool is_of_standard_library(std::string_view file) {
  if (contains(file, "-packages")) return false;
  return contains(file, "/lib/python3") || contains(file, "\\lib\\") || contains(file, "\\Lib\\") ||
         is_bare_standard_file(file);
}

bool is_of(std::string_view file, std::string_view library) {
  if (library.empty()) return false;
  if (library == kStandardLibrary) return is_of_standard_library(file);
  if (std::ranges::any_of(library, is_slash))
    return std::search(file.begin(), file.end(), library.begin(), library.end(), same_in_path) != file.end();
  return is_of_package(file, library);
}

template <std::size_t N>
bool holds_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

}  // namespace

bool is_python_file(std::string_view file) {
  return file.ends_with(".py") || file.starts_with("<ipython-input") || file == "<stdin>";
}

const LibraryList& default_libraries() {
  // torchinductor writes generated code below /tmp/torchinductor_USER.
  static const LibraryList list{"python",    "torch",          "torch_npu",
                                "torch_xla", "torch_musa",     "intel_extension_for_pytorch",
                                "functorch", "/torchinductor_"};
  return list;
}

bool is_library_file(std::string_view file, const LibraryList& libraries) {
  if (file.starts_with('<')) return !is_python_file(file);
  return std::ranges::any_of(libraries, [&](const std::string& library) { return is_of(file, library); });
}

bool is_pass_through_frame(std::string_view file, std::string_view function) {
  const auto is = [&](std::string_view part) {
    return file.size() >= part.size() &&
           std::equal(part.begin(), part.end(), file.end() - part.size(), same_in_path);
  };
  return (is("torch/nn/modules/module.py") && function.ends_with("_call_impl")) ||
         is("torch/utils/_contextlib.py");
}

bool is_memory_bookkeeping(std::string_view function) {
  constexpr std::array<std::string_view, 7> kParts{
      "unwind",        "gather_with_cpp",  "CapturedTraceback",   "gatherContext",
      "GatherContext", "CachingAllocator", "CachingHostAllocator"};
  constexpr std::array<std::string_view, 6> kBegins{
      "c10::", "void c10::", "std::", "void std::", "local_raw_", "__gnu_cxx::"};
  if (holds_any(function, kParts) || contains(function, "::~")) return true;
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return function.starts_with(begin); });
}

bool is_autograd_engine(std::string_view function) {
  constexpr std::array<std::string_view, 4> kParts{
      "autograd::Engine::", "autograd::python::PythonEngine::", "autograd::engine::", "THPEngine_"};
  return holds_any(function, kParts);
}

}  // namespace kino
