#include "core/trace/links/work_categories.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kCommunication = 0;
constexpr std::size_t kCopy = 1;
constexpr std::size_t kMemset = 2;
constexpr std::size_t kFirstOfNames = 3;

struct NameRule {
  const char* category;
  const char* pattern;
};

constexpr NameRule kNameRules[] = {
    // What torch.compile generates, whatever it fuses.
    {"Compiled (Triton)", "^triton_"},
    {"Elementwise", "rotary"},  // before embeddings: rotary_embedding
    {"Embedding and indexing", "embedding"},
    {"Optimizer and foreach", "multi_tensor_apply"},
    {"Optimizer and foreach", "fusedadam"},
    {"Optimizer and foreach", "fused_adam"},
    {"Optimizer and foreach", "adamfunctor"},
    {"Attention", "fmha"},
    {"Attention", "attention"},
    {"Attention", "attn"},
    {"Attention", "flash_fwd"},
    {"Attention", "flash_bwd"},
    {"Attention", "flash::"},
    {"Attention", "flashinfer"},
    {"Attention", "pagedkvcache"},
    {"Attention", "mha_fwd"},
    {"Attention", "mha_bwd"},
    {"Attention", "mla_"},
    {"Normalisation", "batchnorm"},
    {"Normalisation", "batch_norm"},
    {"Normalisation", "bn_fw"},
    {"Normalisation", "bn_bw"},
    {"Normalisation", "layernorm"},
    {"Normalisation", "layer_norm"},
    {"Normalisation", "rmsnorm"},
    {"Normalisation", "rms_norm"},
    {"Normalisation", "groupnorm"},
    {"Normalisation", "group_norm"},
    {"Normalisation", "ln_fwd"},
    {"Normalisation", "ln_bwd"},
    {"Normalisation", "gammabeta"},
    {"Normalisation", "rowwisemoments"},
    {"Convolution", "scudnn"},
    {"Convolution", "convol"},
    {"Convolution", "conv1d"},
    {"Convolution", "conv2d"},
    {"Convolution", "conv3d"},
    {"Convolution", "conv_"},
    {"Convolution", "_conv"},
    {"Convolution", "sp3asmconv"},
    {"Convolution", "winograd"},
    {"Convolution", "^igemm_"},  // of MIOpen: implicit matrix products of convolutions
    {"Convolution", "dgrad"},
    {"Convolution", "wgrad"},
    {"Convolution", "fprop"},
    {"Convolution", "im2col"},
    {"Convolution", "col2im"},
    {"Matrix product", "gemm"},
    {"Matrix product", "gemv"},
    {"Matrix product", "matmul"},
    {"Matrix product", "^cijk_"},
    {"Matrix product", "cutlass::kernel"},
    {"Matrix product", "cutlass::device_kernel"},
    {"Matrix product", "^cutlass"},
    {"Matrix product", "cublas"},
    {"Matrix product", "^nvjet"},
    {"Matrix product", "xmma"},
    {"Matrix product", "splitkreduce"},
    {"Matrix product", "wvsplitk"},
    {"Softmax", "softmax"},
    {"Embedding and indexing", "index_"},
    {"Embedding and indexing", "indexselect"},
    {"Embedding and indexing", "indexfunc"},
    {"Embedding and indexing", "gather"},
    {"Embedding and indexing", "scatter"},
    {"Sorting and selection", "sort"},
    {"Sorting and selection", "topk"},
    {"Sorting and selection", "deviceselect"},
    {"Sorting and selection", "nonzero"},
    {"Pooling and resampling", "_pool"},
    {"Pooling and resampling", "upsample"},
    {"Pooling and resampling", "pooling"},
    {"Copy by a kernel", "copy_kernel"},
    {"Copy by a kernel", "catarray"},
    {"Copy by a kernel", "transpose"},
    {"Copy by a kernel", "permute"},
    {"Copy by a kernel", "nchwtonhwc"},
    {"Copy by a kernel", "nhwctonchw"},
    {"Copy by a kernel", "copy_tensor"},
    {"Copy by a kernel", "copy_into"},
    {"Random numbers", "distribution_"},
    {"Random numbers", "dropout"},
    {"Reduction", "reduce"},
    {"Reduction", "reduction"},
    {"Reduction", "devicescan"},
    {"Reduction", "_scan_"},
    {"Elementwise", "elementwise"},
    {"Elementwise", "pointwise"},
    {"Elementwise", "activation"},
    {"Elementwise", "act_and_mul"},
    {"Elementwise", "silu"},
    {"Elementwise", "gelu"},
    {"Elementwise", "rope"},
    {"Elementwise", "swiglu"},
    {"Elementwise", "cast_to"},
    {"Elementwise", "quant"},
};

std::vector<WorkRule> with_name_rules(const std::vector<WorkRule>& named) {
  std::vector<WorkRule> rules{{"Communication", ""}, {"Copy", ""}, {"Memset", ""}};
  rules.insert(rules.end(), named.begin(), named.end());
  rules.push_back({"Other", ""});
  for (WorkRule& rule : rules) rule.pattern = lowered(rule.pattern);
  return rules;
}

}  // namespace

WorkRules::WorkRules(const std::vector<WorkRule>& of_names) : rules_(with_name_rules(of_names)) {}

std::size_t WorkRules::rule_of_name(std::string_view name) const {
  const std::string folded = lowered(name);
  const std::size_t other = rules_.size() - 1;
  for (std::size_t i = kFirstOfNames; i < other; ++i) {
    const std::string_view pattern = rules_[i].pattern;
    const bool holds = pattern.starts_with('^') ? folded.starts_with(pattern.substr(1))
                                                : folded.find(pattern) != std::string::npos;
    if (holds) return i;
  }
  return other;
}

const std::vector<WorkRule>& default_name_rules() {
  static const std::vector<WorkRule> rules = [] {
    std::vector<WorkRule> all;
    for (const NameRule& rule : kNameRules) all.push_back({rule.category, rule.pattern});
    return all;
  }();
  return rules;
}

const std::shared_ptr<const WorkRules>& default_work_rules() {
  static const auto rules = std::make_shared<const WorkRules>();
  return rules;
}

std::size_t WorkCategories::rule_of(SliceId work) {
  const std::uint32_t i = index_of(work);
  if (trace_.slices.kind[i] == SliceKind::communication) return kCommunication;
  if (trace_.slices.kind[i] == SliceKind::copy) {
    const std::string_view category = trace_.category_text(trace_.slices.category[i]);
    return category == "gpu_memset" || category == "Memset" ? kMemset : kCopy;
  }
  std::uint16_t& known = by_name_[index_of(trace_.slices.name[i])];
  if (known == kUnknown) known = static_cast<std::uint16_t>(rules_.rule_of_name(trace_.name_of(work)));
  return known;
}

}  // namespace kino
