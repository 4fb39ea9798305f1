# Sourced: names the steps of a script, and says how long each took.

step() { # name
  [ -z "${current-}" ] || printf '%s: %d s\n' "$current" "$((SECONDS - began))" >&2
  current=$1 began=$SECONDS
  printf '\n== %s\n' "$current" >&2
}

steps_end() {
  printf '%s: %d s\nall: %d s\n' "$current" "$((SECONDS - began))" "$SECONDS" >&2
}
