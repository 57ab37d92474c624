#!/bin/sh
set -eu
test -e "$2"
printf '%s has %s\n' "$1" "${2##*/}"
