#!/bin/sh
# A task of the array. Its seed is in SVC_ITEM. It sleeps so that you can watch it.
sleep 5
awk -v seed="$SVC_ITEM" 'BEGIN {
	srand(seed)
	for (i = 0; i < 100000; i++) { x = rand(); y = rand(); if (x * x + y * y < 1) hits++ }
	printf "%.3f\n", 4 * hits / i
}'
