#include "tests/bench/snapshot_generator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kino_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr int kLayers = 32;

// Writes dictionaries, lists, texts and integers as Python's pickler does, and memoizes containers and texts.
class PickleWriter {
 public:
  explicit PickleWriter(const std::filesystem::path& path) : out_(path, std::ios::binary) { put("\x80\x04"); }

  void text(std::string_view text) {
    const auto [it, is_new] = texts_.try_emplace(std::string(text), remembered_);
    if (!is_new) {
      again(it->second);
      return;
    }
    out_.put('\x8c');
    out_.put(static_cast<char>(text.size()));
    put(text);
    remember();
  }
  void number(std::uint64_t value) {
    if (value < 256) {
      out_.put('K');
      bytes(value, 1);
    } else if (value < 65'536) {
      out_.put('M');
      bytes(value, 2);
    } else if (value < 0x8000'0000) {
      out_.put('J');
      bytes(value, 4);
    } else {
      int length = 1;
      while (value >> (8 * length - 1) != 0) ++length;
      put("\x8a");
      out_.put(static_cast<char>(length));
      bytes(value, length);
    }
  }
  void key(std::string_view name, std::string_view value) {
    text(name);
    text(value);
  }
  void key(std::string_view name, std::uint64_t value) {
    text(name);
    number(value);
  }
  void begin_dict() {
    out_.put('}');
    remember();
    out_.put('(');
  }
  void end_dict() { out_.put('u'); }
  /// Returns the memo index for again().
  std::uint32_t begin_list() {
    out_.put(']');
    return remember();
  }
  void begin_batch() { out_.put('('); }
  void end_batch() { out_.put('e'); }
  /// Repeats a memoized object.
  void again(std::uint32_t number) {
    out_.put(number < 256 ? 'h' : 'j');
    bytes(number, number < 256 ? 1 : 4);
  }
  bool end() {
    out_.put('.');
    out_.flush();
    return out_.good();
  }

 private:
  std::uint32_t remember() {
    out_.put('\x94');
    return remembered_++;
  }
  void put(std::string_view text) { out_.write(text.data(), static_cast<std::streamsize>(text.size())); }
  void bytes(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) out_.put(i < 8 ? static_cast<char>(value >> (8 * i) & 0xff) : '\0');
  }

  std::ofstream out_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::uint32_t remembered_ = 0;
};

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  int stack = 0;
};

// Segments of blocks of equal size, one list of segments per size.
class Slabs {
 public:
  struct Segment {
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t block;
  };

  /// Returns the address of a free block. `made` is the new segment if none was free, else null.
  std::uint64_t take(std::uint64_t size, const Segment*& made) {
    std::vector<std::uint64_t>& free = free_[size];
    made = nullptr;
    if (free.empty()) {
      const std::uint64_t whole = std::max<std::uint64_t>(20 * kMiB, 4 * size);
      segments_.push_back({next_, whole, size});
      made = &segments_.back();
      for (std::uint64_t at = whole / size; at-- > 0;) free.push_back(next_ + at * size);
      next_ += (whole + 2 * kMiB) / (2 * kMiB) * (2 * kMiB);
    }
    const std::uint64_t address = free.back();
    free.pop_back();
    return address;
  }
  void give(const Allocation& it) { free_[it.size].push_back(it.address); }
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_;
  std::vector<Segment> segments_;
  std::uint64_t next_ = 0x7f'0000'0000'00;
};

class SnapshotWriter {
 public:
  SnapshotWriter(const std::filesystem::path& path, std::size_t entries)
      : pickle_(path), entries_left_(entries) {}

  bool write() {
    pickle_.begin_dict();
    pickle_.text("device_traces");
    pickle_.begin_list();
    pickle_.begin_batch();
    pickle_.begin_list();
    train();
    if (in_batch_ > 0) pickle_.end_batch();
    pickle_.end_batch();
    write_segments();
    pickle_.text("allocator_settings");
    pickle_.begin_dict();
    pickle_.key("PYTORCH_CUDA_ALLOC_CONF", "");
    pickle_.end_dict();
    pickle_.end_dict();
    return pickle_.end();
  }

 private:
  static constexpr int kBatch = 1000;

  void train() {
    for (int layer = 0; layer < kLayers; ++layer) {  // before the recording
      const Slabs::Segment* made = nullptr;
      for (const std::uint64_t size : {32 * kMiB, 8 * kMiB}) {
        remember({slabs_.take(size, made), size, 0});
      }
    }
    for (int step = 0; !full(); ++step) train_step(step);
  }

  void train_step(int step) {
    static constexpr std::array<std::uint64_t, 7> kActivations{16 * kMiB,  16 * kMiB, 4 * kMiB, 64 * kMiB,
                                                               512 * 1024, 24 * 512,  512};
    std::vector<Allocation> held;
    for (int layer = 0; layer < kLayers; ++layer) {
      for (std::size_t i = 0; i < kActivations.size(); ++i) {
        held.push_back(allocate(kActivations[i], 10 * layer + static_cast<int>(i)));
        const Allocation workspace = allocate(2 * kMiB, 10 * layer + 8);
        release(workspace);
      }
    }
    for (std::size_t i = held.size(); i-- > 0;) {
      const int layer = static_cast<int>(i / kActivations.size());
      const Allocation gradient = allocate(held[i].size, 10 * layer + 9);
      release(held[i]);
      release(gradient);
    }
    allocate(4096, 10 * kLayers + step % 3);  // never freed, like an element of a list of losses
  }

