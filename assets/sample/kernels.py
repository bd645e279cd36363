"""The kernels of the sample: (name, registers, shared memory, threads per block, achieved occupancy %)."""


def elementwise(functor, arrays, width=8, registers=32):
    array = f"std::array<char*, {arrays}ul>"
    return (f"void at::native::vectorized_elementwise_kernel<{width}, {functor}, {array} >(int, {functor}, {array})",
            registers, 0, 128, 100)


def multi_tensor(depth, functor, op, registers=32, tail=""):
    meta = f"at::native::(anonymous namespace)::TensorListMetadata<{depth}>"
    functor = f"at::native::(anonymous namespace)::{functor}"
    tail = tail or (f", {op}" if op else "")
    return (f"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<{meta}, {functor}{tail} >"
            f"({meta}, {functor}{tail})", registers, 0, 512, 100)


def gemm(layout, tile):
    return (f"sm90_xmma_gemm_bf16bf16_bf16f32_f32_{layout}_n_tilesize{tile}_warpgroupsize1x1x1"
            "_execute_segment_k_off_kernel__5x_cublas", 168, 231424, 384, 0)


_FWD_TRAITS = ("pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, "
               "pytorch_flash::Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >")
_BWD_TRAITS = ("pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t, "
               "pytorch_flash::Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> >")
_GELU = "at::native::Gelu{}CUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{{lambda()#2}}::operator()() " \
        "const::{{lambda()#4}}::operator()() const::{{lambda(c10::BFloat16{})#1}}"
_COPY = "at::native::{}(at::TensorIteratorBase&)::{{lambda({})#1}}"
_ANON = "at::native::(anonymous namespace)::"

