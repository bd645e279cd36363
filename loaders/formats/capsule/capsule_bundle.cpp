#include "loaders/formats/capsule/capsule_bundle.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <archive.h>
#include <archive_entry.h>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_io.hpp"
#include "loaders/formats/capsule/capsule.hpp"
#include "loaders/formats/capsule/output_file.hpp"
#include "loaders/formats/capsule/pack.hpp"

namespace kino {
namespace {

using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using EntryHeader = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

constexpr std::size_t kPiece = std::size_t{1} << 20;

Error write_failure(archive* writer) {
  const char* const why = archive_error_string(writer);
  return {Error::Kind::system,
          "The capsules cannot be written: " + std::string(why != nullptr ? why : "unknown")};
}

std::optional<Error> add(archive* writer, const std::string& name, const std::filesystem::path& file) {
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(file, code);
  Result<Descriptor> in = open_to_read(file);
  if (!in.ok()) return in.error();
  const EntryHeader entry(archive_entry_new(), &archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  if (archive_write_header(writer, entry.get()) != ARCHIVE_OK) return write_failure(writer);
  std::string piece(kPiece, '\0');
  for (std::uint64_t at = 0; at < size;) {
    const Result<std::size_t> got = read_at(in->fd, std::as_writable_bytes(std::span(piece)), at);
    if (!got.ok()) return got.error();
    if (got.value() == 0) return write_failure(writer);
    if (archive_write_data(writer, piece.data(), got.value()) != static_cast<la_ssize_t>(got.value()))
      return write_failure(writer);
    at += got.value();
  }
  return std::nullopt;
}

}  // namespace

CapsuleBundle::~CapsuleBundle() {
  std::error_code code;
  for (const Entry& entry : entries_) std::filesystem::remove(entry.file, code);
}

std::filesystem::path CapsuleBundle::next(const std::string& file_name) {
  std::string stem = file_name;
  for (const std::string_view ending :
       {".gz", ".zst", ".xz", ".json", ".trace", ".pt", ".kino", ".pickle", ".pkl", ".html"}) {
    if (stem.ends_with(ending) && stem.size() > ending.size()) stem.resize(stem.size() - ending.size());
  }
  std::string name = stem + std::string(kCapsuleExtension);
  const auto taken = [&](const std::string& wanted) {
    return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.name == wanted; });
  };
  for (int number = 2; taken(name); ++number) {
    name = stem + "_" + std::to_string(number) + std::string(kCapsuleExtension);
  }
  const std::string unique = std::to_string(random_redaction_key()[0]);
  entries_.push_back({name, std::filesystem::path(out_) += "." + unique + std::string(kCapsuleExtension)});
  return entries_.back().file;
}

Result<std::uint64_t> CapsuleBundle::finish() {
  Result<OutputFile> file = OutputFile::create(out_);
  if (!file.ok()) return file.error();
  const Writer writer(archive_write_new(), &archive_write_free);
  archive_write_set_format_pax_restricted(writer.get());
  if (archive_write_open_fd(writer.get(), file->file.fd()) != ARCHIVE_OK) return write_failure(writer.get());
  for (const Entry& entry : entries_) {
    if (auto error = add(writer.get(), entry.name, entry.file)) return std::move(*error);
  }
  if (archive_write_close(writer.get()) != ARCHIVE_OK) return write_failure(writer.get());
  if (auto error = file->publish()) return std::move(*error);
  std::error_code code;
  return std::filesystem::file_size(file->target, code);
}

}  // namespace kino