  // An allocation or a free needs up to two entries and is dropped if they do not fit.
  bool full() const { return entries_left_ < 2; }

  Allocation allocate(std::uint64_t size, int stack) {
    if (full()) return {};
    const Slabs::Segment* made = nullptr;
    const Allocation allocation{slabs_.take(size, made), size, stack};
    if (made != nullptr) entry("segment_alloc", made->address, made->size, stack);
    entry("alloc", allocation.address, size, stack);
    remember(allocation);
    return allocation;
  }

  void release(const Allocation& allocation) {
    if (full()) return;
    entry("free_requested", allocation.address, allocation.size, allocation.stack);
    entry("free_completed", allocation.address, allocation.size, allocation.stack);
    slabs_.give(allocation);
    live_.erase(allocation.address);
  }

  void remember(const Allocation& allocation) { live_.insert_or_assign(allocation.address, allocation); }

  void entry(std::string_view action, std::uint64_t address, std::uint64_t size, int stack) {
    --entries_left_;
    if (in_batch_ == 0) pickle_.begin_batch();
    pickle_.begin_dict();
    pickle_.key("action", action);
    pickle_.key("addr", address);
    pickle_.key("size", size);
    pickle_.key("stream", 0);
    pickle_.key("time_us", time_us_ += 7);
    pickle_.key("compile_context", "N/A");
    pickle_.key("user_metadata", "");
    frames(stack);
    pickle_.end_dict();
    in_batch_ = (in_batch_ + 1) % kBatch;
    if (in_batch_ == 0) pickle_.end_batch();
  }

  // Writes the frames of a stack. Repeated stacks refer to the first list.
  void frames(int stack) {
    pickle_.text("frames");
    if (const auto known = stacks_.find(stack); known != stacks_.end()) {
      pickle_.again(known->second);
      return;
    }
    stacks_.emplace(stack, pickle_.begin_list());
    pickle_.begin_batch();
    const std::string layer = std::to_string(stack / 10);
    frame("??", "torch::unwind::unwind()", 0);
    frame("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", "forward", 116 + stack % 10);
    frame("/home/me/model/layer_" + layer + ".py", "forward", 40 + stack);
    for (int depth = 0; depth < 12; ++depth) {
      frame("/usr/lib/python3/dist-packages/torch/nn/modules/module.py", "_call_impl", 1500 + depth);
    }
    frame("/home/me/train.py", "train_step", 210);
    frame("/home/me/train.py", "main", 88);
    pickle_.end_batch();
  }

  void frame(std::string_view file, std::string_view name, int line) {
    pickle_.begin_dict();
    pickle_.key("name", name);
    pickle_.key("filename", file);
    pickle_.key("line", static_cast<std::uint64_t>(line));
    pickle_.end_dict();
  }

  void write_segments() {
    pickle_.text("segments");
    pickle_.begin_list();
    pickle_.begin_batch();
    for (const Slabs::Segment& segment : slabs_.segments()) write_segment(segment);
    pickle_.end_batch();
  }

  void write_segment(const Slabs::Segment& segment) {
    const auto first = live_.lower_bound(segment.address);
    const auto last = live_.lower_bound(segment.address + segment.size);
    std::uint64_t active = 0;
    for (auto it = first; it != last; ++it) active += it->second.size;
    pickle_.begin_dict();
    pickle_.key("device", 0);
    pickle_.key("address", segment.address);
    pickle_.key("total_size", segment.size);
    pickle_.key("allocated_size", active);
    pickle_.key("active_size", active);
    pickle_.key("requested_size", active);
    pickle_.key("stream", 0);
    pickle_.key("segment_type", "large");
    frames(0);
    pickle_.text("blocks");
    pickle_.begin_list();
    pickle_.begin_batch();
    std::uint64_t at = segment.address;
    for (auto it = first; it != last; ++it) {
      if (it->first > at) block(at, it->first - at, "inactive", 0);
      block(it->first, it->second.size, "active_allocated", it->second.stack);
      at = it->first + it->second.size;
    }
    const std::uint64_t end = segment.address + segment.size;
    if (at < end) block(at, end - at, "inactive", 0);
    pickle_.end_batch();
    pickle_.end_dict();
  }

  void block(std::uint64_t address, std::uint64_t size, std::string_view state, int stack) {
    pickle_.begin_dict();
    pickle_.key("address", address);
    pickle_.key("size", size);
    pickle_.key("requested_size", size);
    pickle_.key("state", state);
    frames(stack);
    pickle_.end_dict();
  }

  PickleWriter pickle_;
  std::size_t entries_left_;
  Slabs slabs_;
  std::map<std::uint64_t, Allocation> live_;
  std::unordered_map<int, std::uint32_t> stacks_;  // memo index by stack
  std::uint64_t time_us_ = 1'767'189'312'000'000;
  int in_batch_ = 0;
};

}  // namespace

std::optional<std::string> write_snapshot(const std::filesystem::path& path, std::size_t entries) {
  if (SnapshotWriter(path, entries).write()) return std::nullopt;
  return path.string() + " cannot be written";
}

}  // namespace kino_test
