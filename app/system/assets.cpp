#include "app/system/assets.hpp"

#include <array>
#include <system_error>

namespace kino {
namespace {

std::filesystem::path program_folder() {
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
}

std::filesystem::path data_beside_program() {
  return program_folder().parent_path() / "share" / "kinetoscope";
}

}  // namespace

std::optional<std::filesystem::path> find_sample() {
  std::error_code code;
  const std::array<std::filesystem::path, 3> folders = {data_beside_program(), KINETOSCOPE_DATADIR,
                                                        KINETOSCOPE_SOURCE_ASSETS};
  for (const std::filesystem::path& folder : folders) {
    for (const char* name : {"sample.pt.trace.json.gz", "sample.pt.trace.json"}) {
      if (std::filesystem::is_regular_file(folder / "sample" / name, code)) return folder / "sample" / name;
    }
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> find_guide() {
  std::error_code code;
  const std::array<std::filesystem::path, 4> folders = {
      program_folder() / "documents", program_folder().parent_path() / "share" / "doc" / "kinetoscope",
      KINETOSCOPE_DOCDIR, KINETOSCOPE_SOURCE_ASSETS};
  for (const std::filesystem::path& folder : folders) {
    for (const char* name : {"index.html", "README.md"}) {
      if (std::filesystem::is_regular_file(folder / "guide" / name, code)) return folder / "guide" / name;
    }
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> find_bundled_fonts() {
  std::error_code code;
  std::filesystem::path folder = data_beside_program() / "fonts";
  if (!std::filesystem::is_directory(folder, code)) return std::nullopt;
  return folder;
}

}  // namespace kino
