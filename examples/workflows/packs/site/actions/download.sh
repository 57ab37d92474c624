#!/bin/sh
# As a download would: a part is there before the whole is.
set -eu
: > "$2.part"
cp "$1" "$2.part"
mv "$2.part" "$2"
