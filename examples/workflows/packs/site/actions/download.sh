#!/bin/sh
# Copies in two steps, so that a partial file exists for a moment, as during a download.
set -eu
: > "$2.part"
cp "$1" "$2.part"
mv "$2.part" "$2"
