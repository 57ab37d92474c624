import { open, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./statistics.ts";

const writes = 50;

/**
 * What the figures depend on besides the code. Load of others falsifies ratios too, when one side waits for the disk and the
 * other does not: both are in the first line of every run.
 */
export async function describeMachine(): Promise<string> {
	const [load = 0] = loadavg();
	const disk = (await measureDisk()).toFixed(2);
	return `${availableParallelism()} cores, Node ${process.versions.node}, load before the run ${load.toFixed(1)}, write to disk (fdatasync) ${disk} ms in ${tmpdir()}`;
}

/** Median milliseconds until 4 KiB are on the disk that the databases are on. */
async function measureDisk(): Promise<number> {
	const path = join(tmpdir(), `svc-bench-${process.pid}`);
	const file = await open(path, "w");
	const milliseconds: number[] = [];
	try {
		for (let index = 0; index < writes; index++) {
			await file.write(Buffer.alloc(4096, 1));
			const started = performance.now();
			await file.datasync();
			milliseconds.push(performance.now() - started);
		}
	} finally {
		await file.close();
		await rm(path);
	}
	return median(milliseconds);
}
