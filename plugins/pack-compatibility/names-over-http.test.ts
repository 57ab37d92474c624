import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineDialect } from "../../core/contract/index.ts";
import { type GuardedService, withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { packCompatibility } from "./index.ts";

const everywhere = ["rule_create", "rule_modify", "rule_list", "trigger_create", "trigger_modify", "trigger_list"];
const rbac = {
	roles: [
		{
			name: "maker",
			permission_grants: [
				{ resource_uid: "pack:default", permission_types: ["rule_all", "trigger_all"] },
				{ resource_uid: "pack:core", permission_types: ["trigger_all"] },
				{ resource_uid: "action:default:speak", permission_types: ["action_execute"] },
				{ resource_uid: "webhook:own", permission_types: ["webhook_create"] },
				{ resource_uid: "trigger_type:core:st2.webhook", permission_types: ["trigger_type_view"] },
				{ resource_uid: "runner_type:orquesta", permission_types: ["runner_type_view"] },
				{ permission_types: everywhere.filter((type) => type.endsWith("_list")) },
			],
		},
	],
	assignments: [{ username: "ann", roles: ["maker"] }],
};
const webhookTypes = ["core.svc.webhook", "core.st2.webhook"];
const ruleOn = (type: string, url: string) => ({
	name: `hears-${url}`,
	trigger: { type, parameters: { url } },
	action: { ref: "default.speak" },
});

/** Another name of the runner type that the service under test has. */
const talkative = defineDialect("talkative", () => ({ description: "Says speak in another word.", runnerTypes: { talk: "speak" } }));

const withNames = (run: (service: GuardedService) => Promise<void>) =>
	withGuardedService(run, { rbac, dialects: [packCompatibility(), talkative()] });

test("a webhook needs its permission by whichever name its trigger type is called", () =>
	withNames(async ({ ask, signIn }) => {
		const ann = await signIn("ann");
		for (const type of webhookTypes) {
			const refused = [
				await ask(ann, "POST", "/v1/rules", ruleOn(type, "foreign")),
				await ask(ann, "POST", "/v1/triggers", { type, parameters: { url: "foreign" } }),
			];
			assert.deepEqual(
				refused.map(({ status }) => status),
				[403, 403],
				type,
			);
			const { status, body } = await ask(ann, "POST", "/v1/rules", { ...ruleOn(type, "own"), name: `own-${type}` });
			assert.deepEqual([status, (body["trigger"] as { type?: string }).type], [201, "core.svc.webhook"]);
			const changed = await ask(ann, "PUT", `/v1/rules/default.own-${type}`, { ...ruleOn(type, "foreign"), name: `own-${type}` });
			assert.equal(changed.status, 403, type);
			const made = await ask(ann, "POST", "/v1/triggers", { type, parameters: { url: "own" } });
			assert.deepEqual([made.status, made.body["type"]], [201, "core.svc.webhook"]);
			assert.equal((await ask(ann, "PUT", `/v1/triggers/${made.body["ref"]}`, { type, parameters: { url: "foreign" } })).status, 403, type);
		}
		const inner = { type: "core.st2.sensor.process_spawn", name: "plain" };
		assert.equal((await ask(ann, "POST", "/v1/triggers", inner)).status, 201);
		assert.equal(
			(await ask(ann, "POST", "/v1/triggers", { type: "core.st2.IntervalTimer", parameters: { unit: "hours", delta: 1 } })).status,
			403,
		);
	}));

test("grants name trigger types and runner types in the words of a dialect", () =>
	withNames(async ({ ask, signIn }) => {
		const ann = await signIn("ann");
		for (const type of webhookTypes) assert.equal((await ask(ann, "GET", `/v1/triggertypes/${type}`)).status, 200, type);
		assert.equal((await ask(ann, "GET", "/v1/triggertypes/core.st2.CronTimer")).status, 403);
	}));

test("events are dispatched by the names of a dialect, and are guarded as by the service's own", () =>
	withNames(async ({ ask, signIn }) => {
		const [root, ann] = [await signIn("root"), await signIn("ann")];
		const event = (trigger: string) => ({ trigger, payload: {} });
		for (const word of ["svc", "st2"]) {
			assert.equal((await ask(ann, "POST", "/v1/webhooks/svc", event(`core.${word}.sensor.process_spawn`))).status, 403, word);
			assert.equal((await ask(root, "POST", "/v1/webhooks/svc", event(`core.${word}.sensor.process_spawn`))).status, 202, word);
		}
		const list = async (filter: string) => (await ask(root, "GET", `/v1/triggerinstances?${filter}`)).body as unknown as readonly unknown[];
		const events = await list("trigger_type=core.svc.sensor.process_spawn");
		assert.equal(events.length >= 2, true);
		for (const filter of ["trigger_type=core.st2.sensor.process_spawn", "trigger=core.st2.sensor.process_spawn,core.none"]) {
			assert.deepEqual(await list(filter), events, filter);
		}
	}));

test("lists, filters and single records take the names of a dialect", () =>
	withNames(async ({ ask, signIn, run }) => {
		const root = await signIn("root");
		await ask(root, "POST", "/v1/rules", ruleOn("core.st2.webhook", "own"));
		await ask(root, "POST", "/v1/rules", {
			...ruleOn("", "x"),
			name: "timer",
			trigger: { type: "core.st2.IntervalTimer", parameters: { unit: "hours", delta: 1 } },
		});
		await run(root);
		const count = async (path: string) => {
			const { status, body } = await ask(root, "GET", `/v1${path}`);
			assert.equal(status, 200, path);
			return (body as unknown as unknown[]).length;
		};
		for (const word of ["svc", "st2"]) {
			assert.equal(await count(`/rules?trigger=core.${word}.webhook`), 1);
			assert.equal(await count(`/rules/views?trigger=core.${word}.webhook`), 1);
			assert.equal(await count(`/triggers?type=core.${word}.webhook`), 1);
			assert.equal(await count(`/triggers?name=${word}.sensor.process_spawn&pack=core`), 1);
			assert.equal(await count(`/triggertypes?name=${word}.webhook&pack=core`), 1);
			assert.equal(await count(`/timers?timer_type=core.${word}.IntervalTimer`), 1);
			assert.equal((await ask(root, "GET", `/v1/triggers/core.${word}.sensor.process_spawn`)).body["ref"], "core.svc.sensor.process_spawn");
			assert.equal(await count(`/executions?trigger_type=core.${word}.webhook`), 0);
		}
		for (const [first, second] of [
			["talk", "name:speak"],
			["speak", "name:talk"],
			["talk", "uid:runner_type:talk"],
			["talk", "uid:runner_type:speak"],
		] as const) {
			assert.equal(await count(`/executions?runner=${first}&filter=runner.${second}`), 1, `${first} ${second}`);
		}
		assert.equal(await count("/executions?runner=talk&filter=runner.name:orquesta"), 0);
		const tested = await ask(root, "POST", "/v1/rules/test", {
			rule: ruleOn("core.st2.webhook", "unknown"),
			trigger_instance: { trigger: "core.st2.webhook", payload: { headers: {}, body: {} } },
		});
		assert.equal(tested.body["matched"], true, JSON.stringify(tested.body));
	}));

test.run();
