#!/usr/bin/env bash
# Serves Qwen3.5 in FP4 with multi-token prediction on one B200 node, then loads it.
set -euo pipefail

: "${MODEL:?the model to serve}" "${TP:?tensor-parallel size}" "${CONC:?requests in flight}"
PORT=${PORT:-8888}
LOG=${RESULT_DIR:-.}/server.log

python3 -m sglang.launch_server \
    --model-path "$MODEL" \
    --port "$PORT" \
    --tensor-parallel-size "$TP" \
    --kv-cache-dtype fp8_e4m3 \
    --mem-fraction-static 0.85 \
    --cuda-graph-max-bs "$CONC" \
    --speculative-algorithm NEXTN \
    --speculative-num-steps 3 \
    --speculative-num-draft-tokens 4 \
    > "$LOG" 2>&1 &
server=$!
trap 'kill "$server"' EXIT

wait_until_healthy "$PORT" "$server"

run_benchmark_serving \
    --model "$MODEL" \
    --port "$PORT" \
    --input-len "${ISL:-8192}" \
    --output-len "${OSL:-1024}" \
    --num-prompts $((CONC * 10)) \
    --max-concurrency "$CONC" \
    --use-chat-template
