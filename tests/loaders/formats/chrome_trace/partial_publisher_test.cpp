// Covers: partial_publisher, growing_text
// Partial traces of the first events while a text is still growing. Parsing starts after the first 64 KiB.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "loaders/formats/chrome_trace/chrome_trace_loader.hpp"
#include "tests/fixtures/loader_files.hpp"

using kino::SliceId;
using kino::Trace;

namespace {

constexpr std::size_t kUnitBytes = 2000;

std::string event(int i) {
  const std::string number = std::to_string(i);
  std::string text = R"({"ph": "X", "cat": "kernel", "name": "kernel )" + std::to_string(i % 13) +
                     R"(", "pid": 0, "tid": )" + std::to_string(i % 4) + R"(, "ts": )" +
                     std::to_string(1000 + 10 * i) + R"(, "dur": 5, "args": {"number": )" + number + "}}";
  if (i % 10 == 0) {
    text +=
        ",\n"
        R"({"ph": "s", "id": )" +
        number + R"(, "cat": "flow", "name": "flow", "pid": 0, "tid": )" + std::to_string(i % 4) +
        R"(, "ts": )" + std::to_string(1001 + 10 * i) + "}";
  }
  return text;
}

struct Text {
  std::string whole;
};

Text text_of(int events) {
  Text text;
  text.whole = "{\"traceEvents\": [\n";
  for (int i = 0; i < events; ++i) {
    text.whole += event(i) + (i + 1 < events ? ",\n" : "\n");
  }
  text.whole += R"(], "baseTimeNanoseconds": 5000000000, "distributedInfo": {"rank": 3, "world_size": 8}})";
  return text;
}

/// Source offset of every slice -> start, duration and name.
using Slices = std::map<std::uint64_t, std::tuple<std::int64_t, std::int64_t, std::string>>;
Slices slices_by_source(const Trace& trace) {
  Slices slices;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    slices[trace.slices.source_offset[i]] = {
        trace.slices.start_ns[i] + trace.origin_unix_ns - trace.base_time_ns, trace.slices.duration_ns[i],
        std::string(trace.name_of(SliceId{i}))};
  }
  return slices;
}

struct Part {
  kino::OpenedTrace opened;
  double share = 0;
};

/// Collects parts and waits for them.
class Parts {
 public:
  void add(kino::OpenedTrace opened, double share) {
    {
      const std::lock_guard lock(mutex_);
      parts_.push_back({std::move(opened), share});
    }
    changed_.notify_all();
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return parts_.size() >= count; });
  }
  const std::vector<Part>& all() const { return parts_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Part> parts_;
};

/// A load of a text that grows in pieces.
class SlowLoad {
 public:
  SlowLoad(const Text& text, unsigned threads, Parts& parts) : text_(text) {
    file_ = std::tmpfile();
    options_.threads = threads;
    options_.unit_bytes = kUnitBytes;
    options_.partial = {.first_seconds = 0, .least_seconds_left = 0, .first_bytes = 1 << 30};
    options_.on_partial = [&parts](kino::OpenedTrace part, double share) {
      parts.add(std::move(part), share);
    };
    progress_.file_bytes = text.whole.size();
    progress_.compressed = true;  // like a growing text
    growing_.emplace(std::make_shared<kino::FileSource>(kino::Descriptor(::dup(::fileno(file_)))));
    thread_ = std::jthread([this](const std::stop_token& stop) {
      result_.emplace(kino::parse_chrome_trace(*growing_, options_, progress_, stop));
    });
  }
  ~SlowLoad() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    std::fclose(file_);
  }

  void arrive_up_to(std::size_t size) {
    std::fwrite(text_.whole.data() + written_, 1, size - written_, file_);
    std::fflush(file_);
    written_ = size;
    progress_.file_bytes_done = size;
    growing_->grow_to(size);
    if (size == text_.whole.size()) growing_->finish();
  }
  void cancel() { thread_.request_stop(); }
  kino::Result<kino::BuildInput> take_result() {
    thread_.join();
    return std::move(*result_);
  }

 private:
  const Text& text_;
  std::FILE* file_ = nullptr;
  std::size_t written_ = 0;
  kino::OpenOptions options_;
  kino::LoadProgress progress_;
  std::optional<kino::GrowingText> growing_;
  std::optional<kino::Result<kino::BuildInput>> result_;
  std::jthread thread_;
};

std::shared_ptr<const Trace> built(kino::Result<kino::BuildInput> input) {
  REQUIRE_MESSAGE(input.ok(), input.error().what.str());
  auto trace = kino::build_trace(std::move(*input), {});
  REQUIRE(trace.ok());
  return *trace;
}

}  // namespace

