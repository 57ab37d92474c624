import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });
const granted = (name: string, ...permission_grants: ReturnType<typeof on>[]) => ({ name, permission_grants });

const rbac = {
	roles: [
		granted(
			"author",
			on("pack:default", "rule_all", "trigger_all"),
			on("action:default:speak", "action_execute"),
			on("webhook:ours", "webhook_all"),
		),
		granted("timers", on("pack:default", "timer_create")),
		granted("core_timers", on("pack:core", "timer_create")),
		granted("events", on("trigger_type:alpha:alarm", "trigger_instance_view")),
		granted("alpha_triggers", on("pack:alpha", "trigger_create")),
		granted("secret", on("key_value_pair:svckv.system:hook_secret", "key_value_pair_view")),
	],
	assignments: [
		{ username: "ann", roles: ["author"] },
		{ username: "obs", roles: ["author", "observer"] },
		{ username: "tim", roles: ["author", "timers"] },
		{ username: "tom", roles: ["author", "core_timers"] },
		{ username: "eve", roles: ["author", "events"] },
		{ username: "tri", roles: ["author", "alpha_triggers"] },
		{ username: "sec", roles: ["author", "secret"] },
	],
};

let count = 0;
const rule = (type: string, parameters: object = {}) => ({
	name: `rule_${(count += 1)}`,
	trigger: { type, parameters },
	action: { ref: "default.speak" },
	enabled: false,
});
const minute = { unit: "minutes", delta: 1 };
const signed = (name: string) => ({ url: "ours", signature: { scheme: "gitlab", secret_keys: [name] } });

async function statusOf({ ask, signIn }: GuardedService, user: string, path: string, body: unknown): Promise<number> {
	return (await ask(await signIn(user), "POST", path, body)).status;
}

test("a rule takes what it listens to: timers, other packs' events, and items as secrets of its webhook", () =>
	withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			for (const pack of ["default", "alpha"]) await service.ask(root, "POST", "/v1/triggertypes", { pack, name: "alarm" });
			await service.ask(root, "PUT", "/v1/keys/hook_secret", { name: "hook_secret", value: "a long hook secret", secret: true });
			const status = (user: string, body: unknown) => statusOf(service, user, "/v1/rules", body);

			assert.equal(await status("ann", rule("core.svc.IntervalTimer", minute)), 403);
			assert.equal(await status("ann", rule("core.svc.CronTimer", { hour: 3 })), 403);
			assert.equal(await status("tim", rule("core.svc.IntervalTimer", minute)), 201);
			assert.equal(await status("tom", rule("core.svc.IntervalTimer", minute)), 201);

			assert.equal(await status("ann", rule("alpha.alarm")), 403);
			assert.equal(await status("eve", rule("alpha.alarm")), 201);
			assert.equal(await status("ann", rule("default.alarm")), 201);
			// What such an event tells of is asked when it comes.
			assert.equal(await status("ann", rule("core.svc.generic.actiontrigger")), 201);

			assert.equal(await status("ann", rule("core.svc.webhook", { url: "ours" })), 201);
			assert.equal(await status("ann", rule("core.svc.webhook", { url: "theirs" })), 403);
			assert.equal(await status("ann", rule("core.svc.webhook", signed("hook_secret"))), 403);
			assert.equal(await status("ann", rule("core.svc.webhook", signed("not_there"))), 403);
			// Observers see the item masked, and must not find out its value by the answers to guesses.
			assert.equal(await status("obs", rule("core.svc.webhook", signed("hook_secret"))), 403);
			assert.equal(await status("sec", rule("core.svc.webhook", signed("hook_secret"))), 201);
		},
		{ rbac },
	));

