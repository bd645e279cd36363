// Covers: name_text
#include "core/trace/name_text.hpp"

#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("C++ kernels lose return type, namespaces, template arguments and parameters") {
  CHECK(short_name(
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
            "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
            "3ul>)") == "vectorized_elementwise_kernel");
  CHECK(short_name("at::native::vectorized_elementwise_kernel<4, ...>") == "vectorized_elementwise_kernel");
  CHECK(short_name(
            "void (anonymous namespace)::softmax_warp_forward<float, float, float, 6, false, false>(float*, "
            "float const*, int, int, int, bool const*, int, bool)") == "softmax_warp_forward");
  CHECK(
      short_name(
          "void at::native::(anonymous namespace)::CatArrayBatchedCopy<c10::BFloat16, unsigned int, 2, 128, "
          "1>(c10::BFloat16*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<c10::BFloat16, "
          "unsigned int, 128, 1>, int, unsigned int)") == "CatArrayBatchedCopy");
  CHECK(short_name(
            "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::(anonymous "
            "namespace)::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
            "const::{lambda()#20}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
            "float const&)::{lambda(int)#1}>(int, float)") == "elementwise_kernel");
  CHECK(short_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)") ==
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  CHECK(short_name(
            "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, (vllm::Fp8KVCacheDataType)0, "
            "1>(__hip_bfloat16 const*)") == "paged_attention_ll4mi_QKV_mfma16_kernel");
}

TEST_CASE("kernels with a generic name are distinguished by their template argument or namespace") {
  CHECK(short_name("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_bf16_128x64_64x4_tn_align8>("
                   "cutlass_80_tensorop_s16816gemm_bf16_128x64_64x4_tn_align8::Params)") ==
        "cutlass_80_tensorop_s16816gemm_bf16_128x64_64x4_tn_align8");
  CHECK(short_name("void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnBwdSm90<flash::"
                   "CollectiveMainloopBwdSm90<2, 2> > > >(flash::FlashAttnBwdSm90<2>::Params)") ==
        "FlashAttnBwdSm90");
  CHECK(short_name(
            "std::enable_if<true, void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, true>(int)") ==
        "gemvx::kernel");
}

TEST_CASE("mangled names show their innermost identifier") {
  CHECK(short_name("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi") ==
        "vectorized_elementwise_kernel");
  CHECK(short_name("_Z18act_and_mul_kernelPf") == "act_and_mul_kernel");
  CHECK(short_name(
            "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_4gemmEEEEvv") ==
        "ImplicitGemmConvolution");
  CHECK(short_name("_ZN99999999999999999999999x") == "_ZN99999999999999999999999x");
}

TEST_CASE("names that are short already are unchanged") {
  for (const char* name :
       {"aten::mm", "c10d::allreduce_", "cudaLaunchKernel", "ProfilerStep#5", "triton_poi_fused_add_mul_5",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_"
        "off_kernel"
        "__5x_cublas",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "FSDP::all_gather (layers.5)",
        "<forward op>", "nccl:all_to_all", "Optimizer.step#SGD.step", "PyTorch Profiler (0)", "%s%n##x", "()",
        "<>", ">", "void"}) {
    CHECK(short_name(name) == name);
  }
}

TEST_CASE("autograd wrappers and classes lose their common prefix") {
  CHECK(short_name("autograd::engine::evaluate_function: AddmmBackward0") == "AddmmBackward0");
  CHECK(short_name("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad") ==
        "AccumulateGrad");
  CHECK(short_name("torch::autograd::AccumulateGrad") == "AccumulateGrad");
  CHECK(short_name("nn.Module: Linear_0") == "Linear_0");
  CHECK(short_name("## Request wait() ##") == "Request wait()");
  CHECK(short_name("## ##") == "## ##");
}

TEST_CASE("a prefix that is repeated many times is removed without recursion") {
  std::string name;
  for (int i = 0; i < 200'000; ++i) {
    name += i % 2 == 0 ? "nn.Module: " : "autograd::engine::evaluate_function:  ";
  }
  CHECK(short_name(name + "Linear_0") == "Linear_0");
  CHECK(short_name("nn.Module: model.py(12): forward") == "nn.Module: model.py: forward");
}

TEST_CASE("copies keep their direction") {
  CHECK(short_name("Memcpy HtoD (Pageable -> Device)") == "Memcpy HtoD");
  CHECK(short_name("Memcpy DtoD (Device -> Device)") == "Memcpy DtoD");
  CHECK(short_name("Memset (Device)") == "Memset");
}

TEST_CASE("Python frames keep file and function") {
  CHECK(short_name("torch/nn/modules/module.py(1501): _call_impl") == "module.py: _call_impl");
  CHECK(short_name("C:\\lib\\train.py(7): <module>") == "train.py: <module>");
  CHECK(short_name("<string>(46): run") == "<string>: run");
  CHECK(short_name("<built-in method relu of type object at 0x7f01ae52d1e0>") == "relu");
  CHECK(short_name("<built-in function len>") == "len");
}

TEST_CASE("long texts are cut between characters") {
  CHECK(kino::head_of("kernel", 6) == "kernel");
  CHECK(kino::head_of("kernel", 4) == "kern");
  CHECK(kino::head_of("aé", 2) == "a");
  CHECK(kino::head_of("\x80\x80\x80", 2).empty());
  CHECK(kino::cut_text("kernel", 6) == "kernel");
  CHECK(kino::cut_text("aéz", 2) == "a ...");
}

