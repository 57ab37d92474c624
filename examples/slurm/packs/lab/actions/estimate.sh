#!/bin/sh
# A task of the array: its seed is in SVC_ITEM. It takes a while, so that it can be watched.
sleep 5
awk -v seed="$SVC_ITEM" 'BEGIN {
	srand(seed)
	for (i = 0; i < 100000; i++) { x = rand(); y = rand(); if (x * x + y * y < 1) hits++ }
	printf "%.3f\n", 4 * hits / i
}'
