import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { requires } from "../../core/testing/test-requirements.ts";
import { withFileLock } from "./file-lock.ts";

async function withPath(use: (path: string, directory: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-file-lock-"));
	try {
		await use(join(directory, "file"), directory);
	} finally {
		await rm(directory, { recursive: true });
	}
}

const longAgo = new Date(Date.now() - 120_000);

test("a lock that is held for long does not count as abandoned", () =>
	withPath(async (path) => {
		mock.timers.enable({ apis: ["setInterval"] });
		try {
			await withFileLock(path, async () => {
				await utimes(`${path}.lock`, longAgo, longAgo);
				mock.timers.tick(20_000);
				const begun = Date.now();
				while ((await stat(`${path}.lock`)).mtimeMs < begun - 60_000 && Date.now() - begun < 5_000) await delay(10);
				assert.ok((await stat(`${path}.lock`)).mtimeMs > begun - 60_000);
			});
		} finally {
			mock.timers.reset();
		}
	}));

test("a process that has lost the lock does not remove the lock of the next one", () =>
	withPath(async (path) => {
		await withFileLock(path, () => writeFile(`${path}.lock`, "another 1 x"));
		assert.equal(await readFile(`${path}.lock`, "utf8"), "another 1 x");
	}));

requires(test, { command: "mkfifo" }).test("a process that has found an abandoned lock does not touch a new lock in its place", () =>
	withPath(async (path, directory) => {
		const lock = `${path}.lock`;
		const { pid } = spawnSync(process.execPath, ["-e", ""]);
		// Reading a pipe takes until it is closed here: meanwhile another process frees the lock, and a third one takes it.
		spawnSync("mkfifo", [lock]);
		const change = withFileLock(path, async () => {});
		const pipe = await open(lock, "w");
		await writeFile(`${path}.third`, `${hostname()} ${process.pid} third`);
		await rename(`${path}.third`, lock);
		const before = await stat(lock);
		await pipe.writeFile(`${hostname()} ${pid} x`);
		await pipe.close();
		await delay(200);
		// It would change if the lock were moved away and back.
		assert.equal((await stat(lock)).ctimeMs, before.ctimeMs);
		await rm(lock);
		await change;
		assert.deepEqual(await readdir(directory), []);
	}),
);

test.run();
