// Covers: argument_tree
#include "app/ui/details/argument_tree.hpp"

#include <utility>

#include <doctest/doctest.h>

using namespace kino;

namespace {

ArgNode scalar(std::string key, ArgNode::Kind kind, std::string text) {
  return {kind, std::move(key), std::move(text), {}};
}
ArgNode number(std::string key, std::string text) {
  return scalar(std::move(key), ArgNode::Kind::number, std::move(text));
}

ArgNode event_with(std::vector<ArgNode> args) {
  ArgNode event{ArgNode::Kind::object, "", "", {}};
  event.children.push_back(scalar("name", ArgNode::Kind::string, "aten::mm"));
  event.children.push_back(ArgNode{ArgNode::Kind::object, "args", "", std::move(args)});
  event.children.push_back(scalar("bp", ArgNode::Kind::string, "e"));
  return event;
}

}  // namespace

TEST_CASE("arguments are listed in file order, then other fields of the event") {
  const auto rows = argument_rows(event_with({number("stream", "7"), number("bytes", "123456")}));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].key == "stream");
  CHECK(rows[1].shown == "123 456");
  CHECK(rows[1].copy == "123456");
  CHECK(rows[2].key == "bp");
}

TEST_CASE("short arrays are on one line, long ones become rows") {
  ArgNode dims{ArgNode::Kind::array, "Input Dims", "", {}};
  dims.children.push_back({ArgNode::Kind::array, "", "", {number("", "8"), number("", "512")}});
  dims.children.push_back({ArgNode::Kind::array, "", "", {}});
  ArgNode wide{ArgNode::Kind::array, "wide", "", {}};
  for (int i = 0; i < 100; ++i) wide.children.push_back(number("", std::to_string(i)));
  const auto rows = argument_rows(event_with({dims, wide, number("after", "1")}));
  CHECK(rows[0].shown == "[[8, 512], []]");
  CHECK_FALSE(rows[0].has_children(0));
  CHECK(rows[1].shown == "100 items");
  CHECK(rows[1].has_children(1));
  CHECK(rows[1].end == 102);
  CHECK(rows[rows[1].end].key == "after");
}

TEST_CASE("huge arrays are listed in part and report their number of items") {
  ArgNode huge{ArgNode::Kind::array, "huge", "", {}};
  for (int i = 0; i < 100'000; ++i) huge.children.push_back(number("", "1"));
  const auto rows = argument_rows(event_with({huge}));
  CHECK(rows.size() < 600);
  CHECK(rows[rows[0].end - 1].shown == "and 99 500 more");
}

TEST_CASE("of more than 5,000 arguments and fields, the last row reports how many were omitted") {
  std::vector<ArgNode> args;
  for (int i = 0; i < 6'000; ++i) args.push_back(number("a" + std::to_string(i), "1"));
  const auto rows = argument_rows(event_with(std::move(args)));
  REQUIRE(rows.size() == 5'001);
  CHECK(rows[4'999].key == "a4999");
  CHECK(rows.back().key.empty());
  CHECK(rows.back().shown == "and 1 001 more");  // 1,000 arguments, and the field bp
}

TEST_CASE("only plain integers are grouped") {
  CHECK(grouped_if_integer("9999") == "9999");
  CHECK(grouped_if_integer("10000") == "10 000");
  CHECK(grouped_if_integer("-1234567") == "-1 234 567");
  CHECK(grouped_if_integer("12345.5") == "12345.5");
  CHECK(grouped_if_integer("1e10") == "1e10");
  CHECK(grouped_if_integer("18446744073709551616999") == "18446744073709551616999");
}

TEST_CASE("an event without arguments has no rows") { CHECK(argument_rows(ArgNode{}).empty()); }

TEST_CASE("ids are never grouped like amounts") {
  const auto rows = argument_rows(event_with(
      {number("correlation", "1234567"), number("External id", "1234567"), number("stream", "1234567"),
       number("Sequence number", "1234567"), number("Record function id", "1234567"),
       number("Addr", "140234567890"), number("pid", "1234567"), number("size_id", "1234567"),
       number("Bytes", "1234567"), number("In msg nelems", "1234567"), number("Total Allocated", "1234567"),
       number("memory bandwidth (GB/s)", "1234567")}));
  REQUIRE(rows.size() == 13);
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(rows[i].key);
    CHECK(rows[i].shown == rows[i].copy);
  }
  for (std::size_t i = 8; i < 12; ++i) {
    CAPTURE(rows[i].key);
    CHECK(rows[i].shown == grouped_if_integer("1234567"));
  }
}
