import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { ExecutionEntity } from "../../contract/index.ts";
import type { Engine } from "../../index.ts";
import { toProgram } from "../program.test-support.ts";
import { markFile, startBeginService } from "./begin-service.test-support.ts";
import { until } from "./until.test-support.ts";

const program = toProgram("./begin-service.test-support", import.meta.url);

interface Found {
	/** It was stored as running, or as ended, when the process was killed. */
	readonly last: ExecutionEntity;
	/** What runners have done with it. */
	readonly marks: readonly string[];
}

let directory = "";
let engine: Engine | undefined;

/** A service is killed when it has stored an execution of each action as running and not begun to run it, or as ended; another one starts. */
test.before(async () => {
	directory = await mkdtemp(join(tmpdir(), "svc-begin-"));
	const child = spawn(process.execPath, [...program, directory], { stdio: ["ignore", "ignore", "inherit"] });
	const signal = await new Promise((resolve) => child.once("exit", (_code, ended) => resolve(ended)));
	assert.equal(signal, "SIGKILL");
	engine = await startBeginService(directory);
});

test.after(async () => {
	await engine?.stop();
	await rm(directory, { recursive: true, force: true });
});

/** The last execution of an action, once every execution of it has ended. */
async function findLast(action: string): Promise<Found> {
	const last = await until("everything has ended", 30, async () => {
		const { items } = (await engine?.executions.list({ filter: {}, children: false })) ?? assert.fail();
		const executions = items.map(({ entity }) => entity);
		const isOver = executions.every(({ end_timestamp }) => end_timestamp !== null);
		return isOver ? executions.find(({ action_ref }) => action_ref === action) : undefined;
	});
	const file = join(directory, markFile);
	const lines = existsSync(file) ? (await readFile(file, "utf8")).trim().split("\n") : [];
	return { last, marks: lines.filter((line) => line.endsWith(last.id)).map((line) => line.split(" ")[0] ?? "") };
}

const statuses = ({ log }: ExecutionEntity) => log.map(({ status }) => status);

test("what was stored as running and never begun is not run, and its end says that the node went away", async () => {
	const { last, marks } = await findLast("default.plain");
	assert.deepEqual(statuses(last), ["requested", "scheduled", "running", "abandoned"]);
	assert.match(String(last.result?.["error"]), /the node that ran the action stopped/);
	assert.deepEqual(marks, []);
});

test("where the runner finds what was begun, it is run after all", async () => {
	const { last, marks } = await findLast("default.lasting");
	assert.deepEqual(statuses(last), ["requested", "scheduled", "running", "succeeded"]);
	assert.deepEqual(marks, ["recover"]);
});

test("what needs no run is stored as it has ended, and stays so", async () => {
	const { last, marks } = await findLast("default.instant");
	assert.deepEqual(statuses(last), ["requested", "scheduled", "running", "succeeded"]);
	assert.deepEqual(marks, []);
});

test.run();
