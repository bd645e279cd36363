// Covers: page_message
#include "app/cli/serve/page_message.hpp"

#include <doctest/doctest.h>
#include <imgui.h>

using kino::parse_hello;
using kino::parse_page_message;
using PageMessageKind = kino::PageMessage::Kind;

namespace {

struct Context {
  Context() { ImGui::CreateContext(); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ImGui::DestroyContext(); }
};

}  // namespace

TEST_CASE("a hello has sizes within limits") {
  const auto hello = parse_hello(R"({"t":"hello","version":1,"token":"abc","width":1e9,"height":-5,"ratio":2,
                                     "texture":8192,"language":"ja-JP","open":["a","b",3]})");
  REQUIRE(hello);
  CHECK(hello->version == 1);
  CHECK(hello->token == "abc");
  CHECK(hello->session.empty());
  CHECK(hello->size == kino::PageSize{16384, 64, 2});
  CHECK(hello->largest_texture == 8192);
  CHECK(hello->language == "ja-JP");
  CHECK(hello->open == std::vector<std::string>{"a", "b"});
}

TEST_CASE("texts that are not a hello are rejected") {
  for (const char* text : {"", "{", "[]", "null", "{}", R"({"t":1})", R"({"t":"in"})", "\xff"})
    CHECK_FALSE_MESSAGE(parse_hello(text), text);
  CHECK(parse_hello(R"({"t":"hello","token":5})")->token.empty());
}

TEST_CASE("input events reach the queue, and invalid ones are rejected") {
  const Context context;
  kino::RemoteInput input;
  const auto kind = [&](const char* text) {
    const auto message = parse_page_message(text, input);
    return message ? std::optional(message->kind) : std::nullopt;
  };
  CHECK(
      kind(
          R"({"t":"in","e":[["m",1.5,2],["b",0,true],["b",0,false],["w",0,-1],["k","a","KeyA",true],["t","é"],["f",true]]})") ==
      PageMessageKind::input);
  CHECK_FALSE(input.empty());
  for (const char* text : {"{", "5", "{}", R"({"t":"other"})", R"({"t":"in"})", R"({"t":"in","e":[5]})",
                           R"({"t":"in","e":[[]]})", R"({"t":"in","e":[["m",1]]})",
                           R"({"t":"in","e":[["m","1",2]]})", R"({"t":"in","e":[["b",-1,true]]})",
                           R"({"t":"in","e":[["k",1,"KeyA",true]]})", R"({"t":"in","e":[["x"]]})"})
    CHECK_FALSE_MESSAGE(kind(text), text);
  CHECK(kind(R"({"t":"ack"})") == PageMessageKind::acknowledged);
  CHECK(kind(R"({"t":"got"})") == PageMessageKind::received);
  CHECK(kind(R"({"t":"cancel"})") == PageMessageKind::cancel);
  const auto upload = parse_page_message(R"({"t":"upload","name":"a.json","bytes":5e9,"last":true})", input);
  REQUIRE(upload);
  CHECK(upload->kind == PageMessageKind::upload);
  CHECK(upload->request.name == "a.json");
  CHECK(upload->request.bytes == 5'000'000'000);
  CHECK(upload->request.last);
  const auto wrong = parse_page_message(R"({"t":"upload","name":5,"bytes":-1,"last":1})", input);
  REQUIRE(wrong);
  CHECK(wrong->request.name.empty());
  CHECK(wrong->request.bytes == 0);
  CHECK_FALSE(wrong->request.last);
  CHECK(parse_page_message(R"({"t":"size","width":800,"height":600,"ratio":1})", input)->size ==
        kino::PageSize{800, 600, 1});
  CHECK(parse_page_message(R"({"t":"paste","text":"x"})", input)->text == "x");
}
