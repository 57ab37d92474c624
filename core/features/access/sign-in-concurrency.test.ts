// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { SignInConcurrency } from "./sign-in-concurrency.ts";

interface Begun {
	readonly name: string;
	end(): void;
}

/** Ends what a test leaves waiting at its gate, whose timers would keep the process running. */
let atEnd = new AbortController();
test.before.each(() => {
	atEnd = new AbortController();
});
test.after.each(() => atEnd.abort());

/** A gate, and what has begun at it, in order. */
function setUp() {
	const gate = new SignInConcurrency();
	const begun: Begun[] = [];
	const enter = (name: string, { address = "a", isKnown = false, signal = AbortSignal.any([atEnd.signal]) } = {}) => {
		const work = () => new Promise<string>((resolve) => begun.push({ name, end: () => resolve(name) }));
		return gate.run({ pair: `${name}@${address}`, address, isKnown }, work, signal).catch((error: unknown) => error);
	};
	const settled = () => new Promise((resolve) => setImmediate(resolve));
	const names = () => begun.map(({ name }) => name);
	return { enter, begun, names, settled };
}

test("a right sign-in begins at once whatever waits from another address", async () => {
	const { enter, names, settled } = setUp();
	for (let count = 0; count < 90; count += 1) void enter(`wrong${count}`);
	await settled();
	assert.equal(names().length, 4);
	void enter("right", { address: "b" });
	await settled();
	assert.equal(names().at(-1), "right");
});

test("at the same address it is the next", async () => {
	const { enter, begun, names, settled } = setUp();
	for (let count = 0; count < 60; count += 1) void enter(`wrong${count}`);
	void enter("right");
	await settled();
	assert.equal(names().includes("right"), false);
	begun[0]?.end();
	await settled();
	assert.equal(names().at(-1), "right");
});

test("whoever has signed in from there has turns that no stranger takes, from however many addresses they come", async () => {
	const { enter, names, settled } = setUp();
	for (let count = 0; count < 90; count += 1) void enter("ann", { address: `address${count}` });
	void enter("ann", { isKnown: true });
	await settled();
	assert.equal(names().length, 9);
});

test("a user at an address has one turn at a time", async () => {
	const { enter, begun, names, settled } = setUp();
	const first = enter("ann");
	const second = enter("ann");
	await settled();
	assert.deepEqual(names(), ["ann"]);
	begun[0]?.end();
	assert.equal(await first, "ann");
	await settled();
	begun[1]?.end();
	assert.equal(await second, "ann");
});

test("of too many that wait the oldest are given up, and told when to come back", async () => {
	const { enter, names, settled } = setUp();
	const all = Array.from({ length: 4 + 64 + 1 }, (_, count) => enter(`wrong${count}`));
	const given = await all[4];
	assert.ok(isSvcError(given, "SVC_TOO_MANY"));
	assert.equal(given.facts["retry_after"], 5);
	await settled();
	assert.deepEqual(names(), ["wrong0", "wrong1", "wrong2", "wrong3"]);
	const others = Array.from({ length: 600 }, (_, count) => enter("ann", { address: `address${count}` }));
	const outcomes = await Promise.race([Promise.all(others.slice(4, 40)), settled()]);
	assert.ok(Array.isArray(outcomes) && outcomes.every((outcome) => isSvcError(outcome, "SVC_TOO_MANY")));
});

test("who goes away while waiting leaves, and holds nobody up", async () => {
	const { enter, begun, names, settled } = setUp();
	void enter("ann");
	const controller = new AbortController();
	const gone = enter("ann", { signal: controller.signal });
	void enter("ann");
	controller.abort(new Error("gone"));
	assert.match(String(await gone), /gone/);
	await settled();
	begun[0]?.end();
	await settled();
	assert.deepEqual(names(), ["ann", "ann"]);
	assert.match(String(await enter("bob", { signal: controller.signal })), /gone/);
});

test.run();
