// Covers: serve_access
#include "app/cli/serve/serve_access.hpp"

#include <set>

#include <doctest/doctest.h>

using kino::equal_in_constant_time;
using kino::HostNames;
using kino::is_loopback;

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

TEST_CASE("an origin is a page of the same host") {
  const HostNames names({"127.0.0.1"});
  CHECK(names.allow_origin("http://localhost:8642", "localhost:8642"));
  CHECK(names.allow_origin("http://localhost:8642", "LOCALHOST:8642"));
  CHECK(names.allow_origin("http://[::1]:8642", "[::1]:8642"));
  CHECK(names.allow_origin("https://hub.example", "hub.example"));
  for (const char* origin :
       {"", "null", "http://", "http://localhost", "http://localhost:8643", "http://127.0.0.1:8642",
        "http://localhost:8642/", "file://localhost:8642", "http://evil.example"})
    CHECK_FALSE_MESSAGE(names.allow_origin(origin, "localhost:8642"), origin);
  CHECK_FALSE(names.allow_origin("http://", ""));
}

TEST_CASE("the host of a proxy is allowed, and its pages even if it replaces the Host header") {
  const HostNames names({"127.0.0.1"}, false, {"Hub.example:8443"});
  CHECK(names.allow("hub.example:8443"));
  CHECK(names.allow("hub.example"));
  CHECK_FALSE(names.allow("evil.hub.example"));
  CHECK(names.allow_origin("https://hub.example:8443", "127.0.0.1:8642"));
  for (const char* origin : {"https://hub.example", "https://hub.example:8444",
                             "https://evil.hub.example:8443", "http://127.0.0.1:8643"})
    CHECK_FALSE_MESSAGE(names.allow_origin(origin, "127.0.0.1:8642"), origin);
}

TEST_CASE("hosts are names or addresses with an optional port") {
  for (const char* host : {"hub.example", "hub.example:8443", "10.0.0.7", "[::1]:80", "a_b-c"})
    CHECK_MESSAGE(kino::is_host(host), host);
  for (const char* host :
       {"", "https://hub.example", "hub.example/", "a b", "a;b", "[x]", "::1", "a:b", "'self'"})
    CHECK_FALSE_MESSAGE(kino::is_host(host), host);
}

TEST_CASE("requests are accepted with and without the base path") {
  CHECK(kino::path_below("/", "/") == "");
  CHECK(kino::path_below("/session?x=/", "/") == "session");
  CHECK(kino::path_below("/a/b/", "/a/b/") == "");
  CHECK(kino::path_below("/a/b/session", "/a/b/") == "session");
  CHECK(kino::path_below("/session", "/a/b/") == "session");
  CHECK(kino::path_below("/a/session", "/a/b/") == "a/session");
  CHECK_FALSE(kino::path_below("http://evil.example/", "/"));
  CHECK_FALSE(kino::path_below("", "/"));
}

TEST_CASE("a base path has slashes at both ends and needs no quoting") {
  CHECK(kino::normal_base_path("/") == "/");
  CHECK(kino::normal_base_path("") == "/");
  CHECK(kino::normal_base_path("user/anna") == "/user/anna/");
  CHECK(kino::normal_base_path("/user/a%40b/proxy/") == "/user/a%40b/proxy/");
  for (const char* path :
       {"//evil.example", "/a//b", "/a/../b", "/./", "/a b", "/a?b", "/a#b", "/a\"b", "/\r\n"})
    CHECK_FALSE_MESSAGE(kino::normal_base_path(path), path);
}

TEST_CASE("loopback addresses are recognized") {
  for (const char* address : {"127.0.0.1", "127.255.0.1", "::1"}) CHECK(is_loopback(address));
  for (const char* address : {"", "0.0.0.0", "::", "128.0.0.1", "localhost", "127.0.0.1.x"})
    CHECK_FALSE(is_loopback(address));
}
