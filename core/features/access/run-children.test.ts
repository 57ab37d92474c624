import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend, defineRunner, type JsonObject, toErrorMessage } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { principal as administrator, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";

const nobody = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));
const named = (username: string): Principal => ({ ...administrator, username, isAdmin: false });

/** Starts a child of `default.scripted`, and ends with what became of it. */
const starter = defineRunner("starter", () => ({
	description: "Starts a child.",
	capabilities: {},
	parameters: {},
	async run({ children }) {
		try {
			const { status } = await children.ended(await children.start({ key: "one", action: "default.scripted" }));
			return { succeeded: true, result: { status } };
		} catch (error) {
			return { succeeded: true, result: { refused: toErrorMessage(error) } };
		}
	},
}));

/** With a user who may run both actions, and one who may run the parent only. */
async function withStarter(run: (start: (as: Principal) => Promise<JsonObject | null>, node: TestEngine) => Promise<void>): Promise<void> {
	const execute = (...names: string[]) =>
		names.map((name) => ({ resource_uid: `action:default:${name}`, permission_types: ["action_execute" as const] }));
	const rbac = {
		enable: true,
		roles: [
			{ name: "both", permission_grants: execute("starter", "scripted") },
			{ name: "parent", permission_grants: execute("starter") },
		],
		assignments: [
			{ username: administrator.username, roles: ["admin"] },
			{ username: "may", roles: ["both"] },
			{ username: "may_not", roles: ["parent"] },
		],
	};
	const node = await startEngine({ runners: [starter()], options: { auth: { enable: true, backend: nobody() }, rbac } });
	try {
		await node.engine.actions.create({ name: "starter", runner_type: "starter" });
		await run(async (as) => {
			const { entity } = await node.engine.executions.submit({ action: "default.starter" }, as);
			return (await node.settled(entity.id)).result;
		}, node);
	} finally {
		await node.stop();
	}
}

test("a run starts what its user may run", () =>
	withStarter(async (start, { storage }) => {
		assert.deepEqual(await start(named("may")), { status: "succeeded" });
		assert.deepEqual(await start(administrator), { status: "succeeded" });
		const refused = await start(named("may_not"));
		assert.match(String(refused?.["refused"]), /"may_not" does not have the permission "action_execute" on "action:default:scripted"/);
		assert.equal(await storage.count("execution", { action_ref: "default.scripted" }), 2);
	}));

test("the permissions of the author count, whoever the user is", () =>
	withStarter(async (start) => {
		assert.match(String((await start({ ...administrator, author: "may_not" }))?.["refused"]), /"may_not"/);
		assert.deepEqual(await start({ ...named("may_not"), author: "may" }), { status: "succeeded" });
	}));

test("the scopes of a key count for what is started with it, and for what that starts", () =>
	withStarter(async (start, { storage }) => {
		const refused = await start({ ...administrator, isAdmin: false, scopes: ["execution_view"] });
		assert.match(String(refused?.["refused"]), /"action_execute"/);
		const scopes = ["action_execute"];
		assert.deepEqual(await start({ ...administrator, isAdmin: false, scopes }), { status: "succeeded" });
		const [child] = await storage.find("execution", { where: { action_ref: "default.scripted" } });
		assert.deepEqual(child?.scopes, scopes);
	}));

test.run();
