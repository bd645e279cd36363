// A fuzz target: an index file is changed at any places, its checksums are made to fit, and it is read back.
// The reader must neither crash nor hang, and whatever it accepts must be safe for all that reads a trace. An
// input is a list of at most 16 changes, four bytes each: where (24 bits) and what (8 bits, by exclusive or).
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/analysis/range_summary.hpp"
#include "core/gpu/trust_report.hpp"
#include "core/relations/slice_relations.hpp"
#include "core/timeline/lod_tile.hpp"
#include "core/trace/flow_links.hpp"
#include "core/trace/steps.hpp"
#include "loaders/bytes/gzip_source.hpp"
#include "loaders/cache/index_file.hpp"
#include "loaders/open.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using kino::index_of;
using kino_test::MemoryFile;
using kino_test::require;

constexpr std::size_t kMostChanges = 16;

std::string content_of(const MemoryFile& file) {
  std::string content(static_cast<std::size_t>(::lseek(file.fd(), 0, SEEK_END)), '\0');
  require(::pread(file.fd(), content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
          "no content");
  return content;
}

MemoryFile file_with(const std::string& content) {
  return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
}

/// A little of everything a trace can hold; long enough for an index of several levels.
std::string made_trace() {
  std::string text =
      R"({"distributedInfo": {"rank": 1, "backend": "nccl"}, "traceEvents": [{"ph": "M", "name": "process_name",
 "pid": 1, "args": {"name": "python"}}, {"ph": "X", "name": "no time"}, {"ph": "i", "name": "p", "pid": 1,
 "tid": 2, "ts": 3})";
  for (int i = 0; i < 700; ++i) {
    const std::string ts = R"(, "ts": )" + std::to_string(10 * i);
    const std::string id = std::to_string(1 + i / 2);
    text +=
        R"(, {"ph": "X", "cat": "cpu_op", "name": "op)" + std::to_string(i % 9) +
        R"(", "pid": 1, "tid": 1, "dur": 9)" + ts + "}" +
        R"(, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "dur": 2)" +
        ts + R"(, "args": {"correlation": )" + id + "}}" +
        R"(, {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "dur": 12)" + ts +
        R"(, "args": {"correlation": )" + id + "}}";
    if (i % 50 == 0) {
      text += R"(, {"ph": "C", "name": "memory", "pid": 1)" + ts + R"(, "args": {"bytes": )" + id + "}}" +
              R"(, {"ph": "s", "cat": "fwdbwd", "name": "f", "pid": 1, "tid": 1, "id": )" + id + ts + "}" +
              R"(, {"ph": "f", "cat": "fwdbwd", "name": "f", "pid": 1, "tid": 1, "bp": "e", "id": )" + id +
              R"(, "ts": )" + std::to_string(10 * i + 40) + "}" +
              R"(, {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(i) +
              R"(", "pid": 1, "tid": 3, "dur": 400)" + ts + "}";
    }
  }
  return text + "]}";
}

struct Base {
  std::string index;
  std::uint64_t text_bytes;
};

Base made_index() {
  const std::string text = made_trace();
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

void use_rows(const kino::Trace& trace) {
  for (std::uint32_t r = 0; r < trace.rows.size(); ++r) {
    const kino::SliceRow row = kino::SliceRow::of(trace, kino::RowId{r});
    if (row.start_ns.empty()) continue;
    std::vector<kino::TileInstance> instances;
    std::vector<kino::TileLabel> labels;
    for (const int level : {0, 12, 20, kino::kMaxTileLevel}) {
      kino::emit_slices(row, kino::TilePlace::at(level, row.start_ns.front()), instances, labels);
    }
    require(!instances.empty(), "a slice is in no tile");
  }
}

void use_slices(const kino::Trace& trace) {
  for (std::uint32_t i = 0; i < trace.slice_count(); i += 13) {
    const kino::SliceId slice{i};
    require(index_of(trace.row_of(slice)) < trace.rows.size(), "a slice is in no row");
    require(trace.name_of(slice).size() <= trace.names.size_bytes(), "a name is no text");
    kino::children_of(trace, slice);
    kino::parents_of(trace, slice);
    kino::self_ns(trace, slice);
    kino::operator_of(trace, slice);
    kino::forward_of(trace, slice);
    kino::backward_of(trace, slice);
    for (const std::uint32_t arrow : kino::flows_from(trace, slice)) {
      require(index_of(trace.flows.to[arrow]) < trace.slice_count(), "an arrow ends nowhere");
    }
    for (const kino::SliceId work : kino::launched_by(trace, slice)) trace.name_of(work);
  }
}

void use_points(const kino::Trace& trace) {
  std::vector<kino::TileInstance> instances;
  std::vector<kino::CounterInstance> counters;
  for (const kino::Track& track : trace.tracks) {
    const kino::TilePlace place = kino::TilePlace::at(16, trace.range.begin_ns);
    kino::emit_instants(trace.instants.time_ns.sub(track.first_instant, track.instant_count), place,
                        instances);
    kino::emit_counter(trace.samples.time_ns.sub(track.first_sample, track.sample_count),
                       trace.samples.value.sub(track.first_sample, track.sample_count), place, counters);
  }
}

/// Of an input that is no list of changes, such as the seeds of other targets, a few that depend on all of
/// it.
std::vector<std::uint32_t> changes_of(std::string_view data) {
  std::vector<std::uint32_t> changes;
  if (data.size() > 4 * kMostChanges) {
    std::minstd_rand random(static_cast<std::uint32_t>(std::hash<std::string_view>()(data)));
    for (std::uint32_t left = 1 + random() % 4; left > 0; --left) {
      changes.push_back(static_cast<std::uint32_t>(random() << 8 | (1U << random() % 8)));
    }
    return changes;
  }
  changes.resize(data.size() / 4);
  if (!changes.empty()) std::memcpy(changes.data(), data.data(), 4 * changes.size());
  return changes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base base = made_index();
  std::string index = base.index;
  for (const std::uint32_t change : changes_of({reinterpret_cast<const char*>(data), size})) {
    char& byte = index[(change >> 8) % index.size()];
    byte = static_cast<char>(byte ^ static_cast<char>(change & 0xffU));
  }
  kino::reseal_index(index);
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
    require(piece.ok() || !piece.error().what.empty(), "a text that cannot be read says nothing");
  }
  use_rows(*trace);
  use_slices(*trace);
  use_points(*trace);
  kino::trust_report(*trace);
  kino::find_steps(*trace);
  require(kino::summarize_range(*trace, trace->range, std::nullopt, {}, 1).ok(), "a range has no summary");
  return 0;
}
