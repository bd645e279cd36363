// Covers: pickle_reader, pickle_values
// The pickle reader: plain values of every protocol, no code executed, bounded memory, readable up to damage.
#include "loaders/formats/snapshot/pickle_reader.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/loader_files.hpp"

namespace {

using namespace std::string_literals;
using kino::Error;
using kino::PickleEnd;
using kino::PlainValue;
using kino::Result;
using kino::SnapshotAssembler;

/// Returns a few bytes per read, so that arguments span reads.
class SlowBytes : public kino::ByteStream {
 public:
  SlowBytes(std::string bytes, std::size_t step) : bytes_(std::move(bytes)), step_(step) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const std::size_t count = std::min({step_, out.size(), bytes_.size() - at_});
    std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::uint64_t file_bytes_read() const override { return at_; }

 private:
  std::string bytes_;
  std::size_t step_;
  std::size_t at_ = 0;
};

struct Read {
  SnapshotAssembler into;
  std::optional<Result<PickleEnd>> end;
};

void read(Read& to, const std::string& pickle, std::size_t step = 1 << 20U) {
  SlowBytes bytes(pickle, step);
  kino::ByteWindow window(bytes, 16);
  to.end = kino::read_pickle(window, to.into, [] { return true; });
}

/// Returns the only item of a list as text.
std::string item_of(const std::string& value, std::size_t step = 1 << 20U) {
  Read done;
  read(done, "]" + value + "a.", step);
  REQUIRE(done.end->ok());
  CHECK_FALSE(done.end->value().damage);
  const auto item = done.into.only_item(done.end->value().root);
  REQUIRE(item);
  return done.into.plain_text(*item);
}

std::string error_of(const std::string& pickle) {
  Read done;
  read(done, pickle);
  REQUIRE(done.end);
  if (!done.end->ok()) return done.end->error().what.str();
  return done.end->value().damage ? done.end->value().damage->what.str() : "";
}

std::uint64_t error_offset(const std::string& pickle) {
  Read done;
  read(done, pickle);
  return done.end->ok() ? done.end->value().damage->offset : done.end->error().offset;
}

}  // namespace