TEST_CASE("for any text, the result is never empty and never longer than the name") {
  CHECK(short_name("").empty());
  CHECK(short_name("   ") == "   ");
  std::mt19937 random(11);
  const std::string alphabet = "a:<>()_Z9I ,N.void-S1{}";
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    const auto length = 1 + random() % 24;
    for (std::size_t k = 0; k < length; ++k) name += alphabet[random() % alphabet.size()];
    const std::string text = short_name(name);
    CHECK_FALSE(text.empty());
    CHECK(text.size() <= name.size());
  }
}

TEST_CASE("names that are cut remain distinguishable") {
  const std::string head = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_";
  const std::string tail = "<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_x<float>, char*)";
  const std::vector<std::string> whole{head + "add" + tail, head + "mul" + tail, head + "mulx" + tail, "gemm",
                                       head + "add" + tail};
  const std::vector<std::string_view> names(whole.begin(), whole.end());
  std::vector<std::string> cut;
  std::vector<std::string> brief;
  for (const std::string& name : whole) {
    cut.push_back(kino::shortened_text(name, 56));
    brief.push_back(short_name(name));
  }
  REQUIRE(cut[0] == cut[1]);
  for (const auto& shown : {kino::disambiguated(names, cut, 56), kino::disambiguated(names, brief)}) {
    CHECK(shown[0] == shown[4]);
    CHECK(shown[3] == "gemm");
    CHECK(shown[0] != shown[1]);
    CHECK(shown[1] != shown[2]);
    CHECK(shown[0].find("add") != std::string::npos);
  }
  for (const std::string& shown : kino::disambiguated(names, cut, 56)) CHECK(shown.size() <= 56);
  CHECK(kino::disambiguated(names, brief)[0].starts_with("vectorized_elementwise_kernel ... "));
}

TEST_CASE("names that differ in several places, at the end, or by multi-byte characters remain distinct") {
  const std::string same(80, 'x');
  const std::vector<std::string> whole{same + "a" + same + "1" + same,
                                       same + "a" + same + "2" + same,
                                       same + "b" + same + "1" + same,
                                       same + "\xC3\xA9" + same,
                                       same + "\xC3\xA8" + same,
                                       same,
                                       same + same};
  const std::vector<std::string_view> names(whole.begin(), whole.end());
  std::vector<std::string> cut(whole.size(), "the same");
  const std::vector<std::string> shown = kino::disambiguated(names, std::move(cut));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(shown[i] != shown[j]);
  }
}

TEST_CASE("equal texts of several groups, and texts that no excerpt distinguishes, become distinct") {
  const std::string head = "void at::native::vectorized_elementwise_kernel<4, at::native::";
  const std::string middle =
      "bool, at::native::(anonymous namespace)::Functor_of_something_long_that_goes_on<";
  std::vector<std::string> whole;
  for (const char* kind : {"A", "B", "C"}) {
    for (const char* type : {"x", "y", "z"}) {
      for (const char* end : {"1", "2"})
        whole.push_back(head + kind + "<" + middle + type + "> >, std::array<char*, 3ul> >(" + middle + end +
                        ")");
    }
  }
  const std::vector<std::string_view> names(whole.begin(), whole.end());
  for (const std::size_t most : {std::size_t{0}, std::size_t{56}, std::size_t{8}}) {
    std::vector<std::string> cut;
    for (const std::string& name : whole) cut.push_back(kino::shortened_text(name, 56));
    const std::vector<std::string> shown = kino::disambiguated(names, std::move(cut), most);
    CAPTURE(most);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (most > 0) CHECK(shown[i].size() <= 56);
      for (std::size_t j = 0; j < i; ++j) CHECK(shown[i] != shown[j]);
    }
  }
}

TEST_CASE("many names that diverge one by one from a long common prefix become distinct") {
  std::vector<std::string> whole;
  std::string path = "module";
  for (int i = 0; i < 400; ++i) {
    path += ".layer_with_a_long_name_of_its_own_" + std::to_string(i);
    whole.push_back(path);
    whole.push_back(path + "!");
  }
  const std::vector<std::string_view> names(whole.begin(), whole.end());
  std::vector<std::string> cut;
  for (const std::string& name : whole) cut.push_back(kino::shortened_text(name, 56).substr(0, 30));
  const std::vector<std::string> shown = kino::disambiguated(names, std::move(cut), 56);
  for (std::size_t i = 2; i < shown.size(); ++i) {
    CHECK(shown[i].size() <= 56);
    CHECK(shown[i] != shown[i - 1]);
  }
}

TEST_CASE("long texts that differ only in their middle get an excerpt from the difference") {
  const std::string head = "Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_";
  const std::string tail = "_AFC1_AFEM1_ASEM1_WSGRA0_WSGRB0_WS64_WG32_8_1";
  const std::vector<std::string> whole{head + "MT256x128x64" + tail, head + "MT256x192x64" + tail,
                                       head + "MT256x128x64" + tail, "attn_fwd", "another_kernel_" + head};
  const std::vector<std::string_view> names(whole.begin(), whole.end());
  CHECK(kino::disambiguated(names, whole) == whole);
  const std::vector<std::string> shown = kino::disambiguated_if_cut(names, whole, 32);
  CHECK(shown[0].starts_with("Cijk_Alik_Bljk_B" + std::string(kino::kExcerptMark)));
  CHECK(shown[0].find("x128x64") != std::string::npos);
  CHECK(shown[1].find("x192x64") != std::string::npos);
  CHECK(shown[2] == shown[0]);
  CHECK(shown[3] == "attn_fwd");
  CHECK(shown[4] == whole[4]);
}
