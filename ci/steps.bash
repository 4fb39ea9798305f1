# Sourced: names the steps of a script, and says how long each took, and what of the processors' time was used by the
# programs that ended in it.

step() { # name
  [ -z "${current-}" ] || step_took
  cpu_seconds
  current=$1 began=$SECONDS used=$cpu
  printf '\n== %s\n' "$current" >&2
}

step_took() {
  cpu_seconds
  printf '%s: %d s, CPU %d s\n' "$current" "$((SECONDS - began))" "$((cpu - used))" >&2
}

# cutime and cstime of this shell, proc(5), in hundredths.
cpu_seconds() {
  local stat
  read -r -a stat <"/proc/$BASHPID/stat"
  cpu=$(((stat[15] + stat[16]) / 100))
}

steps_end() {
  step_took
  printf 'all: %d s\n' "$SECONDS" >&2
}
