#include "loaders/bytes/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <isa-l/igzip_lib.h>

#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/platform/system_failure.hpp"

namespace kino {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

Error write_failure(const Error& why) {
  const Error::Kind kind = why.kind == Error::Kind::not_found ? Error::Kind::system : why.kind;
  return {kind, "the file cannot be written (" + why.what.str() + ")"};
}

}  // namespace

struct TextFile::State {
  std::filesystem::path target;
  std::optional<NewFile> replacing;  // empty: written directly
  Descriptor direct;
  bool compressed = false;
  std::string pending;  // not written yet
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> level_memory;
  isal_zstream stream{};
  std::uint64_t bytes = 0;

  int fd() const { return replacing ? replacing->fd() : direct.fd; }

  std::optional<Error> put(const void* data, std::size_t size) {
    if (const auto error = write_all(fd(), {static_cast<const std::byte*>(data), size}))
      return write_failure(*error);
    bytes += size;
    return std::nullopt;
  }

  void start_compressing() {
    compressed = true;
    packed.resize(kBufferBytes);
    level_memory.resize(ISAL_DEF_LVL1_DEFAULT);
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = level_memory.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_memory.size());
    stream.gzip_flag = IGZIP_GZIP;
  }

  std::optional<Error> drain(bool last) {
    if (!compressed) {
      auto error = put(pending.data(), pending.size());
      pending.clear();
      return error;
    }
    stream.next_in = reinterpret_cast<std::uint8_t*>(pending.data());
    stream.avail_in = static_cast<std::uint32_t>(pending.size());
    stream.end_of_stream = last ? 1 : 0;
    do {
      stream.next_out = packed.data();
      stream.avail_out = static_cast<std::uint32_t>(packed.size());
      if (isal_deflate(&stream) != COMP_OK)
        return Error{Error::Kind::system, "the text cannot be compressed"};
      if (auto error = put(packed.data(), packed.size() - stream.avail_out)) return error;
    } while (stream.avail_out == 0);
    pending.clear();
    return std::nullopt;
  }
};

TextFile::TextFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile::~TextFile() = default;

Result<TextFile> TextFile::create(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  std::error_code code;
  // If a link is dangling, its target is created.
  state->target = resolve_links(std::filesystem::absolute(path, code));
  if (code || state->target.empty()) state->target = path;
  const Result<FileFacts> old = file_facts(state->target);
  if (old && old.value().type == FileType::folder) return write_failure(system_failure(EISDIR));
  if (old && old.value().type != FileType::regular) {
    Result<Descriptor> file = open_to_write(state->target);
    if (!file) return write_failure(file.error());
    state->direct = std::move(*file);
  } else {
    Result<NewFile> made = NewFile::create(state->target.parent_path());
    if (!made.ok()) return made.error();
    state->replacing.emplace(std::move(made).value());
    // Needed because only the owner can access a NewFile.
    set_permissions(state->fd(), old ? old.value().permissions : new_file_permissions());
  }
  if (path.extension() == ".gz") state->start_compressing();
  return TextFile(std::move(state));
}

std::optional<Error> TextFile::write(std::string_view text) {
  while (!text.empty()) {
    const std::size_t room = kBufferBytes - std::min(kBufferBytes, state_->pending.size());
    const std::string_view piece = text.substr(0, room);
    state_->pending.append(piece);
    text.remove_prefix(piece.size());
    if (state_->pending.size() < kBufferBytes) break;
    if (auto error = state_->drain(false)) return error;
  }
  return std::nullopt;
}

Result<std::uint64_t> TextFile::finish() {
  if (auto error = state_->drain(true)) return std::move(*error);
  if (!state_->replacing) return state_->bytes;
  if (const auto error = flush_all(state_->fd())) return write_failure(*error);
  if (auto error = state_->replacing->publish(state_->target.filename().string())) return std::move(*error);
  return state_->bytes;
}

}  // namespace kino
