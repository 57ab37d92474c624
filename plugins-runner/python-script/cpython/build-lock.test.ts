import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { toProgram } from "../../../core/testing/program.test-support.ts";
import { takeLock, thisHolder, tryLock } from "./build-lock.ts";

const [, , held] = process.argv;

async function withFile(use: (file: string) => Promise<void>): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-lock-"));
	try {
		await use(join(directory, "build.lock"));
		assert.deepEqual(readdirSync(directory), []);
	} finally {
		rmSync(directory, { recursive: true });
	}
}

const never = async () => false;

/** A lock, or undefined where it is not to be had within so many milliseconds. */
const within = (file: string, milliseconds: number) => takeLock(file, AbortSignal.timeout(milliseconds), never).catch(() => undefined);

/** A process of its own that takes the lock and keeps it. */
async function startHolder(file: string) {
	const holder = spawn(process.execPath, [...toProgram("./build-lock.test", import.meta.url), file], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	await once(holder.stdout, "data");
	assert.ok(existsSync(file));
	return holder;
}

if (held !== undefined) {
	await tryLock(held);
	process.stdout.write("held\n");
	setInterval(() => {}, 1_000);
} else {
	test("whoever waits for a process that was killed has the lock at once, and only one of several", () =>
		withFile(async (file) => {
			const holder = await startHolder(file);
			assert.equal(await within(file, 1_000), undefined, "it is held");
			holder.kill("SIGKILL");
			await once(holder, "exit");
			const locks = await Promise.all(Array.from({ length: 8 }, () => within(file, 5_000)));
			const [lock, ...others] = locks.filter((one) => one !== undefined);
			assert.ok(lock !== undefined);
			assert.deepEqual(others, []);
			await lock.release();
		}));

	test("a holder elsewhere is waited for, as nobody here can tell whether it lives", () =>
		withFile(async (file) => {
			const here = await thisHolder();
			writeFileSync(file, JSON.stringify({ ...here, place: "another machine", pid: 1 }));
			assert.equal(await within(file, 1_000), undefined);
			// The number of a process that is gone may be that of another one by now.
			writeFileSync(file, JSON.stringify({ ...here, started: "1" }));
			await (await within(file, 5_000))?.release();
			assert.ok(!existsSync(file));
		}));

	test.run();
}
