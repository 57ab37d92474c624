import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { endOfAborted } from "../within.ts";
import { assertJsonObject, type Check } from "./cases.ts";
import { assertPrinted } from "./printed-output.ts";

/** Registers the tests of processes that misbehave. */
export function checkProcesses(check: Check): void {
	check("printsInvalid", "bytes that are not valid text do no harm", async ({ runner, given, context, inTime }) => {
		const run = context(given);
		const end = await inTime(runner.run(run));
		assert.equal(end.succeeded, true);
		assertPrinted(run, "a\uFFFDb\n");
		assertJsonObject(end);
	});

	check("printsSplit", "a character that arrives in several pieces is emitted whole", async ({ runner, given, context, inTime }) => {
		const run = context(given);
		assert.equal((await inTime(runner.run(run))).succeeded, true);
		assertPrinted(run, "é\n");
	});

	check(
		"closesOutput",
		"a run that closes its output early ends when it ends, with its own status",
		async ({ runner, given, context, inTime }) => {
			const run = context(given);
			assert.equal((await inTime(runner.run(run))).succeeded, false);
			assertPrinted(run, "ready\n");
		},
	);

	check("ignoresTerm", "a run that ignores TERM ends within the grace and a second", async ({ startUntil, given, grace, context }) => {
		const run = context(given);
		const { end } = await startUntil(run, "ready\n");
		run.abort("cancel");
		assert.equal((await endOfAborted(grace + 1_000, end)).succeeded, false);
	});

	check(
		"doubleForks",
		"no process of a run outlives its cancel, even if it changed its process group",
		async ({ startUntil, given, grace, context }) => {
			const mark = `600.${process.pid}${Math.trunc(performance.now())}`;
			const run = context(given(mark));
			// The runner finds the processes of the run by this variable.
			Object.assign(run, { environment: { ...run.environment, SVC_ACTION_EXECUTION_ID: run.execution_id } });
			const { end } = await startUntil(run, "ready\n");
			assert.ok(findCommandLines(mark).length > 0, "the case starts no process with the mark");
			run.abort("cancel");
			await endOfAborted(grace + 1_000, end);
			for (let round = 0; round < 100 && findCommandLines(mark).length > 0; round++) await delay(10);
			assert.deepEqual(findCommandLines(mark), []);
		},
	);

	check("hidesSecret", "a secret parameter does not appear on a command line", async ({ startUntil, given, grace, context }) => {
		const secret = `s3cret-${process.pid}-${Math.trunc(performance.now())}`;
		const run = context(given(secret));
		const { end } = await startUntil(run, "ready\n");
		assert.deepEqual(findCommandLines(secret), []);
		run.abort("cancel");
		await endOfAborted(grace, end);
	});
}

/** Returns the command lines of processes on this machine that contain `text`. */
function findCommandLines(text: string): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
		.map((pid) => {
			try {
				return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
			} catch {
				return "";
			}
		})
		.filter((line) => line.includes(text));
}
