// Covers: open, archive
// Fuzz target: reads any bytes as a compressed file or an archive, and opens the traces in it.
#include <cstdint>
#include <string_view>

#include "loaders/bytes/file_kind.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kino_test::require;
  const std::string_view head(reinterpret_cast<const char*>(data), size);
  if (kino::kind_of(head) == kino::FileKind::text) return 0;
  const kino_test::MemoryFile file(data, size);
  const auto whole = kino_test::open_cut(file.path(), 4096);
  require(whole.ok() || !whole.error().what.str().empty(), "an error without a sentence");
  const auto contained = kino::traces_in_archive(file.fd(), file.path(), {});
  if (!contained) {
    require(!contained.error().what.str().empty(), "an error without a sentence");
    return 0;
  }
  std::size_t most = 8;  // an archive may name an entry any number of times
  for (const kino::ContainedTrace& trace : contained.value().traces) {
    if (most-- == 0) break;
    const auto entry = kino_test::open_cut(trace.path, 4096);
    require(entry.ok() || !entry.error().what.str().empty(), "an error without a sentence");
  }
  return 0;
}
