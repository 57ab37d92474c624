import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { isSvcError, type JsonObject } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import { type RulesTest, withRules } from "../rules/rules.test-support.ts";

/** What a case does, with what it is then expected to have caused. */
type Act = (test: RulesTest) => Promise<readonly (readonly [trigger: string, payload: JsonObject])[]>;

const key = "core.svc.key_value_pair";
const item = (id: string, name: string, value: string, isSecret = false) => ({
	id,
	uid: `key_value_pair:svckv.system:${name}`,
	name,
	value,
	secret: isSecret,
	encrypted: isSecret,
	scope: "svckv.system",
});

const act: Act = async ({ engine, submit, settled, addRule }) => {
	await engine.actions.create({
		name: "guarded",
		runner_type: "scripted",
		parameters: { pin: { type: "string", secret: true } },
	});
	await addRule({ trigger: { type: "core.svc.generic.actiontrigger" }, criteria: { "trigger.status": { type: "eq", pattern: "none" } } });
	const { id } = await submit({ pin: "4711", lines: ["a"] }, { action: "default.guarded" });
	const { start_timestamp, result } = await settled(id);
	return [
		[
			"core.svc.generic.actiontrigger",
			{
				execution_id: id,
				status: "succeeded",
				start_timestamp,
				action_name: "default.guarded",
				action_ref: "default.guarded",
				runner_ref: "scripted",
				parameters: { pin: "********", lines: ["a"] },
				result: result as JsonObject,
			},
		],
	];
};

const notify: Act = async ({ engine, submit, settled }) => {
	await engine.datastore.set("room", { value: "{{ 1 }}" }, principal);
	const { id } = await submit(
		{ outcome: "fail" },
		{
			notify: {
				"on-failure": { routes: ["a", "b"], message: "{{ action_parameters.outcome }} in {{ svckv.system.room }}", data: { n: 1 } },
				"on-success": { routes: ["never"] },
			},
		},
	);
	const { start_timestamp, end_timestamp, result } = await settled(id);
	const payload = (route: string) => ({
		execution_id: id,
		status: "failed",
		start_timestamp,
		end_timestamp: end_timestamp as string,
		action_ref: "default.scripted",
		runner_ref: "scripted",
		channel: route,
		route,
		message: "fail in {{ 1 }}",
		data: { n: 1, result: JSON.stringify(result) },
	});
	return [
		[`${key}.create`, { object: item(await itemId(engine, "room"), "room", "{{ 1 }}") }],
		["core.svc.generic.notifytrigger", payload("a")],
		["core.svc.generic.notifytrigger", payload("b")],
	];
};

/** Texts that cannot be rendered; the log says so and the others are. */
const unrenderable: Act = async ({ submit, settled }) => {
	const data = {
		missing: "{{ nowhere.at.all }}",
		broken: "{{ 1 +",
		deep: { filter: ["{{ action_results | no_such_filter }}"] },
		absent: "{{ svckv.system.absent | decrypt_kv }}",
		fine: "{{ action_parameters.lines[0] }}",
	};
	const { id } = await submit(
		{ lines: ["a"] },
		{
			notify: {
				"on-complete": { routes: ["a"], message: "done in {{ place }}", data },
				"on-success": { routes: ["b"], message: 5 as never },
			},
		},
	);
	const { start_timestamp, end_timestamp, result } = await settled(id);
	const payload = (route: string, message: string, more: JsonObject) => ({
		execution_id: id,
		status: "succeeded",
		start_timestamp,
		end_timestamp: end_timestamp as string,
		action_ref: "default.scripted",
		runner_ref: "scripted",
		channel: route,
		route,
		message,
		data: { ...more, result: JSON.stringify(result) },
	});
	return [
		["core.svc.generic.notifytrigger", payload("a", "done in {{ place }}", { ...data, fine: "a" })],
		["core.svc.generic.notifytrigger", payload("b", "5", {})],
	];
};

async function itemId(engine: RulesTest["engine"], name: string): Promise<string> {
	return (await engine.datastore.get(name, {}, principal)).id;
}

const ask: Act = async ({ submit, settled }) => {
	const { id } = await submit({ route: "night-shift" }, { action: "core.ask" });
	await settled(id, "pending");
	return [["core.svc.generic.inquiry", { id, route: "night-shift" }]];
};

