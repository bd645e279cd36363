#include "loaders/formats/capsule/output_file.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"

namespace kino {

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::path target = resolve_links(std::filesystem::absolute(path, code));
  if (code || target.empty()) target = path;
  const Result<FileFacts> old = file_facts(target);
  if (old && old.value().type != FileType::regular) {
    return Error{Error::Kind::not_a_file,
                 "A capsule can only be written to a file, not to a folder or device"};
  }
  Result<NewFile> file = NewFile::create(target.parent_path());
  if (!file.ok()) return file.error();
  // Needed because only the owner can access a NewFile.
  set_permissions(file->fd(), old ? old.value().permissions : new_file_permissions());
  return OutputFile{std::move(file).value(), std::move(target)};
}

std::optional<Error> OutputFile::publish() {
  if (auto error = flush_all(file.fd())) return error;
  return file.publish(target.filename().string());
}

}  // namespace kino
