#include "loaders/bytes/file_kind.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/ascii.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/bytes/utf16.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr const char* kWhatOpens =
    "Kinetoscope opens traces of the PyTorch profiler and other Chrome-trace JSON, and snapshots of the CUDA "
    "allocator: plain, compressed (gzip, zstd, xz, bzip2, lz4), or in a tar, zip or 7z archive or a folder";

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::size_t at = 0;
};

// Of two that fit, the first one counts.
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

}  // namespace

std::size_t text_begin(std::string_view head) {
  return skip_space(head, head.starts_with("\xEF\xBB\xBF"sv) ? 3 : 0);
}

Error unknown_format(std::string_view what) {
  return {Error::Kind::unknown_format, std::string(what) + ". " + kWhatOpens, kNoOffset};
}

FileKind kind_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b"sv)) return FileKind::gzip;
  for (const std::string_view magic : {"\x28\xB5\x2F\xFD"sv,
                                       "\xFD"
                                       "7zXZ\0"sv,
                                       "BZh"sv, "\x04\x22\x4d\x18"sv, "\x5d\0\0"sv}) {
    if (head.starts_with(magic)) return FileKind::compressed;
  }
  // A skippable frame, which zstd and lz4 files may begin with.
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

std::optional<Error> refuse_by_content(std::string_view head) {
  for (const Magic& magic : kForeign) {
    if (head.size() >= magic.at && head.substr(magic.at).starts_with(magic.bytes)) {
      return unknown_format(magic.what);
    }
  }
  const std::size_t begin = text_begin(head);
  if (begin >= head.size()) return unknown_format("There is nothing but white space in it");
  if (head[begin] == '{' || head[begin] == '[') return std::nullopt;
  // Lines of a log before the document.
  if (contains(head, R"("traceEvents")"sv) || contains(head, R"("ph")"sv)) return std::nullopt;
  // Pages of export_memory_timeline(): a title of their own and one picture, which begins at once.
  if (head[begin] == '<' && contains(head, "GPU Memory Timeline"sv) && contains(head, "data:image/"sv)) {
    return unknown_format(
        "This page of export_memory_timeline() holds only a picture of the memory, and no data to show; "
        "export it as .json.gz or .raw.json.gz instead, or record a snapshot with "
        "torch.cuda.memory._record_memory_history() and _dump_snapshot()");
  }
  if (head[begin] == '<') {
    return unknown_format("This is an HTML or XML page");
  }
  const bool text = std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || std::isspace(byte) != 0;
  });
  if (!text) return unknown_format("This is binary data of a kind unknown here");
  const auto first = static_cast<unsigned char>(head[begin]);
  return unknown_format("This is text but no JSON: it begins with '" +
                        (first < 0x7f ? std::string(1, head[begin]) : std::string("?")) + "'");
}

}  // namespace kino
