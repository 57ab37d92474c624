#!/bin/sh
df -P "$1" | awk 'NR == 2 { print $5 " of " $6 " is in use" }'
