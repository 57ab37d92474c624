import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { AccessGuard } from "../../http/access-guard.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { EventFrameCache } from "./event-frame-cache.ts";

const toPrincipal = (username: string, isAdmin = false): Principal => ({ username, isAdmin, authentication: { method: "none" } });

/** A guard that lets everybody do what `rights` has under their names. */
const toGuard = (rights: Readonly<Record<string, readonly string[]>>) =>
	({ allows: ({ username }: Principal, permission: string) => rights[username]?.includes(permission) === true }) as AccessGuard;

test("bytes are made once for all whom the guard answers alike, whoever they are", async () => {
	const guard = toGuard({ ann: ["a", "b"], bob: ["b", "a"], cid: ["a"], root: [] });
	const [frames, event] = [new EventFrameCache(), {}];
	let made = 0;
	const frameOf = (principal: Principal) =>
		frames.of(event, { guard, principal }, async (asking) => {
			made += 1;
			const shown = asking.principal.isAdmin ? ["all"] : ["a", "b"].filter((right) => asking.guard.allows(asking.principal, right));
			await undefined;
			return Buffer.from(shown.join());
		});
	const [ann, bob, cid, root] = await Promise.all([
		...["ann", "bob", "cid"].map((name) => frameOf(toPrincipal(name))),
		frameOf(toPrincipal("root", true)),
	]);
	assert.deepEqual([ann, bob, cid, root].map(String), ["a,b", "a,b", "a", "all"]);
	assert.equal(ann, bob);
	assert.equal(made, 3);
});

test("somebody whose rights have changed gets what they may see now", async () => {
	const rights: Record<string, readonly string[]> = { ann: ["a"], bob: ["a"] };
	const guard = toGuard(rights);
	const [frames, event] = [new EventFrameCache(), {}];
	const frameOf = (name: string) =>
		frames.of(event, { guard, principal: toPrincipal(name) }, async (asking) =>
			Buffer.from(asking.guard.allows(asking.principal, "a") ? "whole" : "names"),
		);
	assert.equal(String(await frameOf("ann")), "whole");
	rights["bob"] = [];
	assert.equal(String(await frameOf("bob")), "names");
	assert.equal(String(await frameOf("ann")), "whole");
});

test("what is there at once takes no promise, and is shared with those who wait", async () => {
	const [frames, event] = [new EventFrameCache(), {}];
	const context = { guard: toGuard({}), principal: toPrincipal("ann") };
	const bytes = Buffer.from("now");
	assert.equal(
		frames.of(event, context, () => bytes),
		bytes,
	);
	assert.equal(await frames.of(event, context, () => Buffer.from("again")), bytes);
});

test("what fails is tried again for the next", async () => {
	const [frames, event] = [new EventFrameCache(), {}];
	const context = { guard: toGuard({}), principal: toPrincipal("ann") };
	await assert.rejects(async () => frames.of(event, context, async () => Promise.reject(new Error("no storage"))), /no storage/);
	const fail = () => {
		throw new Error("no turn");
	};
	assert.throws(() => frames.of({}, context, fail), /no turn/);
	await assert.rejects(async () => frames.of(event, context, fail), /no turn/);
	assert.equal(String(await frames.of(event, context, async () => Buffer.from("now"))), "now");
	assert.equal(String(await frames.of(event, context, fail)), "now");
});

test.run();
