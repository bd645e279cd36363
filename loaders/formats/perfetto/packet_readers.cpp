#include "loaders/formats/perfetto/packet_readers.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

/// Orders the work of threads: the holder of a number waits until all smaller numbers have passed.
class Turns {
 public:
  /// Waits until all smaller numbers have passed. Returns false if end() was called, so that they may never
  /// pass.
  bool wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return broken_ || next_ == number; });
    return !broken_;
  }
  void pass() {
    const std::lock_guard lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  bool broken_ = false;
};

}  // namespace

std::optional<Error> read_packets(GrowingText& text, std::vector<PacketReader>& readers,
                                  const std::stop_token& stop,
                                  const std::function<void(const DecodedPackets&)>& take) {
  PacketStream stream(text);
  std::mutex reading;
  std::uint64_t blocks = 0;  // guarded by `reading`
  Turns turns;
  const auto read = [&](PacketReader& reader) {
    while (!stop.stop_requested()) {
      std::uint64_t number = 0;
      {
        const std::lock_guard lock(reading);
        if (!stream.next(reader.block, stop)) return;
        number = blocks++;
      }
      const DecodedPackets& packets = reader.decoder.decode(reader.block, stop);
      if (!turns.wait_for(number)) return;
      take(packets);
      turns.pass();
    }
    turns.end();
  };
  const auto threads = static_cast<unsigned>(readers.size());
  parallel_for(threads, threads, {}, [&](std::size_t i, unsigned) {
    try {
      read(readers[i]);
    } catch (...) {
      turns.end();
      throw;
    }
  });
  return stream.error();
}

}  // namespace kino
