// Covers: open, trace_builder, gpu_breakdown, gpu_metrics, module_tree
// Memory for hostile files grows at most linearly: it is measured at two sizes.
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/operators/module_tree.hpp"
#include "tests/fixtures/counted_memory.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

/// "[" + event(0) + "," + ... + "]".
std::string events(int count, const std::function<std::string(int)>& event) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ",\n" : "") + event(i);
  return text + "]";
}

std::string slice(const std::string& category, const std::string& name, const std::string& pid,
                  const std::string& tid, int start, int duration) {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":)" + pid + R"(,"tid":)" +
         tid + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(duration) +
         R"(,"args":{"stream":7}})";
}

struct Kind {
  const char* name;
  std::function<std::string(int)> file;
  std::size_t most_bytes_each;  // measured plus a third
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"series of one counter event",
       [](int n) {
         std::string text = R"([{"ph":"C","name":"c","pid":1,"ts":1,"args":{)";
         for (int i = 0; i < n; ++i) text += (i > 0 ? ",\"s" : "\"s") + std::to_string(i) + "\":1";
         return text + "}}]";
       },
       280},
      {"threads",
       [](int n) {
         return events(n, [](int i) { return slice("cpu_op", "a", "1", std::to_string(i), i, 1); });
       },
       280},
      {"GPUs",
       [](int n) {
         return events(n, [](int i) { return slice("kernel", "k", std::to_string(i), "7", i, 1); });
       },
       1400},
      {"nested modules",
       [](int n) {
         return events(n, [n](int i) {
           return slice("python_function", "nn.Module: L_" + std::to_string(i), "1", "1", i, 2 * (n - i));
         });
       },
       3500}};
  return all;
}

/// Opens a file and runs analyses that once needed quadratic memory.
void use(const std::filesystem::path& path) {
  const auto opened = kino_test::open(path);
  REQUIRE(opened.ok());
  const kino::Trace& trace = *opened.value().trace;
  const kino::RangeAnalysis analysis(trace, kino::whole_range(trace));
  const kino::Table modules = kino::module_table(analysis.modules());
  const kino::Table breakdown = kino::breakdown_table(trace, analysis.breakdown());
  const kino::Table metrics = kino::gpu_metrics_table(trace, analysis.metrics(), analysis.base());
  CHECK(modules.columns.size() + breakdown.columns.size() + metrics.columns.size() > 10);
}

}  // namespace

TEST_CASE("memory for many tracks, GPUs or nested modules is proportional to the events") {
  const kino_test::TemporaryFolder folder;
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    constexpr int kFew = 2000;
    constexpr int kMany = 10000;
    const auto few = folder.write("few.json", kind.file(kFew));
    const auto many = folder.write("many.json", kind.file(kMany));
    use(few);  // fills caches that remain
    const std::int64_t least = kino_test::peak_bytes_of([&] { use(few); });
    const std::int64_t most = kino_test::peak_bytes_of([&] { use(many); });
    const std::int64_t each = (most - least) / (kMany - kFew);
    MESSAGE(std::string(kind.name), ": ", each, " bytes each");
    CHECK(each > 0);
    CHECK(each <= static_cast<std::int64_t>(kind.most_bytes_each));
  }
}

namespace {

struct Tracks {
  const char* name;
  std::function<std::string(int)> file;
  std::size_t most_bytes_each;
};

std::string counter(const std::string& name, const std::string& pid, int time) {
  return R"({"ph":"C","name":")" + name + R"(","pid":)" + pid + R"(,"ts":)" + std::to_string(time) +
         R"(,"args":{"v":1}})";
}

}  // namespace