const keys: Act = async ({ engine }) => {
	const { id } = await engine.datastore.set("color", { value: "red" }, principal);
	await engine.datastore.set("color", { value: "red" }, principal);
	await engine.datastore.set("color", { value: "blue" }, principal);
	await engine.datastore.remove("color", {}, principal);
	const [red, blue] = [item(id, "color", "red"), item(id, "color", "blue")];
	return [
		[`${key}.create`, { object: red }],
		[`${key}.update`, { object: red }],
		[`${key}.update`, { object: blue }],
		[`${key}.value_change`, { old_object: red, new_object: blue }],
		[`${key}.delete`, { object: blue }],
	];
};

const secretKeys: Act = async ({ engine }) => {
	const { id } = await engine.datastore.set("pin", { value: "4711", secret: true }, principal);
	await engine.datastore.set("pin", { value: "4711", secret: true }, principal);
	const object = item(id, "pin", "********", true);
	return [
		[`${key}.create`, { object }],
		[`${key}.update`, { object }],
		[`${key}.value_change`, { old_object: object, new_object: object }],
	];
};

for (const [what, run] of [
	["the end of an execution", act],
	["notifications, one for each route of the sections that apply", notify],
	["notifications whose texts cannot be rendered, as they are written", unrenderable],
	["a question", ask],
	["items of the datastore", keys],
	["secret items of the datastore, which are masked and change whenever they are set", secretKeys],
] as const) {
	test(`events of ${what} have exactly the reference's names and members`, () =>
		withRules(
			async (rules) => {
				const expected = await run(rules);
				await rules.quiet();
				const { items } = await rules.engine.triggers.instances.list({}, { orderBy: [["id", "asc"]] });
				const found = items.map(({ trigger, payload }) => [trigger, payload] as const);
				assert.deepEqual(found.map(toText).sort(), expected.map(toText).sort());
			},
			{ runners: [inquirer()] },
		));
}

/** With members in order: they have none. */
function toText([trigger, payload]: readonly [string, JsonObject]): string {
	const sorted = (_key: string, value: unknown) =>
		typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
	return `${trigger} ${JSON.stringify(payload, sorted)}`;
}

async function withPack(run: (test: RulesTest, actions: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-written-"));
	const actions = join(directory, "actions");
	await mkdir(actions);
	await writeFile(join(directory, "pack.yaml"), "ref: tools\nname: tools\ndescription: d\nversion: 1.0.0\nauthor: a\nemail: a@b.c\n");
	try {
		await withRules((rules) => run(rules, actions), { options: { packs: [directory] } });
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

test("a forged notification whose result is no JSON is shown as it is", () =>
	withRules(async ({ engine, submit, settled }) => {
		const { id } = await settled((await submit()).id);
		const payload = { execution_id: id, data: { result: "{" } };
		const { instance } = await engine.dispatcher.dispatch({ trigger: "core.svc.generic.notifytrigger", payload });
		const [shown] = await engine.triggers.instances.maskPayloads([instance]);
		assert.deepEqual(shown?.payload, payload);
	}));

test("each file of an action that is written over the API is an event, stored with the action", () =>
	withPack(async ({ engine }, actions) => {
		const input = { pack: "tools", name: "say", runner_type: "scripted" };
		const files = ["say.sh", "lib/say.txt"].map((file_path) => ({ file_path, content: "hello\n" }));
		await engine.actions.create(input);
		assert.equal((await engine.triggers.instances.list({}, {})).total, 0);
		await assert.rejects(engine.actions.create({ ...input, data_files: files }), (error) => isSvcError(error, "SVC_CONFLICT"));
		assert.equal((await engine.triggers.instances.list({}, {})).total, 0);
		await engine.actions.update("tools.say", { ...input, data_files: files });
		await engine.actions.create({ ...input, name: "shout", data_files: files.slice(0, 1) });
		const { items } = await engine.triggers.instances.list({ trigger: "core.svc.action.file_written" }, { orderBy: [["id", "asc"]] });
		const host_info = { hostname: hostname(), pid: process.pid };
		assert.deepEqual(
			items.map(({ payload }) => payload),
			[
				{ ref: "tools.say", file_path: join(actions, "say.sh"), host_info },
				{ ref: "tools.say", file_path: join(actions, "lib/say.txt"), host_info },
				{ ref: "tools.shout", file_path: join(actions, "say.sh"), host_info },
			],
		);
		assert.equal(await readFile(join(actions, "lib/say.txt"), "utf8"), "hello\n");
	}));

test.run();
