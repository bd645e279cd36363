// Covers: search_fields
#include "app/ui/search/search_fields.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

std::shared_ptr<const Trace> one_slice() {
  TraceFixture fixture;
  fixture.add_row({{0, 4, 1}});
  return fixture.build();
}

std::vector<std::string> offered(std::string_view query, bool all = false,
                                 std::size_t cursor = std::string_view::npos) {
  const auto trace = one_slice();
  ArgumentFields fields;
  for (const char* name : {"correlation", "External id", "shape"}) fields.add(name);
  std::vector<std::string> texts;
  for (const SearchCompletion& one : search_completions(query, cursor, all, *trace, &fields).list)
    texts.push_back(one.text);
  return texts;
}

}  // namespace

TEST_CASE("fields that match the text are offered, the program's own first") {
  using Texts = std::vector<std::string>;
  CHECK(offered("gemm co") == Texts{"correlation:"});
  CHECK(offered("EXT") == Texts{"externalid:"});
  CHECK(offered("External_I") == Texts{"externalid:"});
  CHECK(offered("du") == Texts{"dur>", "dur<"});
  CHECK(offered("sh") == Texts{"shape:"});  // of two matching fields
  CHECK(offered("gemm").empty());
  CHECK(offered("").empty());
  CHECK(offered("\"a co").empty());  // inside quotes
  CHECK(offered("co gemm", false, 2) == Texts{"correlation:"});
  CHECK(offered("kind:comm") == Texts{"kind:communication "});
  CHECK(offered("kind:ker") == Texts{"kind:kernel "});
  CHECK(offered("correlation:4").empty());
}

TEST_CASE("all fields are listed on demand, as a further term after an existing one") {
  CHECK(offered("", true).size() > 10);
  CHECK(offered("co", true) == std::vector<std::string>{"correlation:"});
  const auto behind = offered("gemm", true);
  REQUIRE(behind.size() > 10);
  CHECK(behind.front() == " name:");
  const auto trace = one_slice();
  CHECK(search_completions("gemm", 4, true, *trace, nullptr).begin == 4);
  CHECK(search_completions("a co", 4, false, *trace, nullptr).begin == 2);
}