TEST_CASE("each partial trace contains exactly the first events, and more than the one before") {
  const Text text = text_of(5000);
  for (const unsigned threads : {1U, 2U, 4U}) {
    CAPTURE(threads);
    Parts parts;
    SlowLoad load(text, threads, parts);
    load.arrive_up_to(text.whole.size() / 4);
    REQUIRE(parts.wait_for(1));
    load.arrive_up_to(text.whole.size() * 3 / 4);
    REQUIRE(parts.wait_for(2));
    load.arrive_up_to(text.whole.size());
    const std::shared_ptr<const Trace> whole = built(load.take_result());
    const Slices all = slices_by_source(*whole);
    REQUIRE(all.size() == 5000);
    CHECK(whole->base_time_ns == 5'000'000'000);
    CHECK(whole->job.rank == 3);

    std::size_t before = 0;
    double share_before = 0;
    for (const Part& part : parts.all()) {
      const Trace& trace = *part.opened.trace;
      const Slices some = slices_by_source(trace);
      CHECK(some.size() > before);
      CHECK(some.size() < all.size());
      CHECK(part.share > share_before);
      CHECK(part.share <= 1);
      CHECK(std::equal(some.begin(), some.end(), all.begin()));  // in text order, so a prefix
      CHECK(trace.counts[kino::EventType::complete] == some.size());
      CHECK(trace.counts.total() ==
            trace.counts[kino::EventType::complete] + trace.counts[kino::EventType::flows]);
      before = some.size();
      share_before = part.share;
    }
  }
}

TEST_CASE("arguments of a partial trace's slices can be read immediately") {
  const Text text = text_of(2000);
  Parts parts;
  SlowLoad load(text, 2, parts);
  load.arrive_up_to(text.whole.size() / 2);
  REQUIRE(parts.wait_for(1));
  const kino::OpenedTrace& part = parts.all().front().opened;
  for (std::uint32_t i = 0; i < part.trace->slice_count(); i += 37) {
    auto read = kino::read_event(*part.text, part.trace->slices.source_offset[i]);
    REQUIRE(read.ok());
    const kino::ArgNode* name = read->find("name");
    REQUIRE(name != nullptr);
    CHECK(name->text == part.trace->name_of(SliceId{i}));
  }
  load.arrive_up_to(text.whole.size());
  CHECK(load.take_result().ok());
}

TEST_CASE("a partial trace ends before text that is parsed again, and the whole trace is correct") {
  // One line, with the separator in strings, so that cuts are within them.
  Text text;
  text.whole = R"({"traceEvents":[)";
  for (int i = 0; i < 3000; ++i) {
    const std::string name = i < 1500 ? "plain" : R"(x},{\"ph\":\"X\",\"name\":\"fake\",\"ts\":1,\"dur\":1)";
    text.whole += R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":1,"ts":)" +
                  std::to_string(1000 + 10 * i) + R"(,"dur":5})" + (i < 2999 ? "," : "]}");
  }
  Parts parts;
  SlowLoad load(text, 2, parts);
  load.arrive_up_to(text.whole.size() * 9 / 10);
  REQUIRE(parts.wait_for(1));
  load.arrive_up_to(text.whole.size());
  const std::shared_ptr<const Trace> whole = built(load.take_result());
  const Slices all = slices_by_source(*whole);
  REQUIRE(all.size() == 3000);
  for (const Part& part : parts.all()) {
    const Slices some = slices_by_source(*part.opened.trace);
    CHECK(std::equal(some.begin(), some.end(), all.begin()));
    CHECK(part.opened.trace->damage.empty());
  }
}

TEST_CASE("nothing is published if the load is expected to end soon, or too early") {
  const Text text = text_of(2000);
  for (const kino::PartialTiming timing :
       {kino::PartialTiming{.first_seconds = 0, .least_seconds_left = 1e9, .first_bytes = 1 << 30},
        kino::PartialTiming{.first_seconds = 1e9, .least_seconds_left = 0, .first_bytes = 1 << 30}}) {
    const kino_test::TemporaryFolder folder;
    std::atomic<int> count{0};
    kino::OpenOptions options;
    options.threads = 2;
    options.unit_bytes = kUnitBytes;
    options.partial = timing;
    options.on_partial = [&](const kino::OpenedTrace&, double) { ++count; };
    kino::LoadProgress progress;
    auto opened = kino::open_trace(folder.write("a.json", text.whole), options, progress, {});
    REQUIRE(opened.ok());
    CHECK(opened->trace->slice_count() == 2000);
    CHECK(count == 0);
  }
}

TEST_CASE("a cancelled load publishes nothing more, and ends") {
  const Text text = text_of(5000);
  for (int i = 0; i < 20; ++i) {
    Parts parts;
    SlowLoad load(text, 2, parts);
    load.arrive_up_to(text.whole.size() / 3);
    if (i % 2 == 0) REQUIRE(parts.wait_for(1));
    load.cancel();
    const auto result = load.take_result();
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == kino::Error::Kind::cancelled);
  }
}

TEST_CASE("publishing parts does not change the whole trace, plain or compressed") {
  const Text text = text_of(20'000);
  const kino_test::TemporaryFolder folder;
  for (const auto& path :
       {folder.write("a.json", text.whole), folder.write("a.json.gz", kino_test::gzip(text.whole, 1))}) {
    CAPTURE(path);
    auto plain = kino_test::open(path, 2, kUnitBytes);
    REQUIRE(plain.ok());
    for (int run = 0; run < 5; ++run) {
      std::atomic<std::uint64_t> last{0};
      std::atomic<bool> grew{true};
      kino::OpenOptions options;
      options.threads = 3;
      options.unit_bytes = kUnitBytes;
      options.cache_directory = folder.path();
      options.partial = {.first_seconds = 0, .least_seconds_left = 0, .first_bytes = 4 * kUnitBytes};
      options.on_partial = [&](const kino::OpenedTrace& part, double) {
        if (part.trace->slice_count() <= last.exchange(part.trace->slice_count())) grew = false;
        if (!part.stamp.size_bytes) grew = false;
      };
      kino::LoadProgress progress;
      auto opened = kino::open_trace(path, options, progress, {});
      REQUIRE(opened.ok());
      CHECK(grew);
      CHECK(slices_by_source(*opened->trace) == slices_by_source(*plain->trace));
      CHECK(opened->trace->flows.size() == plain->trace->flows.size());
      CHECK(opened->trace->damage.entries().size() == plain->trace->damage.entries().size());
    }
  }
}
