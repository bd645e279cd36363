// Covers: capsule_reader
// Fuzz target: changes bytes of a capsule, corrects its checksums and reads it. The reader must neither crash
// nor hang, and every accepted trace must be safe to use. The input is a list of at most 16 changes of four
// bytes: an offset (24 bits) and a mask for exclusive or (8 bits). They are applied to the catalog of a
// trace, to the catalog of a snapshot, and to a block of arguments.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/bytes/zstd_frame.hpp"
#include "loaders/formats/capsule/argument_block.hpp"
#include "loaders/formats/capsule/capsule_details.hpp"
#include "loaders/formats/capsule/capsule_reader.hpp"
#include "loaders/formats/capsule/pack.hpp"
#include "loaders/formats/capsule/snapshot_capsule.hpp"
#include "loaders/formats/capsule/text_in_memory.hpp"
#include "loaders/formats/open.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/use_trace.hpp"

namespace {

using kino_test::require;

constexpr std::size_t kMostText = std::size_t{1} << 20;

struct Base {
  std::string parts;  ///< all bytes before the catalog
  std::string catalog;
  kino::CapsuleFooter footer;
  std::string block;  ///< a decompressed block of arguments
};

Base made_capsule() {
  const kino_test::TemporaryFolder folder;
  const auto trace = folder.write("t.json", kino_test::made_trace());
  kino::OpenOptions options;
  options.threads = 1;
  kino::LoadProgress progress;
  const auto opened = kino::open_trace(trace, options, progress, {});
  require(opened.ok(), "the trace does not open");
  std::atomic<double> done{0};
  kino::PackOptions packing;
  packing.threads = 1;
  require(kino::pack_trace(opened.value(), packing, folder.path() / "t.kino", done, {}).ok(),
          "it cannot be packed");
  std::ifstream in(folder.path() / "t.kino", std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Base base;
  std::memcpy(&base.footer, content.data() + content.size() - sizeof base.footer, sizeof base.footer);
  base.parts = content.substr(0, base.footer.catalog.offset);
  const kino::TextInMemory file(content);
  base.catalog = kino::read_part(file, base.footer.catalog).value();
  base.block =
      kino::read_part(file, kino::read_capsule(file, 1, {}).value().facts.slice_arguments.front()).value();
  return base;
}

std::string changed(std::string bytes, std::string_view data) {
  for (const std::uint32_t change : kino_test::changes_of(data)) {
    char& byte = bytes[(change >> 8) % bytes.size()];
    byte = static_cast<char>(byte ^ static_cast<char>(change & 0xffU));
  }
  return bytes;
}

/// Makes the capsule of a snapshot. Only its catalog will be changed.
Base made_snapshot_capsule() {
  const kino_test::TemporaryFolder folder;
  const auto file =
      folder.write("s.json",
                   R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 4096, "size": 512,
    "stream": 0, "frames": [{"name": "f", "filename": "a.py", "line": 1}]}]]})");
  kino::OpenOptions options;
  options.keep_text = true;
  kino::LoadProgress progress;
  const auto opened = kino::open_snapshot(file, options, progress, {});
  require(opened.ok(), "the snapshot does not open");
  std::atomic<double> done{0};
  require(kino::pack_snapshot(opened.value(), {.threads = 1}, folder.path() / "s.kino", done, {}).ok(),
          "it cannot be packed");
  std::ifstream in(folder.path() / "s.kino", std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Base base;
  std::memcpy(&base.footer, content.data() + content.size() - sizeof base.footer, sizeof base.footer);
  base.parts = content.substr(0, base.footer.catalog.offset);
  base.catalog = kino::read_part(kino::TextInMemory(content), base.footer.catalog).value();
  return base;
}

std::string capsule_of(const Base& base, const std::string& catalog) {
  std::string content = base.parts + kino::zstd_packed(catalog, 1);
  kino::CapsuleFooter footer = base.footer;
  footer.catalog.bytes = catalog.size();
  content.append(reinterpret_cast<const char*>(&footer), sizeof footer);
  kino::update_capsule_checksums(content);
  return content;
}

void open_changed_snapshot(std::string_view input) {
  static const Base base = made_snapshot_capsule();
  const auto file = std::make_shared<kino::TextInMemory>(capsule_of(base, changed(base.catalog, input)));
  kino::GrowingText text(file);
  text.grow_to(file->size_bytes());
  text.finish();
  kino::LoadProgress progress;
  const auto opened = kino::open_snapshot_capsule({text, {}, progress, {}, [] { return kino::DamageLog(); }});
  require(opened.ok() || !opened.error().what.str().empty(), "a capsule that does not open says nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base base = made_capsule();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto block = kino::ArgumentBlock::read(changed(base.block, input))) {
    for (std::size_t i = 0; i < block->size(); i += 7)
      require(block->text(i, kMostText).size() <= kMostText, "a text is larger than asked");
  }
  open_changed_snapshot(input);
  const auto file =
      std::make_shared<const kino::TextInMemory>(capsule_of(base, changed(base.catalog, input)));
  const auto capsule = kino::read_capsule(*file, 1, {});
  if (!capsule.ok()) return 0;
  kino_test::use_trace(*capsule.value().trace);
  const auto details = kino::capsule_details(capsule.value().trace, file, capsule.value().facts);
  for (std::uint32_t i = 0; i < capsule.value().trace->slice_count(); i += 501) {
    const auto event = details->read({kino::SliceId{i}});
    require(event.ok() || !event.error().what.str().empty(), "an event that cannot be read says nothing");
  }
  return 0;
}
