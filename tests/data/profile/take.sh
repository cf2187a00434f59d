#!/bin/bash
# Profiles tiles.cu: every shape of CSV that Nsight Compute exports. Usage: take.sh PROGRAM FOLDER
#   nvcc -arch=sm_90 -lineinfo -o tiles tiles.cu       the program
#   nvcc -arch=sm_90 -lineinfo -ptx -o tiles.ptx tiles.cu   (folders cut from its .file lines)
set -u
program=$1 out=$2
metrics=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed
metrics+=,sm__cycles_elapsed.max,sm__cycles_active.avg,gpu__time_duration.sum
metrics+=,sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active
metrics+=,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum
metrics+=,smsp__inst_executed_op_ldsm.sum,smsp__issue_active.avg.pct_of_peak_sustained_active
metrics+=,gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
sections="--section SpeedOfLight --section ComputeWorkloadAnalysis --section LaunchStats"
sections+=" --section MemoryWorkloadAnalysis --section MemoryWorkloadAnalysis_Tables"
ncu --version | tail -1
ncu --clock-control none --import-source on $sections --section SourceCounters \
  --metrics "$metrics" -f -o "$out/tiles" "$program"
show="ncu --import $out/tiles.ncu-rep --csv"
$show --page raw > "$out/raw.csv"
$show --page details > "$out/details.csv"
$show --page source --print-source sass > "$out/source.csv"
$show --page source --print-source cuda,sass > "$out/source_cuda.csv"
# Of source_cuda.csv only the last launch (fragments) is kept. What a user gets without a report:
ncu --clock-control none --csv -k transpose --metrics \
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,gpu__time_duration.sum \
  "$program" > "$out/direct.csv"
