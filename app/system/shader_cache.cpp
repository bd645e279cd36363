#include "app/system/shader_cache.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/result.hpp"

namespace kino {
namespace {

namespace fs = std::filesystem;

/// Free space that the cache needs. Mesa's index takes 1.25 MiB (65,536 keys of 20 bytes), and the shaders of
/// this program take less than 1 MiB.
constexpr std::uint64_t kNeededBytes = std::uint64_t{4} << 20;
/// Cache folders of Mesa; the name depends on how Mesa stores entries (src/util/disk_cache_os.c, 22.3).
constexpr std::array kMesaFolders{"mesa_shader_cache", "mesa_shader_cache_sf"};

fs::path from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_set(const char* name) { return !from_environment(name).empty(); }

/// Returns the parent of the driver's cache folder; empty if there is none.
fs::path cache_base() {
  for (const char* const name : {"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR", "XDG_CACHE_HOME"}) {
    if (fs::path folder = from_environment(name); !folder.empty()) return folder;
  }
  const fs::path home = from_environment("HOME");
  return home.empty() ? fs::path() : home / ".cache";
}

/// Returns the folder itself if it exists, else the nearest existing folder above it.
fs::path nearest_folder(fs::path folder) {
  std::error_code code;
  folder = fs::absolute(folder, code);
  while (!fs::is_directory(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

/// Allocates the holes of an existing index, so that it can be written even if the disk becomes full.
std::optional<Error> fill_index(const fs::path& index) {
  const Result<FileFacts> facts = file_facts(index);
  if (!facts || facts.value().type != FileType::regular) return std::nullopt;
  if (facts.value().disk_bytes >= facts.value().stamp.size_bytes) return std::nullopt;
  const Result<Descriptor> file = open_to_write(index);
  if (!file) return std::nullopt;  // the driver cannot map it for writing either
  return reserve(file.value().fd, facts.value().stamp.size_bytes);
}

/// Returns an error if there is too little room. Returns nullopt if there is enough, or if the folder is not
/// writable, since the driver then has no cache.
std::optional<Error> lack_of_room(const fs::path& base) {
  const auto no_space = [](const std::optional<Error>& error) {
    return error && error->kind == Error::Kind::no_space;
  };
  // Reserve the space and release it again, since the free space of a disk does not reflect quotas.
  const Result<NewFile> probe = NewFile::create(nearest_folder(base));
  std::optional<Error> error =
      probe ? reserve(probe.value().fd(), kNeededBytes) : std::optional(probe.error());
  for (std::size_t i = 0; !no_space(error) && i < kMesaFolders.size(); ++i)
    error = fill_index(base / kMesaFolders[i] / "index");
  return no_space(error) ? error : std::nullopt;
}

}  // namespace

std::optional<Message> switch_off_shader_cache_without_room() {
  const fs::path base = cache_base();
  if (base.empty() || is_set("MESA_SHADER_CACHE_DISABLE")) return std::nullopt;
  const std::optional<Error> error = lack_of_room(base);
  if (!error) return std::nullopt;
  ::setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  ::setenv("__GL_SHADER_DISK_CACHE", "0", 1);  // NVIDIA's driver
  return Message(msg::log_shaders_are_not_cached, error->what, base.string());
}

}  // namespace kino
