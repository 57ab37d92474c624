import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findMemoryDisk } from "./memory-disk.ts";

test("a place that is not in memory, that cannot be written, or from which nothing can be started is none for tests", () => {
	for (const mounts of [
		"",
		"/dev/vda / ext4 rw 0 0\n",
		"tmpfs /run tmpfs rw,relatime 0 0\n",
		"/dev/vda /dev/shm ext4 rw 0 0\n",
		"tmpfs /dev/shm tmpfs rw,nosuid,nodev,noexec 0 0\n",
		"tmpfs /dev/shm tmpfs ro,relatime 0 0\n",
		"tmpfs /dev/shm tmpfs rw 0 0\ntmpfs /dev/shm tmpfs rw,noexec 0 0\n",
	])
		assert.equal(findMemoryDisk(mounts), undefined, mounts);
});

test.run();
