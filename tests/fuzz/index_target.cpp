// Covers: index_file
// Fuzz target: changes bytes of an index file, corrects its checksums and reads it. The reader must neither
// crash nor hang, and every accepted trace must be safe to use. The input is a list of at most 16 changes of
// four bytes: an offset (24 bits) and a mask for exclusive or (8 bits).
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "loaders/bytes/gzip_source.hpp"
#include "loaders/cache/index_file.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/use_trace.hpp"

namespace {

using kino_test::MemoryFile;
using kino_test::require;

std::string content_of(const MemoryFile& file) {
  std::string content(static_cast<std::size_t>(::lseek(file.fd(), 0, SEEK_END)), '\0');
  require(::pread(file.fd(), content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
          "no content");
  return content;
}

MemoryFile file_with(const std::string& content) {
  return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
}

struct Base {
  std::string index;
  std::uint64_t text_bytes;
};

Base made_index() {
  const std::string text = kino_test::made_trace();
  const MemoryFile source = file_with(text);
  kino::OpenOptions options;
  options.threads = 1;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(source.path(), options, progress, {});
  require(opened.ok() && opened.value().trace->slice_count() > 2000, "the trace does not open");
  require(opened.value().trace->flows.size() > 0 && opened.value().trace->flows.launched.size() > 0,
          "the trace has no flows");
  const MemoryFile index = file_with("");
  kino::IndexedText places;
  places.seek_points.text_bytes = text.size();
  for (std::uint64_t i = 1; i <= 12; ++i)
    places.seek_points.points.push_back({100 * i, 8 * i, 0, 0, i == 12 ? std::uint64_t{1} : 0});
  places.seek_points.windows.resize(1);
  require(
      !kino::write_index(index.fd(), places, *opened.value().trace, {"/somewhere", text.size(), 1, 2}, {}),
      "the index cannot be written");
  return {content_of(index), text.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base base = made_index();
  std::string index = base.index;
  for (const std::uint32_t change : kino_test::changes_of({reinterpret_cast<const char*>(data), size})) {
    char& byte = index[(change >> 8) % index.size()];
    byte = static_cast<char>(byte ^ static_cast<char>(change & 0xffU));
  }
  kino::update_index_checksums(index);
  const MemoryFile file = file_with(index);
  const auto head = kino::read_index_head(file.fd());
  if (!head) return 0;
  kino::ReadTrace kept = kino::read_trace(file.fd(), *head, base.text_bytes, 1, {});
  const auto& trace = kept.trace;
  if (!trace) return 0;
  kino::Descriptor any_file(::dup(file.fd()));
  const kino::GzipSource text(any_file, {}, std::move(kept.text.seek_points));
  for (const std::uint64_t cut : text.cuts(1)) {
    const auto piece = text.read_text(cut, 1000);
    require(piece.ok() || !piece.error().what.str().empty(), "a text that cannot be read says nothing");
  }
  kino_test::use_trace(*trace);
  return 0;
}
