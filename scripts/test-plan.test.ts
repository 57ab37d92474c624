import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { backendNames } from "../core/testing/backends/backend-names.test-support.ts";
import { planJobs } from "./test-plan.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-plan-"));
test.after(() => rmSync(directory, { recursive: true }));

function write(name: string, ...lines: readonly string[]): string {
	const file = join(directory, name);
	writeFileSync(file, lines.join("\n"));
	return file;
}

/** One that runs on every backend. */
const everywhere = "core/kernel/execution-service.test.ts";

test("files that ask for the most time come first", () => {
	const files = [write("a.test.ts"), write("b.test.ts", "// test-timeout: 600"), write("c.test.ts", "// test-timeout: 180")];
	assert.deepEqual(
		planJobs(files).map(({ name, timeout }) => [name.at(-9), timeout]),
		[
			["b", 600],
			["c", 180],
			["a", 120],
		],
	);
});

test("a file says by a comment of its own line that it mostly waits", () => {
	const files = [write("d.test.ts", "// test-timeout: 600", "// test-waits"), write("e.test.ts", 'const text = "// test-waits";')];
	assert.deepEqual(
		planJobs(files).map(({ isWaiting }) => isWaiting),
		[true, false],
	);
});

test("a file says by a comment of its own line that it needs a process of its own", () => {
	const files = [write("j.test.ts", "// test-process: own"), write("k.test.ts", 'const text = "// test-process: own";')];
	assert.deepEqual(
		planJobs(files).map(({ isAlone }) => isAlone),
		[true, false],
	);
});

test("files on one backend follow each other, as they may share a process", () => {
	const waiting = planJobs([everywhere, "core/kernel/scheduling/delayed-executions.test.ts", write("l.test.ts")]);
	const places = waiting.map(({ backend }) => (backend === undefined ? backendNames.length : backendNames.indexOf(backend)));
	assert.deepEqual(places, [...places].sort());
});

test("a file of the behaviour runs on each backend, any other once", () => {
	const other = write("f.test.ts");
	assert.deepEqual(
		planJobs([everywhere, other]).map(({ name }) => name),
		[...backendNames.map((backend) => `${everywhere} on ${backend}`), other],
	);
});

test("a filter is a part of a name, with the backend", () => {
	const other = write("g.test.ts");
	const names = (...filters: readonly string[]) => planJobs([everywhere, other], { filters }).map(({ name }) => name);
	assert.deepEqual(names("kernel/execution-service.test.ts on sqlite", "g.test"), [`${everywhere} on sqlite`, other]);
	assert.deepEqual(names("kernel/execution-service").length, backendNames.length);
	assert.deepEqual(names("no such file"), []);
});

test("told of one backend, everything runs once", () => {
	const other = write("h.test.ts");
	assert.deepEqual(
		planJobs([everywhere, other], { only: "postgres" }).map(({ name, backend }) => [name, backend]),
		[
			[`${everywhere} on postgres`, "postgres"],
			[other, undefined],
		],
	);
});

test("the short suite leaves out what is marked, and most backends; a filter takes it all the same", () => {
	const marked = write("i.test.ts", "// test-suite: full");
	const short = planJobs([everywhere, marked], { extent: "short" });
	assert.deepEqual(
		short.map(({ backend }) => backend),
		["sqlite", "postgres"],
	);
	const named = planJobs([marked], { extent: "short", filters: ["i.test"] });
	assert.deepEqual(
		[named.length, planJobs([marked]).length, planJobs([everywhere], { filters: ["kernel/execution-service"], extent: "short" }).length],
		[1, 1, 4],
	);
});

test.run();
