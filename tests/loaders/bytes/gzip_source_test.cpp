// Covers: gzip_source, gzip_inflate, gzip_decoder, byte_stream, text_source
// Reads of a gzip file at any offset, during and after inflating.
#include "loaders/bytes/gzip_source.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "loaders/bytes/gzip_inflate.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

constexpr std::uint64_t kDistance = std::uint64_t{300} << 10;

/// Partly repetitive, partly incompressible text.
std::string any_text(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) {
    const std::string number = std::to_string(random());
    text += R"({"ph": "X", "name": "aten::op)" + number.substr(0, 1 + random() % 3) + R"(", "ts": )" + number;
    if (random() % 400 == 0) {
      for (int i = 0; i < 20000; ++i) text += static_cast<char>(random());
    }
    text += "},\n";
  }
  text.resize(bytes);
  return text;
}

/// Stores everything as one block of fixed codes (RFC 1951, 3.2.6), which has no seek points.
std::string one_block(const std::string& text) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  std::uint64_t bits = 0;
  int count = 0;
  const auto put_bit = [&](unsigned bit) {
    bits |= std::uint64_t{bit} << count;
    if (++count < 8) return;
    out += static_cast<char>(bits);
    bits = 0;
    count = 0;
  };
  for (const unsigned bit : {1U, 1U, 0U}) put_bit(bit);
  for (const char c : text) {
    const auto value = static_cast<unsigned char>(c);
    const unsigned code = value < 144 ? 0x30U + value : 0x190U + value - 144U;
    for (int bit = value < 144 ? 7 : 8; bit >= 0; --bit) put_bit(code >> bit & 1U);
  }
  for (int bit = 0; bit < 7; ++bit) put_bit(0);
  while (count > 0) put_bit(0);
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  for (const std::uint32_t number : {crc, static_cast<std::uint32_t>(text.size())})
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift);
  return out;
}

std::string members_of(const std::string& text, std::size_t bytes) {
  std::string members;
  for (std::size_t at = 0; at < text.size(); at += bytes) members += kino_test::gzip(text.substr(at, bytes));
  return members;
}

