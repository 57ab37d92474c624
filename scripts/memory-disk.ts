import { readFileSync, statfsSync } from "node:fs";

/** A file system in memory, which Linux has there. */
const place = "/dev/shm";
/** Bytes that must be free: what all tests together leave there for a while is a tenth of it. */
const room = 4 * 1024 ** 3;

/**
 * Where files need not outlive a loss of power: tests there wait for no disk, and what a process has written outlives its end as anywhere
 * else. Undefined where there is no such place, or not one with room from which programs can be started.
 */
export function findMemoryDisk(mounts = readMounts()): string | undefined {
	const [, , type, options = ""] =
		mounts
			.split("\n")
			.map((line) => line.split(" "))
			.findLast(([, directory]) => directory === place) ?? [];
	if (type !== "tmpfs" || /(^|,)(noexec|ro)(,|$)/.test(options)) return undefined;
	const { bavail, bsize } = statfsSync(place);
	return bavail * bsize < room ? undefined : place;
}

function readMounts(): string {
	try {
		return readFileSync("/proc/mounts", "utf8");
	} catch {
		return "";
	}
}
