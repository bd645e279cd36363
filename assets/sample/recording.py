"""Constants of the recording: threads, streams, times and steps, and the size of the model."""

import random

PID = 41207
MAIN, AUTOGRAD, WATCHDOG = 41207, 41466, 41590
COMPUTE, COPY, NCCL = 7, 20, 16
BASE_NS = 1767189312000000000
START_NS = 6120450310442118
STEPS = (10, 11, 12, 13)
SLOW_STEP, LATE_STEP, LATE_BUCKET = 11, 13, 7

BATCH, TOKENS, WIDTH, HEADS, LAYERS, VOCAB = 8, 1024, 1536, 12, 8, 50304
ROWS = BATCH * TOKENS
BUCKET_BYTES = 25 << 20
TRACING_COST = 3.2  # Factor on costs, which are those of a run without stacks, shapes and memory events.
SIZE = {"c10::BFloat16": 2, "float": 4, "long int": 8, "unsigned char": 1}
BF16 = "c10::BFloat16"

_rng = random.Random(20260312)


def jitter(low, high):
    return low + (high - low) * _rng.random()
