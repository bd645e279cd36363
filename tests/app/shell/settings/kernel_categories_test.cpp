// Covers: kernel_categories
#include "app/shell/settings/kernel_categories.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

/// Restores the built-in rules at the end of a test.
struct RulesRestored {
  RulesRestored() = default;
  RulesRestored(const RulesRestored&) = delete;
  RulesRestored& operator=(const RulesRestored&) = delete;
  ~RulesRestored() { kino::set_kernel_categories(kino::default_work_rules()); }
};

std::string category_of(const std::string& kernel) {
  const auto trace = kino::EventFixture().kernel(kernel, 0, 10).build();
  const auto rules = kino::kernel_categories();
  return rules->all()[kino::WorkCategories(*trace, *rules).rule_of(kino::SliceId{0})].category.str();
}

}  // namespace

TEST_CASE("user rules for kernels precede or replace the built-in ones") {
  const RulesRestored restored;
  const kino_test::TemporaryFolder folder;
  const auto before = folder.write("before.json", R"([{"category": "Mine", "name": "^My_"}, "built in"])");
  CHECK(kino::use_kernel_categories(before).empty());
  CHECK(category_of("my_gemm") == "Mine");
  CHECK(category_of("not_my_gemm") == "Matrix product");
  CHECK(category_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL()") == "Communication");
  CHECK(kino::kernel_categories()->all().size() == kino::default_name_rules().size() + 5);

  const auto instead = folder.write("instead.json", R"([{"category": "Mine", "name": "GEMM"}])");
  CHECK(kino::use_kernel_categories(instead).empty());
  CHECK(category_of("sgemm") == "Mine");
  CHECK(category_of("softmax") == "Other");
}

TEST_CASE("reports an invalid file of kernel categories by name and ignores it") {
  const RulesRestored restored;
  const kino_test::TemporaryFolder folder;
  for (const char* text : {"{}", "[", "[1]", R"(["builtin"])", R"([{"category": "A"}])", R"([{"name": "a"}])",
                           R"([{"category": "", "name": "a"}])", R"([{"category": "A", "name": ""}])",
                           R"([{"category": "A", "name": "^"}])", R"([{"category": 1, "name": "a"}])"}) {
    CAPTURE(text);
    const auto path = folder.write("wrong.json", text);
    const std::string why = kino::use_kernel_categories(path);
    CHECK(why.find("ignored: " + path.string()) != std::string::npos);
    CHECK(category_of("softmax") == "Softmax");
  }
  CHECK(kino::use_kernel_categories(folder.path() / "none.json").empty());
  const auto large = folder.write("large.json", std::string(2 << 20, ' '));
  CHECK(kino::use_kernel_categories(large).find("cannot be read") != std::string::npos);
}
