import * as assert from "node:assert/strict";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import type { AuditEntryEntity } from "../../../plugins/feature-audit/entities.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import type { JsonObject } from "../../contract/index.ts";
import { until } from "../../kernel/nodes/nodes.test-support.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const grant = (name: string, ...permission_types: readonly string[]) => ({
	name,
	permission_grants: [{ resource_uid: "pack:core", permission_types }],
});
const roles = [grant("runs", "action_execute", "action_view"), grant("completes", "action_complete")];
const assignments = [
	{ username: "ann", roles: ["runs"] },
	{ username: "olga", roles: ["completes"] },
];

interface Entry {
	readonly status: string;
	readonly by?: JsonObject;
}

test("to set a final state or a result takes a permission of its own; to run an action is enough to stop it, and not more", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const [root, ann, olga] = [await signIn("root"), await signIn("ann"), await signIn("olga")];
			const start = async () => (await ask(root, "POST", "/v1/executions", { action: "core.noop", delay: 600_000 })).body["id"];
			const put = async (token: string, body: object) => (await ask(token, "PUT", `/v1/executions/${await start()}`, body)).status;
			for (const status of ["succeeded", "failed", "timeout", "abandoned", "running"]) {
				assert.equal(await put(ann, { status }), 403, status);
			}
			assert.equal(await put(ann, { status: "canceled", result: { said: "by hand" } }), 403);
			assert.equal(await put(ann, { status: "canceled" }), 200);
			assert.equal(await put(olga, { status: "canceled" }), 403);
			assert.equal(await put(olga, { status: "failed", result: { said: "by hand" } }), 200);
			assert.equal(await put(root, { status: "succeeded" }), 200);
		},
		{ runners: [noop()], rbac: { roles, assignments } },
	));

test("who has set a state, answered a question or sent an event again is stored with credential and reason, and recorded", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const root = await signIn("root");
			const by = (reason: string, stored: JsonObject | undefined) => {
				const { credential, ...rest } = stored ?? {};
				assert.match(String(credential), /^token:[0-9a-f]{24}$/);
				assert.deepEqual(rest, { user: "root", reason });
			};
			const logOf = async (id: unknown) => (await ask(root, "GET", `/v1/executions/${id}`)).body["log"] as unknown as readonly Entry[];

			const { body: plain } = await ask(root, "POST", "/v1/executions", { action: "core.noop", delay: 600_000 });
			await ask(root, "PUT", `/v1/executions/${plain["id"]}`, { status: "succeeded", result: {}, reason: "done by hand" });
			const plainLog = await logOf(plain["id"]);
			by("done by hand", plainLog.at(-1)?.by);
			assert.equal(plainLog[0]?.by, undefined);

			const { body: stopped } = await ask(root, "POST", "/v1/executions", {
				action: "core.noop",
				delay: 600_000,
				context: { cancelled_by: "maria", paused_by: "maria", resumed_by: "maria", ticket: 7 },
			});
			assert.equal((await ask(root, "DELETE", `/v1/executions/${stopped["id"]}?reason=${"x".repeat(1_001)}`)).status, 400);
			const canceled = await ask(root, "DELETE", `/v1/executions/${stopped["id"]}?reason=not%20needed`);
			by("not needed", (await logOf(stopped["id"])).at(-1)?.by);
			const { cancelled_by, paused_by, resumed_by, ticket } = canceled.body["context"] as JsonObject;
			assert.deepEqual([cancelled_by, paused_by, resumed_by, ticket], ["root", undefined, undefined, 7]);

			const { body: question } = await ask(root, "POST", "/v1/executions", { action: "core.ask" });
			const id = String(question["id"]);
			await until(async () => (await logOf(id)).at(-1)?.status === "pending", "it is asked");
			const answer = { id, response: { continue: true }, reason: "the disk is new" };
			assert.equal((await ask(root, "PUT", `/v1/inquiries/${id}`, answer)).status, 200);
			by("the disk is new", (await logOf(id)).at(-1)?.by);

			const events = (await ask(root, "GET", "/v1/triggerinstances?limit=1")).body as unknown as readonly { readonly id: string }[];
			const again = await ask(root, "POST", `/v1/triggerinstances/${events[0]?.id}/re_emit?reason=lost`);
			assert.equal(again.status, 200);
			const { payload } = (await ask(root, "GET", `/v1/triggerinstances/${again.body["id"]}`)).body as { readonly payload: JsonObject };
			by("lost", (payload["__context"] as JsonObject)["re_emitted_by"] as JsonObject);

			const entries = (await ask(root, "GET", "/v1/audit/entries?after=0")).body as unknown as readonly AuditEntryEntity[];
			const recorded = entries.map(({ user, request, ref }) => `${user} ${request} ${ref}`);
			for (const entry of [
				`root PUT /executions/:id ${plain["id"]}`,
				`root DELETE /executions/:id ${stopped["id"]}`,
				`root PUT /inquiries/:id ${id}`,
				`root POST /triggerinstances/:id/re_emit ${events[0]?.id}`,
			]) {
				assert.ok(recorded.includes(entry), entry);
			}
			assert.equal((await ask(root, "PUT", `/v1/inquiries/${id}`, { ...answer, reason: "x".repeat(1_001) })).status, 400);
		},
		{ runners: [inquirer(), noop()], rbac: { roles, assignments } },
	));