/// A file inflated by a thread of its own, as during a load.
class Inflated {
 public:
  explicit Inflated(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        source_(
            std::make_shared<kino::GzipSource>(file_, *kino::stamp_of(path), kino::SeekPoints{}, kDistance)),
        text_(source_),
        in_(source_->fd()),
        writer_(text_, *source_, {}, bytes_read_, &in_),
        thread_([this](const std::stop_token& stop) { kino::inflate_gzip(in_, writer_, stop); }) {}

  kino::GzipSource& source() { return *source_; }
  kino::GrowingText& text() { return text_; }
  kino::DamageLog& damage() { return writer_.damage(); }
  void wait() {
    text_.wait_for(kino::GrowingText::kWhole, {});
    thread_.join();
    source_->settle();
  }

 private:
  kino::Descriptor file_;
  std::shared_ptr<kino::GzipSource> source_;
  kino::GrowingText text_;
  kino::FileStream in_;
  std::atomic<std::uint64_t> bytes_read_{0};
  kino::GzipWriter writer_;
  std::jthread thread_;
};

/// Returns the number of reads at random offsets with wrong bytes.
int wrong_reads(const kino::TextSource& source, const std::string& text, unsigned seed, int count) {
  std::mt19937 random(seed);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t at = random() % (text.size() + 10);
    const std::size_t length = random() % (i % 4 == 0 ? std::size_t{2} << 20 : 5000);
    const auto got = source.read_text(at, length);
    wrong += got.ok() && got.value() == text.substr(std::min(at, text.size()), length) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("a gzip file reads the same at any offset, in any order, on any thread, with any compression") {
  const kino_test::TemporaryFolder folder;
  const std::string text = any_text(5'000'003, 1);
  struct Form {
    const char* name;
    std::string file;
    std::size_t least_points;
  };
  for (const Form& form :
       {Form{"fast", kino_test::gzip(text, 1), 4}, Form{"usual", kino_test::gzip(text), 4},
        Form{"best", kino_test::gzip(text, 9), 4}, Form{"stored", kino_test::gzip(text, 0), 4},
        Form{"small members", members_of(text, 7001), 4},
        Form{"large members", members_of(text, 1'100'000), 4}, Form{"one block", one_block(text), 0}}) {
    INFO(form.name);
    const auto path = folder.write("text.gz", form.file);
    Inflated inflated(path);
    inflated.wait();
    CHECK(inflated.damage().entries().empty());
    CHECK(inflated.source().size_bytes() == text.size());
    const kino::SeekPoints points = *inflated.source().seek_points();
    CHECK(points.points.size() >= form.least_points);
    CHECK(points.text_bytes == text.size());
    CHECK(wrong_reads(inflated.source(), text, 2, 40) == 0);

    kino::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const kino::GzipSource again(file, *kino::stamp_of(path), points, kDistance);
    CHECK(again.unchanged());
    std::atomic<int> wrong{0};
    {
      std::vector<std::jthread> readers;
      for (unsigned reader = 0; reader < 4; ++reader)
        readers.emplace_back([&, reader] { wrong += wrong_reads(again, text, 10 + reader, 15); });
    }
    CHECK(wrong == 0);
    for (std::size_t at = 0, step = 1; at < text.size(); at += step, step = step * 3 % 70'001 + 1)
      REQUIRE(again.read_text(at, step).value() == text.substr(at, step));
    const std::vector<std::uint64_t> cuts = again.cuts(400'000);
    CHECK(cuts.front() == 0);
    CHECK(std::is_sorted(cuts.begin(), cuts.end()));
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const std::uint64_t end = i + 1 < cuts.size() ? cuts[i + 1] : text.size();
      CHECK(end > cuts[i]);
      CHECK(end - cuts[i] <= 2'500'000);
    }
  }
}

TEST_CASE("inflating from each seek point reaches the end with a correct checksum") {
  const kino_test::TemporaryFolder folder;
  const std::string text = any_text(5'500'000, 3);
  const auto path = folder.write("text.gz", kino_test::gzip(text));
  Inflated inflated(path);
  inflated.wait();
  const kino::SeekPoints& known = *inflated.source().seek_points();
  REQUIRE(known.points.size() >= 4);
  REQUIRE(known.windows.size() == known.points.size());
  for (std::size_t i = 0; i < known.points.size(); ++i) {
    const kino::SeekPoint& point = known.points[i];
    CHECK(std::memcmp(known.windows[i].data(), text.data() + point.text_offset - known.windows[i].size(),
                      known.windows[i].size()) == 0);
    kino::FileStream in(inflated.source().fd(), point.bit_offset / 8);
    kino::GzipDecoder decoder(in, point, &known.windows[i]);
    std::vector<std::uint8_t> out(text.size());
    std::size_t done = 0;
    kino::GzipDecoder::Decoded decoded;
    while (decoded.stop == kino::GzipDecoder::Stop::none) {
      decoded = decoder.decode(std::span(out).subspan(done));
      done += decoded.bytes;
    }
    CHECK(decoded.stop == kino::GzipDecoder::Stop::end);
    CHECK(std::string_view(reinterpret_cast<const char*>(out.data()), done) ==
          text.substr(point.text_offset));
  }
}

TEST_CASE("a gzip file is inflated only a little beyond the requests, and earlier text remains readable") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const kino_test::TemporaryFolder folder;
  const std::string text = any_text(40 * kMiB, 4);
  Inflated inflated(folder.write("text.gz", kino_test::gzip(text, 1)));
  CHECK(kino_test::eventually([&] { return inflated.source().size_bytes() >= 4 * kMiB; }));
  CHECK(inflated.text().wait_for(10 * kMiB, {}).size >= 10 * kMiB);
  CHECK(inflated.source().size_bytes() <= 15 * kMiB);
  CHECK(inflated.source().read_text(0, 100).value() == text.substr(0, 100));
  inflated.text().wait_for(39 * kMiB, {});
  for (const std::uint64_t at : {std::uint64_t{5}, 3 * kMiB, 17 * kMiB, 38 * kMiB})
    CHECK(inflated.source().read_text(at, 70'000).value() == text.substr(at, 70'000));
  inflated.wait();
  CHECK(inflated.source().size_bytes() == text.size());
}

TEST_CASE("reads from invalid seek points return bytes or an error") {
  const kino_test::TemporaryFolder folder;
  const std::string text = any_text(2'000'000, 6);
  const auto path = folder.write("text.gz", kino_test::gzip(text));
  Inflated inflated(path);
  inflated.wait();
  const kino::SeekPoints right = *inflated.source().seek_points();
  std::mt19937 random(7);
  int errors = 0;
  for (int i = 0; i < 60; ++i) {
    kino::SeekPoints wrong = right;
    const std::size_t which = random() % wrong.points.size();
    wrong.points[which].bit_offset += random() % (i % 2 == 0 ? 64 : 100'000);
    for (int n = 0; n < 500; ++n)
      wrong.windows[which][random() % wrong.windows[which].size()] = static_cast<std::uint8_t>(random());
    if (i % 3 == 0) {
      wrong.points[which].has_window = 0;
      wrong.windows.erase(wrong.windows.begin() + static_cast<std::ptrdiff_t>(which));
    }
    wrong.text_bytes += random() % 1'000'000;
    kino::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const kino::GzipSource source(file, *kino::stamp_of(path), wrong);
    const auto got = source.read_text(wrong.points[which].text_offset + 1000, 300'000);
    errors += got.ok() ? 0 : 1;
  }
  CHECK(errors > 10);
}

TEST_CASE("a gzip file overwritten while open is detected") {
  const kino_test::TemporaryFolder folder;
  const std::string text = any_text(1'000'000, 8);
  const auto path = folder.write("text.gz", kino_test::gzip(text));
  Inflated inflated(path);
  inflated.wait();
  REQUIRE(inflated.source().unchanged());
  folder.write("text.gz", "short");
  CHECK_FALSE(inflated.source().unchanged());
  const auto got = inflated.source().read_text(900'000, 100);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().what.str().find("changed") != std::string::npos);
}