TEST_CASE("a track takes at most 200 bytes plus its texts while its file is opened" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  constexpr std::size_t kMostEach = 200;
  constexpr std::size_t kNames = 12;  // maximum length of a name
  // A stream also has a text that describes its content: 24 bytes, and 4 bytes while this text is determined.
  constexpr std::size_t kContents = 28;
  // Each of these tracks has a process of its own, with id and title.
  constexpr std::size_t kProcess = sizeof(kino::Process);
  const std::vector<Tracks> kinds{
      {"series of one counter event",
       [](int n) {
         std::string text = R"([{"ph":"C","name":"c","pid":1,"ts":1,"args":{)";
         for (int i = 0; i < n; ++i) text += (i > 0 ? ",\"s" : "\"s") + std::to_string(i) + "\":1";
         return text + "}}]";
       },
       kMostEach + kNames},
      {"counters",
       [](int n) { return events(n, [](int i) { return counter("c" + std::to_string(i), "1", i); }); },
       kMostEach + kNames},
      {"threads",
       [](int n) {
         return events(n, [](int i) { return slice("cpu_op", "a", "1", std::to_string(i), i, 1); });
       },
       kMostEach + 2 * kNames},
      {"threads in no order",
       [](int n) {
         return events(n, [n](int i) {
           return slice("cpu_op", "a", "1", std::to_string(std::int64_t{i} * 7919 % n), i, 1);
         });
       },
       kMostEach + 2 * kNames},
      {"streams",
       [](int n) {
         return events(n, [](int i) { return slice("kernel", "k", "1", std::to_string(i), i, 1); });
       },
       kMostEach + kContents + 2 * kNames},
      {"processes",
       [](int n) {
         return events(n, [](int i) { return slice("cpu_op", "a", std::to_string(i), "1", i, 1); });
       },
       kMostEach + kProcess + 2 * kNames},
      {"GPUs",
       [](int n) {
         return events(n, [](int i) { return slice("kernel", "k", std::to_string(i), "7", i, 1); });
       },
       kMostEach + kProcess + kContents + 2 * kNames}};
  for (const Tracks& kind : kinds) {
    CAPTURE(kind.name);
    constexpr int kFew = 10'000;
    constexpr int kMany = 50'000;
    const auto few = folder.write("few.json", kind.file(kFew));
    const auto many = folder.write("many.json", kind.file(kMany));
    const auto open_one = [](const std::filesystem::path& path) { CHECK(kino_test::open(path, 2).ok()); };
    open_one(few);  // fills caches that remain
    const std::int64_t least = kino_test::peak_bytes_of([&] { open_one(few); });
    const std::int64_t most = kino_test::peak_bytes_of([&] { open_one(many); });
    const std::int64_t each = (most - least) / (kMany - kFew);
    MESSAGE(std::string(kind.name), ": ", each, " bytes each");
    CHECK(each > 0);
    CHECK(each <= static_cast<std::int64_t>(kind.most_bytes_each));
  }
}

namespace {

/// A kind of hostile file. `file` returns the text of one with about this many events, entries or levels.
struct Hostile {
  const char* name;
  std::function<std::string(int)> file;
  bool snapshot = false;
};

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string flow(char phase, const std::string& id, int time) {
  return std::string(R"({"ph":")") + phase +
         R"(","cat":"ac2g","name":"ac2g","bp":"e","pid":1,"tid":1,"id":)" + id + R"(,"ts":)" +
         std::to_string(time) + "}";
}

std::string snapshot_of(const std::string& segments, const std::string& entries) {
  return R"({"segments":[)" + segments + R"(],"device_traces":[[)" + entries + "]]}";
}

std::string joined(int count, const std::function<std::string(int)>& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + part(i);
  return text;
}

std::string entry(int i, const std::string& frames) {
  return R"({"action":"alloc","addr":)" + std::to_string(512 * (i + 1)) +
         R"(,"size":512,"stream":0,"time_us":)" + std::to_string(i) + R"(,"frames":[)" + frames + "]}";
}

std::string frame(int i) { return R"({"filename":"a.py","line":)" + std::to_string(i) + R"(,"name":"f"})"; }

