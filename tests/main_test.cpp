// The entry point of all test programs, from doctest. The end of the output lists the tests that skipped
// checks.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cstdio>

#include <doctest/doctest.h>

#include "tests/fixtures/real_data.hpp"

namespace {

struct LeftOut final : doctest::IReporter {
  explicit LeftOut(const doctest::ContextOptions& /*options*/) {}
  void report_query(const doctest::QueryData& /*query*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& /*stats*/) override {
    for (const std::string& test : kino_test::left_out)
      std::printf("[left out for want of real files] %s\n", test.c_str());
  }
  void test_case_start(const doctest::TestCaseData& test) override { kino_test::current_test = test.m_name; }
  void test_case_reenter(const doctest::TestCaseData& /*test*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*thrown*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*test*/) override {}
};

}  // namespace

DOCTEST_REGISTER_LISTENER("left_out", 1, LeftOut);
