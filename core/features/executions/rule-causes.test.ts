// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

type Body = Readonly<Record<string, unknown>>;

const mask = "********";
const pin = "pin-of-the-rule";
const code = "code-in-the-event";
const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });
const viewing = on("action:default:speak", "action_view");

const rbac = {
	roles: [
		{ name: "viewer", permission_grants: [viewing, { permission_types: ["execution_list", "stream_view"] }] },
		{
			name: "reader",
			permission_grants: [
				viewing,
				on("pack:default", "rule_view", "trigger_view", "trigger_type_view"),
				on("trigger_type:default:rung", "trigger_instance_view"),
			],
		},
	],
	assignments: [
		{ username: "vic", roles: ["viewer"] },
		{ username: "rea", roles: ["reader"] },
	],
};

interface Bell extends GuardedService {
	readonly root: string;
	read(token: string, path: string): Promise<Body>;
	/** Let the rule act; the id of the execution, which has ended. */
	ring(): Promise<string>;
}

const rule = (changes: object = {}) => ({
	name: "bell",
	description: "as it was",
	trigger: { type: "default.rung", parameters: { door: 1, key: "key-of-the-door" } },
	action: { ref: "default.speak", parameters: { pin, text: "{{ trigger.code }}", hidden: "{{ trigger.code }}" } },
	enabled: true,
	...changes,
});

function withBell(run: (bell: Bell) => Promise<void>): Promise<void> {
	return withGuardedService(
		async (service) => {
			const { ask, urls } = service;
			const root = await service.signIn("root");
			const read = async (token: string, path: string) => {
				const { status, body } = await ask(token, "GET", `/v1${path}`);
				assert.equal(status, 200, path);
				return body;
			};
			const parameters = { text: { type: "string" }, hidden: { type: "string", secret: true } };
			const schema = { type: "object", properties: { door: { type: "integer" }, key: { type: "string", secret: true } } };
			for (const [method, path, body] of [
				["PUT", "/actions/default.speak", { name: "speak", runner_type: "speak", parameters }],
				["POST", "/triggertypes", { pack: "default", name: "rung", parameters_schema: schema, payload_schema: { type: "object" } }],
				["POST", "/rules", rule()],
			] as const) {
				const answer = await ask(root, method, `/v1${path}`, body);
				assert.ok(answer.status < 300, JSON.stringify(answer));
			}
			const trigger = (await read(root, "/rules/default.bell"))["trigger"] as Body;
			await run({
				...service,
				root,
				read,
				async ring() {
					const event = { trigger: trigger["ref"], payload: { code } };
					const sent = await fetch(`${urls.api}/v1/webhooks/svc`, {
						method: "POST",
						headers: { "x-auth-token": root, "content-type": "application/json" },
						body: JSON.stringify(event),
					});
					assert.equal(sent.status, 202, await sent.text());
					const instance = sent.headers.get("svc-trigger-instance-id") ?? "";
					for (;;) {
						const found = (await read(root, `/executions?trigger_instance=${instance}`)) as unknown as Body[];
						const [execution] = found;
						if (execution?.["status"] === "succeeded") return String(execution["id"]);
						assert.ok(execution?.["status"] !== "failed", JSON.stringify(execution));
					}
				},
			});
		},
		{ rbac },
	);
}

const at = (body: Body, ...path: readonly string[]): unknown => path.reduce<unknown>((value, name) => (value as Body)?.[name], body);

test("an execution that a rule has started shows rule, trigger, type and event whole, without their secrets", () =>
	withBell(async ({ root, read, ring }) => {
		const id = await ring();
		const execution = await read(root, `/executions/${id}`);
		const own = await read(root, "/rules/default.bell");
		const expected = { ...own, action: { ref: "default.speak", parameters: { ...(at(own, "action", "parameters") as Body), pin: mask } } };
		assert.deepEqual(execution["rule"], expected);
		assert.deepEqual(execution["trigger"], await read(root, `/triggers/${String(at(own, "trigger", "ref"))}`));
		assert.deepEqual(at(execution, "trigger", "parameters"), { door: 1, key: mask });
		assert.deepEqual(execution["trigger_type"], await read(root, "/triggertypes/default.rung"));
		const { trigger_title, ...event } = await read(root, `/triggerinstances/${String(at(execution, "trigger_instance", "id"))}`);
		assert.equal(trigger_title, at(execution, "trigger", "title"));
		assert.deepEqual(event["payload"], { code });
		// What the execution was given as a secret is one in the event that it shows, too.
		assert.deepEqual(execution["trigger_instance"], { ...event, status: "processing", payload: { code: mask } });
		assert.ok(!JSON.stringify(execution).includes(pin));
		assert.ok(!JSON.stringify(execution).includes("key-of-the-door"));
		assert.deepEqual(await read(root, `/executions/${id}/attribute/trigger_instance`), execution["trigger_instance"]);
		const [listed] = (await read(root, "/executions?limit=1")) as unknown as Body[];
		assert.deepEqual(listed, execution);
		const [some] = (await read(root, "/executions?limit=1&include_attributes=rule.ref,trigger.type")) as unknown as Body[];
		assert.deepEqual(some, { id, rule: { ref: "default.bell" }, trigger: { type: "default.rung" } });
		const [less] = (await read(root, "/executions?limit=1&exclude_attributes=trigger_instance")) as unknown as Body[];
		assert.deepEqual(less?.["rule"], expected);
		assert.ok(less !== undefined && !("trigger_instance" in less));
	}));