TEST_CASE("plain values of all opcodes equal Python's, wherever the bytes are cut") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"N", "None"},
      {"\x88"s, "True"},
      {"\x89"s, "False"},
      {"I01\n", "True"},
      {"I00\n", "False"},
      {"I-17\n", "-17"},
      {"K\xff"s, "255"},
      {"M\x01\x80"s, "32769"},
      {"J\xff\xff\xff\xff"s, "-1"},
      {"J\x00\x00\x00\x80"s, "-2147483648"},
      {"L18446744073709551615L\n", "18446744073709551615"},
      {"L-5\n", "-5"},
      {"L123456789012345678901234567890L\n", "(too large)"},
      {"\x8a\x00"s, "0"},
      {"\x8a\x01\xff"s, "-1"},
      {"\x8a\x05\x00\x00\x00\x00\x01"s, "4294967296"},
      {"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"s, "18446744073709551615"},
      {"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff"s, "-1"},
      {"\x8a\x0a\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00"s, "7"},
      {"\x8a\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"s, "(too large)"},
      {"\x8b\x02\x00\x00\x00\x00\x01"s, "256"},
      {"G\x3f\xf8\x00\x00\x00\x00\x00\x00"s, "1.5"},
      {"F1.5\n", "1.5"},
      {"\x8c\x03"s + "abc", "abc"},
      {"X\x03\x00\x00\x00"s + "abc", "abc"},
      {"\x8d\x03\x00\x00\x00\x00\x00\x00\x00"s + "abc", "abc"},
      {"U\x03"s + "abc", "abc"},
      {"T\x03\x00\x00\x00"s + "abc", "abc"},
      {"C\x02"s + "ab", "ab"},
      {"B\x02\x00\x00\x00"s + "ab", "ab"},
      {"\x8e\x02\x00\x00\x00\x00\x00\x00\x00"s + "ab", "ab"},
      {"\x96\x02\x00\x00\x00\x00\x00\x00\x00"s + "ab", "ab"},
      {R"(S'a\'b\x41\n')"s + "\n", "a'bA\n"},
      {"S\"plain\"\n", "plain"},
      {"Va\\u00e9\xe9\\U0001f600\n", "a\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80"},
      {"K\x01K\x02\x86"s, "(1, 2)"},
      {"(K\x01K\x02t"s, "(1, 2)"},
      {"K\x01K\x02K\x03\x87"s, "1, 2, 3"},
      {"(K\x01K\x02l"s, "1, 2"},
      {"(K\x01K\x02\x91"s, "1, 2"},
      {"\x8f(K\x07K\x08\x90"s, "7, 8"},
      {"(\x8c\x01kK\x05"s + "d", "k: 5"},
      {"}\x8c\x01kK\x05s"s, "k: 5"},
      {"}(\x8c\x01kK\x05\x8c\x01jNu"s, "k: 5, j: None"},
      {"K\x05q\x00K\x09"s + "0h\x00"s + "0", "5"},
      {"K\x05\x94"s + "0h\x00"s, "5"},
      {"K\x05p3\n0g3\n", "5"},
      {"K\x05r\x03\x00\x00\x00"s + "0j\x03\x00\x00\x00"s, "5"},
      {"(K\x01K\x02"s + "1K\x03", "3"},
      {"(0K\x03"s, "3"},
      {"K\x05"s + "2\x86", "(5, 5)"},
      {"\x95\x00\x00\x00\x00\x00\x00\x00\x00K\x05"s, "5"},
      {"ccollections\nOrderedDict\n)R(\x8c\x01kK\x05u"s, "k: 5"},
      {"\x8c\x0b"s + "collections\x8c\x0b" + "OrderedDict\x93)R(\x8c\x01kK\x05u"s, "k: 5"},
      {"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(\x8c\x01kK\x05u"s, "k: 5"},
      {"ctorch\nSize\nK\x01K\x02\x86\x85R"s, "(1, 2)"},
  };
  for (const auto& [value, says] : cases) {
    CAPTURE(says);
    for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{1} << 20U}) {
      CHECK(item_of(value, step) == says);
    }
  }
}

TEST_CASE("imports and calls are refused by name and offset") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"cos\nsystem\n(S'ls'\ntR.", "GLOBAL (os.system)"},
      {"\x8c\x02os\x8c\x06system\x93."s, "STACK_GLOBAL (os.system)"},
      {"cbuiltins\neval\n.", "builtins.eval"},
      {"Pid\n.", "PERSID"},
      {"NQ.", "BINPERSID"},
      {"}}b.", "BUILD"},
      {"(ios\nsystem\n.", "INST"},
      {"(No.", "OBJ"},
      {"N)\x81."s, "NEWOBJ"},
      {"N)}\x92."s, "NEWOBJ_EX"},
      {"\x82\x01."s, "EXT1"},
      {"\x83\x01\x01."s, "EXT2"},
      {"\x84\x01\x01\x01\x01."s, "EXT4"},
      {"\x97."s, "NEXT_BUFFER"},
      {"N\x98."s, "READONLY_BUFFER"},
      {"N)R.", "REDUCE"},
      {"ccollections\nOrderedDict\n(lN\x85R."s, "REDUCE"},
      {"ccollections\ndefaultdict\nN\x85R."s, "REDUCE"},
      {"cbuiltins\nlist\n)R.", "REDUCE"},
  };
  for (const auto& [pickle, name] : cases) {
    CAPTURE(name);
    Read done;
    read(done, "](" + pickle);
    REQUIRE_FALSE(done.end->ok());
    CHECK(done.end->error().kind == Error::Kind::unknown_format);
    CHECK(done.end->error().what.str().find(name) != std::string::npos);
  }
  CHECK(error_offset("]]]cos\nsystem\n)R.") == 3);
}

