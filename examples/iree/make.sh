#!/bin/sh
# Regenerates the lowered kernels beside this file: make.sh [path of iree-compile, version 3.13.0]
#
# Each source is compiled twice per target. The first run stops being interesting once the compiler
# has chosen its tiles ("configured"); in that text the padding of LDS rows is switched off. The
# second run prints the kernel at thread level, after the last pass that touches LDS addresses.
# Direct loads to LDS are off, so that every tile is written by ordinary stores.
#
# One thing is added to what the compiler prints: translation_info, with the workgroup size that the
# text's own dispatch_config states. It says "already lowered", so that the file compiles again, to
# the same instructions:
#   iree-compile --compile-mode=hal-executable FILE --iree-hal-target-backends=rocm \
#     --iree-rocm-target=TARGET --iree-hal-dump-executable-intermediates-to=OUT -o /dev/null
set -eu
cd "$(dirname "$0")"
compile=${1:-iree-compile}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

off='no_reduce_shared_memory_bank_conflicts = true'
for target in gfx942 gfx950 sm_80; do
  case $target in
    gfx*) flags="--iree-hal-target-backends=rocm --iree-rocm-target=$target" ;;
    *) flags="--iree-hal-target-backends=cuda --iree-cuda-target=$target" ;;
  esac
  flags="$flags --iree-llvmgpu-use-direct-load=false"
  for kernel in matmul_1024 matmul_abt_4096 attention_1x1024x128; do
    out=$work/$kernel.$target
    "$compile" $kernel.mlir $flags --iree-hal-dump-executable-configurations-to="$out" \
      -o "$out.vmfb"

    sed -e "s/no_reduce_shared_memory_bank_conflicts = false/$off/" \
      -e "/gpu_pipeline_options/!s/\(subgroup_size = [0-9]*, {\)/\1gpu_pipeline_options = #iree_gpu.pipeline_options<$off>, /" \
      "$out"/configured_module_*.mlir > "$out.mlir"
    grep -q "$off" "$out.mlir"

    "$compile" --compile-mode=hal-executable "$out.mlir" $flags -o "$out.bin" \
      --mlir-disable-threading --mlir-print-local-scope --mlir-print-ir-module-scope \
      --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> "$out.dump"

    size=$(sed -n 's/.*dispatch_config .*\(workgroup_size = \[.*\] subgroup_size = [0-9]*\).*/\1/p' "$out.dump")
    info="translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline $size>"
    sed "s/\(func\.func @[^(]*() attributes {\)/\1$info, /" "$out.dump" > "$kernel.$target.mlir"
    echo "$kernel.$target.mlir: $size"
  done
done