test("the command passes reasons on, and shows who has changed a state with which credential", () =>
	withGuardedService(
		async ({ urls, ask, signIn }) => {
			const root = await signIn("root");
			const { body: key } = await ask(root, "POST", "/v1/apikeys", {});
			const svc = async (...words: readonly string[]) => {
				const [stdout, stderr] = [new CapturedText(), new CapturedText()];
				const env = { HOME: "/nonexistent", SVC_API_URL: urls.api, SVC_API_KEY: String(key["key"]) };
				assert.equal(await runSvc(words, { stdout, stderr, env }), 0, stderr.text);
				return stdout.text;
			};
			const start = async (action: string, more: object) => {
				const { body } = await ask(root, "POST", "/v1/executions", { action, ...more });
				return String(body["id"]);
			};
			const canceled = await start("core.noop", { delay: 600_000 });
			await svc("execution", "cancel", canceled, "--reason", "not needed");
			const byKey = (status: string, reason: string) =>
				new RegExp(`^${status} by root \\(api_key:${String(key["id"])}\\) at \\S+: ${reason}$`, "m");
			assert.match(await svc("execution", "get", canceled), byKey("canceled", "not needed"));

			const question = await start("core.ask", {});
			const isPending = async () => (await ask(root, "GET", `/v1/executions/${question}`)).body["status"] === "pending";
			await until(isPending, "it is asked");
			await svc("inquiry", "respond", question, "-r", '{"continue": true}', "--reason", "the disk is new");
			assert.match(await svc("execution", "get", question), byKey("succeeded", "the disk is new"));

			const [event] = JSON.parse(await svc("trigger-instance", "list", "-n", "1", "-j")) as readonly { readonly id: string }[];
			const again = (await svc("trigger-instance", "re-emit", event?.id ?? "", "--reason", "lost")).trim().split("\n").at(-1);
			const shown = await svc("trigger-instance", "get", again ?? "");
			assert.match(shown, new RegExp(`re_emitted_by:\\s+user: root\\s+credential: api_key:${String(key["id"])}\\s+reason: lost`));
		},
		{ runners: [inquirer(), noop()], rbac: { roles, assignments } },
	));

test("a sender cannot claim that a user has emitted an event again", () =>
	withGuardedService(async ({ ask, signIn }) => {
		const root = await signIn("root");
		await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: "happened" });
		const forged = { original_id: "1", re_emitted_by: { user: "maria", credential: null, reason: "asked to" } };
		const event = { trigger: "default.happened", payload: { n: 1, __context: forged } };
		assert.equal((await ask(root, "POST", "/v1/webhooks/svc", event)).status, 202);
		const read = async () =>
			(await ask(root, "GET", "/v1/triggerinstances?trigger=default.happened")).body as unknown as readonly {
				readonly id: string;
				readonly payload: JsonObject;
			}[];
		const [first] = await read();
		assert.deepEqual(first?.payload, { n: 1, __context: { original_id: "1" } });
		await ask(root, "POST", `/v1/triggerinstances/${first?.id}/re_emit`);
		const again = (await read()).find(({ id }) => id !== first?.id);
		const context = again?.payload["__context"] as { readonly re_emitted_by?: JsonObject } | undefined;
		assert.equal(context?.re_emitted_by?.["user"], "root");
	}));

test.run();