const std::vector<Hostile>& hostile_files() {
  static const std::vector<Hostile> all{
      {"nested arguments",
       [](int n) {
         return R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"x":)" + repeated("[", n) +
                repeated("]", n) + "}}]";
       }},
      {"arguments of one event",
       [](int n) {
         return R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{)" +
                joined(n, [](int i) { return "\"k" + std::to_string(i) + "\":1"; }) + "}}]";
       }},
      {"slices within each other",
       [](int n) {
         return events(n, [n](int i) { return slice("cpu_op", "a", "1", "1", i, 2 * (n - i)); });
       }},
      {"slices that overlap",
       [](int n) { return events(n, [n](int i) { return slice("kernel", "a", "1", "1", i, n); }); }},
      {"steps that overlap",
       [](int n) {
         return events(n, [n](int i) {
           return slice("user_annotation", "ProfilerStep#" + std::to_string(i), "1", "1", 10 * i, 10 * n);
         });
       }},
      {"begins without ends",
       [](int n) {
         return events(n, [](int i) {
           return R"({"ph":"B","name":"a","pid":1,"tid":1,"ts":)" + std::to_string(i) + "}";
         });
       }},
      {"arrows of one id",
       [](int n) { return events(n, [n](int i) { return flow(i < n / 2 ? 's' : 'f', "1", i); }); }},
      {"arrows that begin nowhere",
       [](int n) { return events(n, [](int i) { return flow('f', std::to_string(i), i); }); }},
      {"samples of one counter", [](int n) { return events(n, [](int i) { return counter("c", "1", i); }); }},
      {"distinct names",
       [](int n) {
         return events(n, [](int i) { return slice("cpu_op", "op" + std::to_string(i), "1", "1", i, 1); });
       }},
      {"processes",
       [](int n) {
         return events(n, [](int i) { return slice("cpu_op", "a", std::to_string(i), "1", i, 1); });
       }},
      {"named threads",
       [](int n) {
         return events(n, [](int i) {
           return R"({"ph":"M","name":"thread_name","pid":1,"tid":)" + std::to_string(i) +
                  R"(,"args":{"name":"t)" + std::to_string(i) + R"("}})";
         });
       }},
      {"broken events",
       [](int n) { return events(n, [](int) { return std::string(R"({"ph":"X","ts":})"); }); }},
      {"event arrays",
       [](int n) {
         return repeated(R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]})", n);
       }},
      {"blocks of a segment",
       [](int n) {
         return snapshot_of(
             R"({"address":512,"total_size":)" + std::to_string(512 * n) + R"(,"stream":0,"blocks":[)" +
                 joined(n, [](int) { return R"({"size":512,"state":"active_allocated","frames":[]})"; }) +
                 "]}",
             "");
       },
       true},
      {"segments",
       [](int n) {
         return snapshot_of(joined(n,
                                   [](int i) {
                                     return R"({"address":)" + std::to_string(4096 * (i + 1)) +
                                            R"(,"total_size":512,"stream":0,"blocks":[]})";
                                   }),
                            "");
       },
       true},
      {"allocations", [](int n) { return snapshot_of("", joined(n, [](int i) { return entry(i, ""); })); },
       true},
      {"stacks",
       [](int n) {
         return snapshot_of("", joined(n, [](int i) { return entry(i, frame(i) + "," + frame(i + 1)); }));
       },
       true},
      {"frames of one stack", [](int n) { return snapshot_of("", entry(1, joined(n, frame))); }, true}};
  return all;
}

std::size_t opened_bytes(const std::filesystem::path& path, bool snapshot) {
  kino::OpenOptions options;
  options.threads = 2;
  options.cache_directory = path.parent_path();
  options.cache.look = false;
  kino::LoadProgress progress;
  const auto opened = kino::open_file(path, options, progress, {});
  if (!opened.ok()) return 0;  // refused, which must need little memory as well
  if (snapshot) return std::get<kino::OpenedSnapshot>(opened.value()).snapshot->size_bytes();
  return std::get<kino::OpenedTrace>(opened.value()).trace->size_bytes();
}

}  // namespace

TEST_CASE("opening a hostile file takes at most 11 times its size, and so does the model" *
          doctest::test_suite("serial")) {
  const kino_test::TemporaryFolder folder;
  constexpr std::int64_t kMostTimes = 11;  // measured plus a third
  for (const Hostile& hostile : hostile_files()) {
    CAPTURE(hostile.name);
    constexpr int kFew = 5'000;
    constexpr int kMany = 20'000;
    const auto few = folder.write("few.json", hostile.file(kFew));
    const auto many = folder.write("many.json", hostile.file(kMany));
    const std::size_t least_kept = opened_bytes(few, hostile.snapshot);  // including caches that remain
    std::size_t most_kept = 0;
    const std::int64_t least = kino_test::peak_bytes_of([&] { opened_bytes(few, hostile.snapshot); });
    const std::int64_t most =
        kino_test::peak_bytes_of([&] { most_kept = opened_bytes(many, hostile.snapshot); });
    const auto more = static_cast<std::int64_t>(std::filesystem::file_size(many)) -
                      static_cast<std::int64_t>(std::filesystem::file_size(few));
    const auto kept = static_cast<std::int64_t>(most_kept) - static_cast<std::int64_t>(least_kept);
    MESSAGE(std::string(hostile.name), ": ", 10 * (most - least) / more, " tenths at the peak, ",
            10 * kept / more, " kept");
    CHECK(most - least <= kMostTimes * more);
    CHECK(kept <= kMostTimes * more);
  }
}
