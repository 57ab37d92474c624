// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { requires } from "../test-requirements.ts";
import { startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const { test: clockTest } = requires(test, { command: "faketime" });

/** The library that stands between a process and the clock of its machine. */
function findLibrary(): string {
	return execFileSync("faketime", ["-f", "+0s", "sh", "-c", "echo $LD_PRELOAD"], { encoding: "utf8" }).trim();
}

clockTest("the elapsed seconds of an execution do not count an hour by which the clock is set while it runs", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-clock-"));
	const clock = join(directory, "clock");
	await writeFile(clock, "+0\n");
	const service = await startServiceProcess({
		directory,
		environment: {
			LD_PRELOAD: findLibrary(),
			FAKETIME_TIMESTAMP_FILE: clock,
			FAKETIME_NO_CACHE: "1",
			FAKETIME_DONT_FAKE_MONOTONIC: "1",
		},
	});
	try {
		const go = join(directory, "go");
		const cmd = `until [ -e ${go} ]; do sleep 0.1; done`;
		const { id } = await service.client.executions.create({ action: "core.local", parameters: { cmd } });
		await until("the command runs", 30, async () => {
			const { status } = await service.client.executions.get(id);
			return status === "running" ? true : undefined;
		});
		await writeFile(clock, "+3600\n");
		await writeFile(go, "");
		const ended = await until("the execution has ended", 30, async () => {
			const found = await service.client.executions.get(id);
			return found.end_timestamp === undefined ? undefined : found;
		});
		const difference = (Date.parse(ended.end_timestamp ?? "") - Date.parse(ended.start_timestamp)) / 1_000;
		assert.ok(difference >= 3_600, `the clock was not set: ${difference} s`);
		assert.ok((ended.elapsed_seconds ?? Number.NaN) < 300, `${ended.elapsed_seconds} s`);
	} finally {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
