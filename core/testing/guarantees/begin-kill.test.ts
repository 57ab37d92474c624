import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { ExecutionEntity } from "../../contract/index.ts";
import { toProgram } from "../program.test-support.ts";
import { markFile, startBeginService } from "./begin-service.test-support.ts";
import { until } from "./until.test-support.ts";

const program = toProgram("./begin-service.test-support", import.meta.url);

interface Found {
	readonly executions: readonly ExecutionEntity[];
	/** What runners have done with the last of them, which was stored as running, or as ended, when the process was killed. */
	readonly marks: readonly string[];
}

/** Kill a service when it has stored an execution as running and not begun to run it, or as ended; what a new one makes of everything. */
async function killAtBegin(action: string): Promise<Found> {
	const directory = await mkdtemp(join(tmpdir(), "svc-begin-"));
	try {
		const child = spawn(process.execPath, [...program, directory, action], { stdio: ["ignore", "ignore", "inherit"] });
		const signal = await new Promise((resolve) => child.once("exit", (_code, ended) => resolve(ended)));
		assert.equal(signal, "SIGKILL");
		const engine = await startBeginService(directory);
		try {
			const read = async () => (await engine.executions.list({ filter: {}, children: false })).items.map(({ entity }) => entity);
			const executions = await until("everything has ended", 30, async () => {
				const all = await read();
				return all.every(({ end_timestamp }) => end_timestamp !== null) ? all : undefined;
			});
			const [last] = executions;
			const file = join(directory, markFile);
			const lines = existsSync(file) ? (await readFile(file, "utf8")).trim().split("\n") : [];
			const marks = lines.filter((line) => line.endsWith(last?.id ?? "")).map((line) => line.split(" ")[0] ?? "");
			return { executions, marks };
		} finally {
			await engine.stop();
		}
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

const statuses = (execution: ExecutionEntity | undefined) => execution?.log.map(({ status }) => status);

test("what was stored as running and never begun is not run, and its end says that the node went away", async () => {
	const { executions, marks } = await killAtBegin("default.plain");
	const [last] = executions;
	assert.deepEqual(statuses(last), ["requested", "scheduled", "running", "abandoned"]);
	assert.match(String(last?.result?.["error"]), /went away/);
	assert.deepEqual(marks, []);
});

test("where the runner finds what was begun, it is run after all", async () => {
	const { executions, marks } = await killAtBegin("default.lasting");
	const [last] = executions;
	assert.deepEqual(statuses(last), ["requested", "scheduled", "running", "succeeded"]);
	assert.deepEqual(marks, ["recover"]);
});

test("what needs no run is stored as it has ended, and stays so", async () => {
	const { executions, marks } = await killAtBegin("default.instant");
	assert.deepEqual(statuses(executions[0]), ["requested", "scheduled", "running", "succeeded"]);
	assert.deepEqual(marks, []);
});

test.run();
