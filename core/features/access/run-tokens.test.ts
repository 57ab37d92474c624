import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend, defineRunner, type ExecutionEntity } from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createToken } from "../../testing/storage/fixtures.ts";
import { RunTokens } from "./run-tokens.ts";
import { toHash } from "./tokens.ts";

const nobody = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));

/** A run that goes on until it is told to end, and may print something before. */
class Held {
	token = "";
	readonly begun: Promise<void>;
	readonly #ended: Promise<void>;
	end = () => {};
	#begin = () => {};

	constructor() {
		this.begun = new Promise((resolve) => (this.#begin = resolve));
		this.#ended = new Promise((resolve) => (this.end = resolve));
	}

	readonly runner = defineRunner("held", () => ({
		description: "Goes on until it is told to end.",
		capabilities: { streaming: true, cancellation: true },
		parameters: {},
		run: async ({ environment, execution_id, emit }) => {
			this.token = String(environment["SVC_ACTION_AUTH_TOKEN"]);
			await emit("stdout", `I am ${execution_id}`);
			this.#begin();
			await this.#ended;
			return { succeeded: true, result: { stdout: `I am ${execution_id}` } };
		},
	}));
}

async function withRun(
	use: (run: { readonly held: Held; readonly id: string; readonly node: TestEngine }) => Promise<void>,
): Promise<void> {
	const held = new Held();
	const node = await startEngine({ runners: [held.runner()], options: { auth: { enable: true, backend: nobody() } } });
	try {
		await node.engine.actions.create({ name: "held", runner_type: "held" });
		const { id } = await node.submit({}, { action: "default.held" });
		await held.begun;
		await use({ held, id, node });
	} finally {
		held.end();
		await node.stop();
	}
}

test("a run has its token without a record of its own, and leaves nothing of it with its end", () =>
	withRun(async ({ held, id, node: { engine, storage, settled } }) => {
		assert.equal((await engine.credentials.authenticate({ token: held.token, location: "header" })).username, "maria");
		assert.equal(await storage.count("token", {}), 0);
		const running = await storage.get("execution", id);
		assert.equal(running?.token_hash, toHash(held.token));
		assert.ok(!JSON.stringify(running).includes(held.token));
		held.end();
		assert.equal((await settled(id)).token_hash, null);
		assert.equal(await engine.credentials.validate(held.token), false);
	}));

test("an execution prints its id: it does not look like the beginning of the token", () =>
	withRun(async ({ held, id, node: { engine, storage, settled } }) => {
		// Without an end of the line what could be the beginning of a secret would wait for more.
		while ((await storage.count("output_chunk", { execution_id: id })) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
		const [chunk] = await storage.find("output_chunk", { where: { execution_id: id } });
		// Its last digit or two may be the first ones of the token.
		assert.ok(chunk?.data.startsWith(`I am ${id.slice(0, 20)}`), chunk?.data);
		held.end();
		await settled(id);
		const { entity, secrets } = await engine.executions.get(id);
		assert.equal(secrets.redactJson(entity.result)?.["stdout"], `I am ${id}`);
	}));

test("the token that an earlier version gave a run works until somebody ends the run", () =>
	withRun(async ({ id, node: { engine, storage, settled } }) => {
		const token = "d".repeat(32);
		const { liveaction_id } = (await storage.get("execution", id)) ?? { liveaction_id: "" };
		await storage.update("execution", id, { token_hash: null });
		const expiry = "2999-01-01T00:00:00.000000Z";
		await storage.insert("token", [createToken(toHash(token), { id: liveaction_id, user: "maria", service: true, expiry })]);
		assert.equal(await engine.credentials.validate(token), true);
		await engine.executions.setStatus(id, { status: "failed" }, principal);
		await settled(id);
		assert.equal(await engine.credentials.validate(token), false);
		assert.equal(await storage.count("token", {}), 0);
	}));

test("a run that has lost its execution to another node takes its token along, and not that of the other", () =>
	withRun(async ({ held, id, node: { engine, storage } }) => {
		await storage.update("execution", id, { fence: "of another node" });
		held.end();
		while (await engine.credentials.validate(held.token)) await new Promise((resolve) => setTimeout(resolve, 2));
		assert.equal((await storage.get("execution", id))?.status, "running");
	}));

test("a run that has lost its execution leaves the token of whoever has begun it anew", () =>
	withRun(async ({ held, id, node }) => {
		const token_hash = toHash("the token of the other run");
		await node.storage.update("execution", id, { fence: "of another node", token_hash });
		held.end();
		await node.engine.drain();
		assert.equal((await node.storage.get("execution", id))?.token_hash, token_hash);
	}));

test("the token of a run is refused after its expiry, also while the run goes on", async () => {
	let now = 1_900_000_000_000_000;
	const id = "1".repeat(24);
	const storage = { find: async () => [{ id, liveaction_id: id, user: "maria", author: null, scopes: null }] };
	const options = { auth: { enable: true, service_token_ttl: 60 } };
	const tokens = new RunTokens({ storage, options, clock: { now: () => now } } as never);
	const token = tokens.issue({ id })?.secret ?? "";
	now += 59_000_000;
	assert.equal((await tokens.find(token))?.user, "maria");
	now += 2_000_000;
	assert.equal(await tokens.find(token), undefined);
});

test("where authentication is off the end of a run asks for its token only where an earlier version may have kept some", async () => {
	for (const [enable, kept, asks] of [
		[false, [], false],
		[false, [{ id: "5e0000000000000000000000" }], true],
		[true, [], true],
	] as const) {
		const tokens = new RunTokens({ storage: { find: async () => kept }, options: { auth: { enable } } } as never);
		const begun = { liveaction_id: "1a0000000000000000000000", token_hash: null } as ExecutionEntity;
		const removes = [{ remove: "token", where: { id: begun.liveaction_id } }];
		assert.deepEqual(tokens.toRevocations(begun), removes, "it has not looked yet");
		await tokens.start();
		assert.deepEqual(tokens.toRevocations(begun), asks ? removes : []);
		assert.deepEqual(tokens.toRevocations({ ...begun, token_hash: "0" }), []);
	}
});

test.run();
