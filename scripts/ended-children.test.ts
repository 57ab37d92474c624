import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "uvu";
import { EndedChildren } from "./ended-children.ts";

/** A program that computes for as many milliseconds of the processor's time, and one that waits for such. */
const compute = (milliseconds: number) =>
	`for (let sum = 0; process.cpuUsage().user < ${milliseconds * 1000}; ) for (let count = 1e5; count > 0; count--) sum += count;`;
const withChild = (milliseconds: number) =>
	`require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(compute(milliseconds))}])`;

test("the processor's time of a child is told as it ends, with that of its own children, and once", async () => {
	const ended = new EndedChildren();
	await once(spawn(process.execPath, ["-e", compute(200)]), "exit");
	const first = ended.take();
	assert.ok(first >= 0.19, `${first}`);
	assert.equal(ended.take(), 0);
	await once(spawn(process.execPath, ["-e", withChild(400)]), "exit");
	const second = ended.take();
	assert.ok(second >= 0.39, `${second}`);
});

test.run();
