// Covers: snapshot_loader
// Fuzz target: reads any bytes as a pickle, and opens them as a file. Neither may crash, hang, or request
// much more memory than there are bytes. The snapshot must be consistent.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/memory/snapshot_summary.hpp"
#include "loaders/formats/snapshot/pickle_reader.hpp"
#include "loaders/formats/snapshot/snapshot_loader.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using kino_test::require;

/// Returns at most `step` bytes per call.
class Bytes : public kino::ByteStream {
 public:
  Bytes(const std::uint8_t* data, std::size_t size, std::size_t step)
      : data_(data), size_(size), step_(step) {}
  kino::Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const std::size_t count = std::min({step_, out.size(), size_ - at_});
    if (count > 0) std::memcpy(out.data(), data_ + at_, count);
    at_ += count;
    return count;
  }
  std::uint64_t file_bytes_read() const override { return at_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t step_;
  std::size_t at_ = 0;
};

void check_device(const kino::Snapshot& snapshot, const kino::SnapshotDevice& device) {
  const kino::SnapshotEntries& entries = device.entries;
  for (std::size_t i = 0; i < entries.entry_count(); ++i) {
    require(entries.stream[i] < snapshot.streams.size(), "a stream is missing");
    require(entries.pool[i] < snapshot.pools.size(), "a pool is missing");
    require(entries.note[i] < snapshot.notes.size(), "a note is missing");
    for (const kino::FrameId frame : snapshot.stacks.frames(entries.stack[i])) {
      snapshot.text(snapshot.frame(frame).name);
      snapshot.text(snapshot.frame(frame).file);
    }
  }
  const kino::Allocations& all = device.history.allocations;
  for (std::size_t i = 0; i < all.count(); ++i) {
    require(i == 0 || all.begin[i] >= all.begin[i - 1], "allocations are out of order");
    require(all.begin[i] < all.end[i], "an allocation ends before it begins");
  }
  const auto count = static_cast<kino::EventIndex>(entries.entry_count());
  for (const kino::EventIndex event : {kino::kBeforeRecording, count / 2, count - 1}) {
    std::uint64_t live = 0;
    for (const kino::AllocationId id : kino::live_at(device.history, event)) {
      live += all.size[static_cast<std::size_t>(id)];
    }
    require(live == kino::curve_at(device, kino::MemoryCurve::requested, event),
            "the curve is not the sum of what is live");
    const kino::AllocatorLayout layout = kino::layout_at(device, event);
    for (const kino::LayoutSegment& segment : layout.segments) {
      std::uint64_t at = segment.addr;
      for (std::uint32_t b = 0; b < segment.block_count; ++b) {
        const kino::LayoutBlock& block = layout.blocks[segment.first_block + b];
        require(block.addr == at, "blocks do not cover their segment");
        at += block.size;
      }
      require(at == segment.addr + segment.size, "blocks do not end with their segment");
    }
    kino::fragmentation_of(layout);
  }
  kino::summarize_segments(device);
  kino::largest_at(device, count / 2, 10);
}

void check(const kino::Snapshot& snapshot) {
  for (const kino::SnapshotDevice& device : snapshot.devices) check_device(snapshot, device);
  for (const kino::SnapshotAnnotation& annotation : snapshot.annotations) snapshot.text(annotation.name);
}

std::size_t read_in_steps(const std::uint8_t* data, std::size_t size, std::size_t step) {
  Bytes bytes(data, size, step);
  kino::ByteWindow window(bytes, 64);
  kino::SnapshotAssembler into;
  const auto end = kino::read_pickle(window, into, [] { return true; });
  if (!end.ok()) {
    require(!end.error().what.str().empty(), "an error without a sentence");
    return 0;
  }
  const auto made = into.finish(end.value().root, kino::SnapshotSource::pickle, {});
  if (!made.ok()) return 0;
  check(*made.value());
  std::size_t entries = 0;
  for (const kino::SnapshotDevice& device : made.value()->devices) entries += device.entries.entry_count();
  return 1 + entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  require(read_in_steps(data, size, 7) == read_in_steps(data, size, size + 1),
          "where the bytes are cut changes what is read");
  const kino_test::MemoryFile file(data, size);
  kino::OpenOptions options;
  options.cache_directory = "/tmp";
  kino::LoadProgress progress;
  const auto opened = kino::open_snapshot(file.path(), options, progress, {});
  if (opened.ok()) {
    check(*opened.value().snapshot);
  } else {
    require(!opened.error().what.str().empty(), "an error without a sentence");
  }
  return 0;
}