test("an administrator may see the secrets in them", () =>
	withBell(async ({ root, read, ring }) => {
		const execution = await read(root, `/executions/${await ring()}?show_secrets=true`);
		assert.equal(at(execution, "rule", "action", "parameters", "pin"), pin);
		assert.equal(at(execution, "trigger", "parameters", "key"), "key-of-the-door");
		assert.equal(at(execution, "trigger_instance", "payload", "code"), code);
	}));

test("they stay as they were when the rule is changed and removed", () =>
	withBell(async ({ root, read, ring, ask }) => {
		const first = await ring();
		const before = await read(root, `/executions/${first}`);
		assert.equal((await ask(root, "PUT", "/v1/rules/default.bell", rule({ description: "as it is now" }))).status, 200);
		const second = await ring();
		assert.equal(at(await read(root, `/executions/${second}`), "rule", "description"), "as it is now");
		assert.equal((await ask(root, "DELETE", "/v1/rules/default.bell")).status, 204);
		assert.equal((await ask(root, "DELETE", "/v1/triggertypes/default.rung")).status, 204);
		assert.deepEqual(await read(root, `/executions/${first}`), before);
		assert.equal(at(before, "rule", "description"), "as it was");
	}));

test("of an event that has been removed its id is left, and what it was one of", () =>
	withBell(async ({ root, read, ring, ask, pass }) => {
		const id = await ring();
		const { trigger_instance: event } = await read(root, `/executions/${id}`);
		pass(60);
		const purged = await ask(root, "POST", "/v1/purge/trigger_instances", { timestamp: new Date().toISOString() });
		assert.equal(purged.status, 200, JSON.stringify(purged));
		const { id: instance, trigger, trigger_type } = event as Body;
		assert.deepEqual((await read(root, `/executions/${id}`))["trigger_instance"], { id: instance, trigger, trigger_type });
	}));

test("of what somebody may not see an execution shows the name", () =>
	withBell(async ({ read, ring, signIn }) => {
		const id = await ring();
		const [vic, rea] = [await signIn("vic"), await signIn("rea")];
		const seen = await read(vic, `/executions/${id}`);
		assert.deepEqual(Object.keys(seen["rule"] as Body), ["id", "ref", "name", "pack"]);
		assert.equal(at(seen, "rule", "ref"), "default.bell");
		assert.deepEqual(Object.keys(seen["trigger"] as Body), ["id", "ref", "name", "pack"]);
		assert.equal(at(seen, "trigger_type", "ref"), "default.rung");
		assert.equal(at(seen, "trigger_type", "payload_schema"), undefined);
		assert.equal(at(seen, "trigger_instance", "trigger_type"), "default.rung");
		assert.equal(at(seen, "trigger_instance", "payload"), undefined);
		const read2 = await read(rea, `/executions/${id}`);
		assert.equal(at(read2, "rule", "description"), "as it was");
		assert.deepEqual(at(read2, "trigger_instance", "payload"), { code: mask });
	}));

test("the stream shows them with each event of the execution", () =>
	withBell(async ({ root, urls, ring, read }) => {
		const over = new AbortController();
		const headers = { "x-auth-token": root };
		const response = await fetch(`${urls.stream}/v1/stream?events=svc.execution__*`, { headers, signal: over.signal });
		const id = await ring();
		const shown = await read(root, `/executions/${id}`);
		let text = "";
		for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
			text += piece;
			if (/"status":"succeeded".*\n\n/.test(text)) break;
		}
		over.abort();
		const seen = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Body);
		assert.ok(seen.length > 1);
		for (const data of seen) {
			for (const name of ["rule", "trigger", "trigger_type", "trigger_instance"]) assert.deepEqual(data[name], shown[name], name);
		}
	}));

test("each of those who follow the stream at once is shown what they would be shown alone", () =>
	withBell(async ({ root, urls, ring, read, signIn }) => {
		const over = new AbortController();
		const tokens = [root, await signIn("vic"), await signIn("rea"), await signIn("vic"), root];
		const streams = await Promise.all(
			tokens.map((token) =>
				fetch(`${urls.stream}/v1/stream?events=svc.execution__*`, { headers: { "x-auth-token": token }, signal: over.signal }),
			),
		);
		const id = await ring();
		for (const [index, response] of streams.entries()) {
			const shown = await read(tokens[index] ?? "", `/executions/${id}`);
			let text = "";
			for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
				text += piece;
				if (/"status":"succeeded".*\n\n/.test(text)) break;
			}
			const seen = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Body);
			for (const data of seen) {
				for (const name of ["rule", "trigger", "trigger_type", "trigger_instance"])
					assert.deepEqual(data[name], shown[name], `${index} ${name}`);
			}
		}
		over.abort();
	}));

test.run();
