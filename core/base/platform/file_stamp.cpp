#include "core/base/platform/file_stamp.hpp"

#include "core/base/platform/file_facts.hpp"

namespace kino {
namespace {

std::optional<FileStamp> stamp_in(const Result<FileFacts>& facts) {
  return facts ? std::optional(facts.value().stamp) : std::nullopt;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) { return stamp_in(file_facts(path)); }

std::optional<FileStamp> stamp_of(int fd) { return stamp_in(file_facts(fd)); }

std::optional<FileStamp> stamp_of_program() { return stamp_of(std::filesystem::path("/proc/self/exe")); }

}  // namespace kino
