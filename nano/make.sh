#!/usr/bin/env bash
# One training on a machine with a GPU, from the root of the repository. What is worth keeping goes to $OUT.
#
#   nano/make.sh                       train 7.5 minutes, export, evaluate           (9 to 9.5 minutes in all)
#   nano/make.sh part  9 17            9 of 17 planned minutes of training, then the weights so far
#   nano/make.sh last  8 17            continue the part: the rest, then export and evaluate
#   nano/make.sh smoke                 two minutes, tiny model: does everything run?
#
# Round 8 went on from the weights of round 6, in three commands on one machine, each within the idle time of the one before:
#
#   nano/make.sh part 9.2 22 --from-gguf models/covey-nano.gguf --lr 1.5e-3 --dropout 0.1
#   nano/make.sh part 9.2 20.5 --lr 1.5e-3 --dropout 0.1
#   nano/make.sh part 7.2 24.2 --lr 1.5e-3 --dropout 0.1
#
# A part leaves its weights in $OUT too: where the machine is gone, they can be gone on from with `all 8 0 --from-gguf FILE --lr 6e-4`.
#
# Further words go to nano.train: nano/make.sh all 7.5 0 --lr 1.5e-3 --rows 128
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONUNBUFFERED=1

mode=${1:-all}
minutes=${2:-7.5}
planned=${3:-0}
out=${OUT:-nano/.work/out}
work=nano/.work
mkdir -p "$out" "$work"

train() {
  python3 -m nano.train --minutes "$minutes" --planned-minutes "$planned" "$@" 2>&1 | tee "$out/train-$mode.log"
}

export_weights() {
  rm -f "$work"/covey-nano.gguf.*
  python3 -m nano.export --out "$work/covey-nano.gguf" --parts | tee -a "$out/train-$mode.log"
  cp "$work"/covey-nano.gguf.[0-9] "$out/"
}

finish() {
  export_weights
  # The figures that count are those of the rounded weights, as they ship.
  timeout 80 python3 -m nano.hands.score --gguf "$work/covey-nano.gguf" --every 3 2>&1 | tee "$out/validation.txt" || true
}

case $mode in
  all) train "${@:4}"; finish ;;
  part) train --resume "${@:4}"; export_weights ;;
  last)
    # Without the part it would begin anew and end long before its learning rate does.
    [ -f "$work/checkpoint.pt" ] || { echo "no $work/checkpoint.pt to continue; start with nano/make.sh part" >&2; exit 2; }
    train --resume "${@:4}"; finish ;;
  smoke)
    minutes=1.5
    train --layers 2 --width 128 --heads 2 --kv-heads 2 --hidden 256 --log-every 20 "${@:4}"
    finish
    ;;
  *) echo "unknown mode $mode; see the top of $0" >&2; exit 2 ;;
esac
