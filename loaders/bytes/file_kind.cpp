#include "loaders/bytes/file_kind.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/ascii.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/bytes/utf16.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr const char* kWhatOpens =
    "Kinetoscope opens traces of the PyTorch profiler and other Chrome-trace JSON, Perfetto protobuf "
    "(.pftrace), SQLite exports of Nsight Systems, databases of rocprofv3 (rocpd), snapshots of the CUDA "
    "allocator, dumps of NCCL's flight recorder, and capsules (.kino): plain, compressed (gzip, zstd, xz, "
    "bzip2, lz4), or in a tar, zip or 7z archive or a folder";

constexpr std::string_view kRocprofJson =
    "This is the JSON output of rocprofv3, not a Chrome trace; record with rocprofv3 --output-format pftrace "
    "or --output-format rocpd and open that file";
constexpr std::string_view kExecutionTrace =
    "This is an execution trace of PyTorch's ExecutionTraceObserver (a Chakra host trace): a graph of "
    "operators without a timeline; open the trace that the profiler wrote in the same run with "
    "export_chrome_trace()";
constexpr std::string_view kChakraTrace =
    "This is a Chakra execution trace (.et), a graph of nodes for simulators such as ASTRA-sim; open the "
    "trace of the PyTorch profiler that it was converted from";

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::size_t at = 0;
};

// The first match applies.
constexpr std::array kForeign = {
    Magic{"SQLite format 3\0"sv, "This is an SQLite database"},
    Magic{"NVIDIA Tegra Profiler Report"sv, "This is a report of Nsight Systems (.nsys-rep)"},
    Magic{"\x7f"
          "ELF"sv,
          "This is a program or a library (ELF)"},
    Magic{"\x89PNG\r\n\x1a\n"sv, "This is a picture (PNG)"},
    Magic{"\xff\xd8\xff"sv, "This is a picture (JPEG)"},
    Magic{"GIF8"sv, "This is a picture (GIF)"},
    Magic{"WEBP"sv, "This is a picture (WebP)", 8},
    Magic{"%PDF-"sv, "This is a PDF document"},
    Magic{"\x93NUMPY"sv, "This is a NumPy array"},
    Magic{"\x89HDF\r\n\x1a\n"sv, "This is an HDF5 file"},
    Magic{"PAR1"sv, "This is a Parquet file"},
    Magic{"Rar!\x1a\x07"sv, "This is a RAR archive; unpack it and open the traces in it"},
    Magic{"\x1f\x8b"sv, "This has been compressed twice; decompress it once"},
    Magic{"\xFF\xFE\0\0"sv, "This is UTF-32 text; save it as UTF-8"},
    Magic{"#!"sv, "This is a script"},
};

/// Returns a sentence on JSON of other recorders, detected by its first bytes; nullopt for other JSON.
/// rocprofv3: generateJSON.cpp of rocprofiler-sdk. Execution traces: execution_trace_observer.cpp of PyTorch,
/// with schema "1.0.0" or, since 2024, "1.1.1-chakra.0.0.4"; chakra_trace_link keeps that form.
std::optional<std::string_view> foreign_json(std::string_view json) {
  if (contains(json, R"("traceEvents")"sv) || contains(json, R"("ph")"sv)) return std::nullopt;
  std::optional<std::string_view> what;
  for_each_member(json, [&](std::string_view key, std::string_view value) {
    const bool graph = contains(value, "chakra"sv) || contains(json, R"("[pytorch|profiler|execution_)"sv);
    if (key == "schema" && contains(json, R"("nodes")"sv) && graph) what = kExecutionTrace;
    return !what;
  });
  constexpr std::size_t kFirstKey = 64;
  if (contains(json.substr(0, kFirstKey), R"("rocprofiler-sdk-tool")"sv)) what = kRocprofJson;
  return what;
}

/// Detects Chakra execution traces (.et) for ASTRA-sim: messages with a length prefix (et_def.proto of
/// mlcommons/chakra). The first message is a GlobalMetadata with a version or an attribute, whose length
/// takes one byte. The second message is a Node with an id or a name.
bool is_chakra_trace(std::string_view head) {
  const auto byte = [&](std::size_t at) {
    return at < head.size() ? static_cast<std::size_t>(static_cast<unsigned char>(head[at])) : 0;
  };
  constexpr std::size_t kOneByte = 0x80;
  const std::size_t size = byte(0);
  const std::size_t text_size = byte(2);
  if (size < 3 || size >= kOneByte || text_size == 0 || text_size + 2 > size || head.size() < size + 4)
    return false;
  const std::string_view text = head.substr(3, text_size);
  const bool version = byte(1) == 0x0a && contains(text, "."sv) &&
                       text.find_first_not_of("0123456789."sv) == std::string_view::npos;
  const bool attribute = byte(1) == 0x12 && text.starts_with('\x0a');
  const std::size_t node = size + (byte(size + 1) >= kOneByte ? 3 : 2);
  return (version || attribute) && (byte(node) == 0x08 || byte(node) == 0x12);
}

}  // namespace

