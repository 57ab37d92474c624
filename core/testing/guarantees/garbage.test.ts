// test-suite: full
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { test } from "uvu";
import { toProgram } from "../program.test-support.ts";

const program = toProgram("./garbage-engine.test-support", import.meta.url);

interface Garbage {
	/** Bytes that small collections have copied to where only whole ones look. */
	readonly kept: number;
	/** Bytes that were asked for. */
	readonly allocated: number;
}

/** What becomes of the garbage of one way to make it, as Node tells of its collections. */
async function measure(what: string): Promise<Garbage> {
	const told = ["--expose-gc", "--trace-gc", "--trace-gc-nvp", "--single-threaded-gc"];
	const { stdout } = await promisify(execFile)(process.execPath, [...told, ...program, what], { maxBuffer: 67_108_864 });
	const [, behind = ""] = stdout.split("begin\n");
	const small = behind.split("\n").filter((line) => line.includes(" gc=s "));
	assert.ok(small.length > 5, `there were ${small.length} collections`);
	const sum = (name: string) => small.reduce((all, line) => all + Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1]), 0);
	return { kept: sum("promoted"), allocated: sum("allocated") };
}

const share = ({ kept, allocated }: Garbage) => kept / allocated;

test("values that have left a map, and values attached to an object that is garbage, are collected at once", async () => {
	const garbage = await measure("quick");
	assert.ok(share(garbage) < 0.01, JSON.stringify(garbage));
});

test("the garbage of a Map and of a WeakMap lasts, which is why there are other classes", async () => {
	const garbage = await measure("slow");
	assert.ok(share(garbage) > 0.03, JSON.stringify(garbage));
});

test("executions and what is told of them leave nothing to whole collections of garbage", async () => {
	// When a garbage object happens to be among the old ones, V8 (Node 20) keeps what it refers to as well. That happens by chance in some
	// processes, and in all of them if the service links its records.
	const all: Garbage[] = [];
	while (all.length < 4 && !all.some((garbage) => share(garbage) < 0.015)) all.push(await measure("engine"));
	assert.ok(share(all.at(-1) as Garbage) < 0.015, JSON.stringify(all));
});

test.run();