KERNELS = {
    "add": elementwise("at::native::CUDAFunctor_add<c10::BFloat16>", 3, registers=34),
    "fill": elementwise("at::native::FillFunctor<float>", 1, width=4, registers=16),
    "fill_bf16": elementwise("at::native::FillFunctor<c10::BFloat16>", 1, registers=16),
    "mul": elementwise("at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                       "at::native::binary_internal::MulFunctor<float> >", 2),
    "clamp": elementwise("at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, "
                         "c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::"
                         "{lambda()#7}::operator()() const::{lambda(float)#1}", 2, width=4),
    "arange": (f"void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar "
               "const&, c10::Scalar const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}"
               "::operator()() const::{lambda(long)#1}>(int, at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar "
               "const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
               "const::{lambda(long)#1}, function_traits<at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar "
               "const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() "
               "const::{lambda(long)#1}>::result_type*)", 16, 0, 64, 1),
    "gelu": elementwise(_GELU.format("", ""), 2, registers=30),
    "gelu_backward": elementwise(_GELU.format("Backward", ", c10::BFloat16"), 3, registers=38),
    "to_float": elementwise(_COPY.format("direct_copy_kernel_cuda", "float"), 2, width=4),
    "to_bf16": elementwise(_COPY.format("bfloat16_copy_kernel_cuda", "float"), 2),
    "gather": ("void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)",
               32, 0, 128, 97),
    "layer_norm": (f"void {_ANON}vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, "
                   "c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)", 36, 24, 128, 100),
    "layer_norm_backward": (f"void {_ANON}layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(c10::BFloat16 "
                            "const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, "
                            "c10::BFloat16*, int)", 32, 16, 128, 100),
    "gamma_beta": (f"void {_ANON}GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 32u, 256u, false, true>"
                   "(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
                   "c10::BFloat16*, c10::BFloat16*)", 32, 8448, 1024, 24),
    "gemm_tn": gemm("tn", "128x128x64"),
    "gemm_nn": gemm("nn", "128x256x64"),
    "gemm_nt": gemm("nt", "128x256x64"),
    "flash": (f"void pytorch_flash::flash_fwd_kernel<{_FWD_TRAITS}, false, true, false, false, true, true, false>"
              "(pytorch_flash::Flash_fwd_params)", 255, 65536, 128, 12),
    "flash_dot": (f"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, {_BWD_TRAITS} >(pytorch_flash::Flash_bwd_params)",
                  50, 0, 256, 50),
    "flash_backward": (f"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<{_BWD_TRAITS}, false, true, "
                       "false, false, true, true, false>(pytorch_flash::Flash_bwd_params)", 255, 147456, 256, 12),
    "flash_convert": (f"void pytorch_flash::flash_bwd_convert_dq_kernel<{_BWD_TRAITS} >(pytorch_flash::Flash_bwd_params, "
                      "int)", 69, 16384, 256, 37),
    "cat": (f"void {_ANON}CatArrayBatchedCopy_aligned16_contig<{_ANON}OpaqueType<2u>, unsigned int, 4, 64, 64>"
            f"({_ANON}OpaqueType<2u>*, {_ANON}CatArrInputTensorMetadata<{_ANON}OpaqueType<2u>, unsigned int, 64, 64>, "
            f"{_ANON}TensorSizeStride<unsigned int, 4u>, int, unsigned int)", 48, 0, 128, 62),
    "sum": ("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t"
            "<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()"
            "(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp"
            "<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
            "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, "
            "4>)", 40, 4112, 512, 72),
    "norm": ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, float, "
             "float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, "
             "unsigned int, float, 4>)", 32, 16, 64, 1),
    "log_softmax": ("void (anonymous namespace)::cunn_SoftMaxForwardSmem<4, float, float, float, "
                    f"{_ANON}LogSoftMaxForwardEpilogue, long>(float*, float const*, long)", 32, 205312, 1024, 50),
    "log_softmax_backward": (f"void {_ANON}cunn_SoftMaxBackwardSmem<4, float, float, float, "
                             f"{_ANON}LogSoftMaxBackwardEpilogue>(float*, float const*, float const*, long)",
                             27, 205344, 1024, 50),
    "nll": (f"void {_ANON}nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long "
            "const*, float const*, bool, long, long, long, long)", 32, 8192, 1024, 0),
    "nll_backward": (f"void {_ANON}nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*, float const*, long const*, "
                     "float const*, float const*, bool, int, int, long, long)", 32, 0, 1024, 0),
    "embedding_sort": ("void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::DeviceRadixSortPolicy"
                       "<long, long, int>::Policy900, false, long, long, int, int, int, "
                       "at_cuda_detail::cub::detail::identity_decomposer_t>(int*, int*, int*, int const*, long*, long const*, "
                       "long*, long const*, int, int, int, at_cuda_detail::cub::detail::identity_decomposer_t)",
                       64, 48128, 384, 18),
    "embedding_backward": (f"void {_ANON}sum_and_scatter<c10::BFloat16, long>(long const*, c10::BFloat16*, long, long "
                           "const*, float const*, long const*, long const*, long, long)", 32, 0, 64, 50),
    "foreach_add": multi_tensor(1, "BinaryOpScalarFunctor<float, 1, 1, 0>", "std::plus<float>, float"),
    "foreach_mul": multi_tensor(1, "BinaryOpScalarFunctor<c10::BFloat16, 1, 1, 0>", "std::multiplies<float>, float"),
    "foreach_mul_tensor": multi_tensor(1, "BinaryOpScalarTensorFunctor<c10::BFloat16, 1, 1, 0>",
                                       "std::multiplies<float>, float*, float"),
    "foreach_lerp": multi_tensor(2, "TernaryOpScalarFunctor<c10::BFloat16, 2, 2, 0>",
                                 "at::native::LerpFunctor<float>, float", registers=40),
    "foreach_addcmul": multi_tensor(3, "PointwiseOpScalarFunctor<c10::BFloat16, 3, 3, 0>",
                                    "std::multiplies<float>, float", registers=48),
    "foreach_addcdiv": multi_tensor(3, "PointwiseOpScalarFunctor<c10::BFloat16, 3, 3, 0>",
                                    "std::divides<float>, float", registers=48),
    "foreach_sqrt": multi_tensor(2, "UnaryOpFunctor<c10::BFloat16, 2, 1, 1>", "at::native::Sqrt<float>"),
    "foreach_div": multi_tensor(1, "BinaryOpScalarFunctor<c10::BFloat16, 1, 1, 0>", "std::divides<float>, float"),
    "foreach_norm": multi_tensor(1, "LpNormFunctor<c10::BFloat16, (at::native::NormType)1, float, 1, 1, 0>",
                                 "float*, int"),
    "norm_cleanup": ("void at::native::lpnorm_cleanup<c10::BFloat16, (at::native::NormType)1, c10::BFloat16, float>(float "
                     "const*, at::native::TensorListAddresses, int)", 16, 2048, 512, 20),
    "all_reduce": ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 96, 82240, 544, 0),
}