std::size_t text_begin(std::string_view head) {
  return skip_space(head, head.starts_with("\xEF\xBB\xBF"sv) ? 3 : 0);
}

Error unknown_format(std::string_view what) {
  return {Error::Kind::unknown_format, std::string(what) + ". " + kWhatOpens};
}

FileKind kind_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b"sv)) return FileKind::gzip;
  for (const std::string_view magic : {"\x28\xB5\x2F\xFD"sv,
                                       "\xFD"
                                       "7zXZ\0"sv,
                                       "BZh"sv, "\x04\x22\x4d\x18"sv, "\x5d\0\0"sv}) {
    if (head.starts_with(magic)) return FileKind::compressed;
  }
  // zstd and lz4 files may start with a skippable frame.
  if (head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50U &&
      head.substr(1, 3) == "\x2a\x4d\x18"sv) {
    return FileKind::compressed;
  }
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv) ||
      head.starts_with("7z\xBC\xAF\x27\x1C"sv)) {
    return FileKind::archive;
  }
  if (is_utf16(head)) return FileKind::utf16;
  if (head.size() > 262 && head.substr(257, 5) == "ustar"sv) return FileKind::archive;
  return FileKind::text;
}

std::optional<Error> unsupported_content(std::string_view head) {
  for (const Magic& magic : kForeign) {
    if (head.size() >= magic.at && head.substr(magic.at).starts_with(magic.bytes)) {
      return unknown_format(magic.what);
    }
  }
  const std::size_t begin = text_begin(head);
  if (begin >= head.size()) return unknown_format("The file contains only white space");
  if (head[begin] == '{') {
    if (const auto foreign = foreign_json(head.substr(begin))) return unknown_format(*foreign);
  }
  if (is_chakra_trace(head)) return unknown_format(kChakraTrace);
  if (head[begin] == '{' || head[begin] == '[') return std::nullopt;
  // Accepts trace keys anywhere in the head: log lines may precede the document.
  if (contains(head, R"("traceEvents")"sv) || contains(head, R"("ph")"sv)) return std::nullopt;
  // Pages of export_memory_timeline() start with their title and contain only one picture.
  if (head[begin] == '<' && contains(head, "GPU Memory Timeline"sv) && contains(head, "data:image/"sv)) {
    return unknown_format(
        "This page of export_memory_timeline() contains only a picture of the memory, without data; export "
        "it as .json.gz or .raw.json.gz instead, or record a snapshot with "
        "torch.cuda.memory._record_memory_history() and _dump_snapshot()");
  }
  if (head[begin] == '<') return unknown_format("This is an HTML or XML page");
  const bool text = std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || std::isspace(byte) != 0;
  });
  if (!text) return unknown_format("This is binary data of an unknown kind");
  const auto first = static_cast<unsigned char>(head[begin]);
  return unknown_format("This is text but not JSON: it begins with '" +
                        (first < 0x7f ? std::string(1, head[begin]) : std::string("?")) + "'");
}

}  // namespace kino