TEST_CASE("invalid pickles are reported with the offset") {
  CHECK(error_of("N.").empty());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "ends before"},
      {"]", "ends before"},
      {"](K\x01"s, "ends before"},
      {".", "takes more values"},
      {"(.", "takes more values"},
      {"](N.", "ends within"},
      {"]e", "ends a container that it did not begin"},
      {"(e", "ends a container that it did not begin"},
      {"t.", "ends a container that it did not begin"},
      {"](N](0ue.", "not a dict"},
      {"K\x01(Ne."s, "not a list"},
      {"K\x01Na."s, "not a list"},
      {"}(Nu.", "without a value"},
      {"(Nd.", "without a value"},
      {"h\x00."s, "does not exist"},
      {"g99\n.", "does not exist"},
      {"gx\n.", "not a number"},
      {"Nr\xff\xff\xff\x7f."s, "a memo index that is too large"},
      {"Nr\x00\x00\x00\x00p999999999999\n."s, "a memo index that is too large"},
      {"\x8b\xff\xff\xff\x7fxx"s, "a value of 2147483647 bytes"},
      {"\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s + "abc", "a value of 18446744073709551615 bytes"},
      {"S'abc\n.", "no quotes"},
      {"\x80\x06."s, "protocol"},
      {"\xfe."s, "unknown opcode 0xfe"},
      {"0", "takes more values"},
      {"2", "takes more values"},
      {"a", "takes more values"},
      {"s", "takes more values"},
      {"\x87"s, "takes more values"},
      {std::string(5000, '('), "too deep"},
      {std::string(400'000, ']'), "more"},
      {"]" + std::string(400'000, 'N'), "more values on its stack"},
      {"N" + std::string(400'000, '\x94'), "a memo index that is too large"},
  };
  for (const auto& [pickle, says] : cases) {
    CAPTURE(says);
    CAPTURE(pickle.substr(0, 20));
    CHECK(error_of(pickle).find(says) != std::string::npos);
  }
  CHECK(error_offset("]]K") == 3);
  CHECK(error_offset("]]\xfe"s) == 2);
}

TEST_CASE("an oversized string is not read, however many of its bytes exist") {
  // Two BINUNICODE8 whose stated sizes are above the bound and a terabyte; only the stated sizes matter.
  const std::string_view head("\x80\x04]\x8d", 4);
  for (const std::uint64_t size : {(std::uint64_t{64} << 20U) + 1, std::uint64_t{1} << 40U}) {
    std::string pickle(head);
    for (unsigned i = 0; i < 8; ++i) pickle += static_cast<char>(size >> 8U * i & 0xffU);
    const std::string error = error_of(pickle + std::string(1000, 'a'));
    CHECK(error.find("a value of " + std::to_string(size) + " bytes") != std::string::npos);
  }
}

TEST_CASE("a pickle ends at its STOP, whatever follows") {
  CHECK(error_of("]." + std::string(100, '\0')).empty());
  SlowBytes bytes("]." + std::string(100, '\0'), 7);
  kino::ByteWindow window(bytes, 16);
  SnapshotAssembler into;
  REQUIRE(kino::read_pickle(window, into, [] { return true; }).ok());
  CHECK(window.offset() == 2);
}

TEST_CASE("reading stops on request") {
  SlowBytes bytes("]" + std::string(100, 'N'), 7);
  kino::ByteWindow window(bytes, 16);
  SnapshotAssembler into;
  const auto end = kino::read_pickle(window, into, [] { return false; });
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().kind == Error::Kind::cancelled);
}

TEST_CASE("a window never holds much more than the bytes received") {
  SlowBytes bytes(std::string(1000, 'x'), 100);
  kino::ByteWindow window(bytes, 16);
  CHECK_FALSE(window.ensure(~std::uint64_t{0}));
  CHECK(window.size() == 1000);
  CHECK(window.ensure(1000));
  window.skip(990);
  CHECK(window.offset() == 990);
  CHECK_FALSE(window.ensure(11));
  CHECK(window.ensure(10));
}

TEST_CASE("pickles are detected by their first bytes") {
  CHECK(kino::looks_like_pickle("\x80\x04\x95"));
  CHECK(kino::looks_like_pickle("(dp0\nVsegments\n"));
  CHECK(kino::looks_like_pickle("}q\x00(X"s));
  CHECK_FALSE(kino::looks_like_pickle("{\"a\": 1}"));
  CHECK_FALSE(kino::looks_like_pickle("\x80\x09"));
  CHECK_FALSE(kino::looks_like_pickle(""));
}