test("a change of a rule takes the same, also a change to a timer", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const [ann, tim] = [await signIn("ann"), await signIn("tim")];
			const made = await ask(ann, "POST", "/v1/rules", rule("core.svc.webhook", { url: "ours" }));
			const path = `/v1/rules/${String(made.body["ref"])}`;
			const timed = { ...rule("core.svc.IntervalTimer", minute), name: made.body["name"] };
			assert.equal((await ask(ann, "PUT", path, timed)).status, 403);
			assert.equal((await ask(tim, "PUT", path, timed)).status, 200);
			// Whoever switches it on has it act in their name.
			assert.equal((await ask(ann, "PUT", path, { ...timed, enabled: true })).status, 403);
			assert.equal((await ask(tim, "PUT", path, { ...timed, enabled: true })).status, 200);
		},
		{ rbac },
	));

test("a trigger takes the permission on the pack of its type, and on the items that sign its webhook", () =>
	withGuardedService(
		async (service) => {
			const root = await service.signIn("root");
			const parameters_schema = { type: "object", properties: { path: { type: "string" } } };
			for (const pack of ["default", "alpha"])
				await service.ask(root, "POST", "/v1/triggertypes", { pack, name: "file", parameters_schema });
			const status = (user: string, body: unknown) => statusOf(service, user, "/v1/triggers", body);
			const foreign = { pack: "default", name: "mine", type: "alpha.file", parameters: { path: "/etc" } };
			assert.equal(await status("ann", foreign), 403);
			assert.equal(await status("ann", { ...foreign, pack: undefined }), 403);
			assert.equal(await status("tri", foreign), 201);
			assert.equal(await status("ann", { pack: "default", name: "own", type: "default.file", parameters: { path: "/var" } }), 201);
			const hook = (more: object) => ({ type: "core.svc.webhook", parameters: { url: "ours" }, ...more });
			assert.equal(await status("ann", hook({ parameters: signed("hook_secret") })), 403);
			assert.equal(await status("sec", hook({ parameters: signed("hook_secret") })), 201);
			// Its ref could be that of a trigger type to come.
			assert.equal(await status("ann", hook({ pack: "alpha", name: "alarm" })), 403);
			assert.equal(await status("ann", hook({})), 201);
			const [ann, path] = [await service.signIn("ann"), "/v1/triggers/default.own"];
			assert.equal((await service.ask(ann, "PUT", path, { type: "alpha.file", parameters: {} })).status, 403);
			assert.equal((await service.ask(ann, "PUT", path, { type: "default.file", parameters: { path: "/tmp" } })).status, 200);
		},
		{ rbac },
	));

test("a secret of a rule is kept only while everything stays that decides where it goes", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			const parameters_schema = { type: "object", properties: { host: { type: "string" }, password: { type: "string", secret: true } } };
			assert.equal((await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: "mail", parameters_schema })).status, 201);
			const of = (more: object, trigger: object = { type: "core.svc.webhook", parameters: { url: "ours" } }) => ({
				...{ name: "told", trigger, criteria: { "trigger.body.a": { type: "equals", pattern: "b" } } },
				...{ action: { ref: "default.speak", parameters: { pin: "********" } }, ...more },
			});
			const secret = { action: { ref: "default.speak", parameters: { pin: "of {{ trigger.body.host }}" } } };
			assert.equal((await ask(root, "POST", "/v1/rules", of(secret))).status, 201);
			const put = async (body: object) => (await ask(ann, "PUT", "/v1/rules/default.told", body)).status;
			assert.equal(await put(of({ description: "nothing else" })), 200);
			assert.equal(await put(of({}, { type: "core.svc.webhook", parameters: { url: "ours", ledger: true } })), 400);
			assert.equal(await put(of({ criteria: {} })), 400);
			assert.equal(await put(of({ ...secret, criteria: {} })), 200);

			const mail = (parameters: object) => ({ pack: "default", name: "box", type: "default.mail", parameters });
			assert.equal((await ask(root, "POST", "/v1/triggers", mail({ host: "good", password: "a secret" }))).status, 201);
			const change = async (token: string, host: string) =>
				(await ask(token, "PUT", "/v1/triggers/default.box", mail({ host, password: "********" }))).status;
			assert.equal(await change(ann, "evil"), 400);
			assert.equal(await change(ann, "good"), 200);
			assert.equal(await change(root, "better"), 200);
		},
		{ rbac },
	));

test.run();
