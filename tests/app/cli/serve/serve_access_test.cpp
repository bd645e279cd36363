// Covers: serve_access
#include "app/cli/serve/serve_access.hpp"

#include <set>

#include <doctest/doctest.h>

using kino::equal_in_constant_time;
using kino::HostNames;
using kino::is_loopback;
using kino::is_same_origin;

TEST_CASE("tokens have 128 bits and differ") {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(kino::random_token());
  CHECK(tokens.size() == 100);
  for (const std::string& token : tokens) {
    CHECK(token.size() == 32);
    CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
}

TEST_CASE("tokens are equal only if all digits are") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "ab", "abcd", "xbc", "abx"})
    CHECK_FALSE(equal_in_constant_time("abc", other));
}

TEST_CASE("only loopback names are hosts of a server on a loopback address") {
  const HostNames names({"127.0.0.1"}, false);
  for (const char* host :
       {"localhost", "LOCALHOST:8642", "127.0.0.1", "127.0.0.1:1", "127.1.2.3", "[::1]:8642", "[::1]"})
    CHECK_MESSAGE(names.allow(host), host);
  for (const char* host : {"", ":8642", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "10.0.0.1", "localhost:", "localhost:80x", "localhost:1234567", "[::1", "[::1]x",
                           "[::2]", "0.0.0.0", "localhost@evil.example", "localhost/x"})
    CHECK_FALSE_MESSAGE(names.allow(host), host);
}

TEST_CASE("a server on another address accepts any IP address as its host, but no foreign name") {
  const HostNames names({"fe80::1"}, true);
  CHECK(names.allow("[FE80::1]:8642"));
  CHECK(names.allow("10.0.0.7:8642"));
  CHECK_FALSE(names.allow("evil.example"));
}

TEST_CASE("an origin is accepted only if it is the page's own host and port") {
  CHECK(is_same_origin("http://localhost:8642", "localhost:8642"));
  CHECK(is_same_origin("https://hub.example", "hub.example"));
  for (const char* origin : {"", "null", "http://localhost", "http://localhost:8643",
                             "http://localhost:8642/", "file://localhost:8642", "http://evil.example"})
    CHECK_FALSE_MESSAGE(is_same_origin(origin, "localhost:8642"), origin);
  CHECK_FALSE(is_same_origin("http://", ""));
}

TEST_CASE("loopback addresses are recognized") {
  for (const char* address : {"127.0.0.1", "127.255.0.1", "::1"}) CHECK(is_loopback(address));
  for (const char* address : {"", "0.0.0.0", "::", "128.0.0.1", "localhost", "127.0.0.1.x"})
    CHECK_FALSE(is_loopback(address));
}
