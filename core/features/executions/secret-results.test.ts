import * as assert from "node:assert/strict";
import { test } from "uvu";
import { stringify } from "yaml";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const answered = "canary-of-the-answer";
const printed = "canary-of-the-output";
const route = ["log"];
const notify = { "on-complete": { message: "ended", routes: route } };

// The definition does not hold the whole of it.
const cmd = { default: `printf '{"token": "canary-%s", "id": 7}' of-the-output`, immutable: true };
const outputSchema = { type: "object", properties: { token: { type: "string", secret: true }, id: { type: "integer" } } };
const packs = {
	"vault/pack.yaml": stringify({ ref: "vault", name: "vault", description: "Secrets.", version: "1.0.0", author: "somebody" }),
	"vault/actions/issue.yaml": stringify({
		name: "issue",
		runner_type: "local-shell-cmd",
		parameters: { cmd },
		output_schema: outputSchema,
		notify,
	}),
	"vault/actions/ask.yaml": stringify({ name: "ask", runner_type: "inquirer", parameters: {}, notify }),
	"vault/actions/done.yaml": stringify({ name: "done", runner_type: "local-shell-cmd", parameters: { cmd: { default: "true" } } }),
	"vault/rules/pass-on.yaml": stringify({
		name: "pass-on",
		description: "Sees the real values.",
		enabled: true,
		trigger: { type: "core.svc.generic.actiontrigger" },
		criteria: { "trigger.result.response.pin": { type: "startswith", pattern: "canary-of" } },
		action: { ref: "vault.done" },
	}),
};
const rbac = { assignments: [{ username: "watch", roles: ["observer"] }] };

type Record = Readonly<{ [name: string]: unknown }>;

const withVault = (use: (service: GuardedService & { readonly root: string }) => Promise<void>) =>
	withGuardedService(async (service) => use({ ...service, root: await service.signIn("root") }), {
		rbac,
		packs,
		runners: [inquirer(), localCommand()],
	});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
	for (;;) {
		const found = await look();
		if (found !== undefined) return found;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

async function waitFor({ ask, root }: GuardedService & { readonly root: string }, id: string, status: string): Promise<void> {
	await until(async () => ((await ask(root, "GET", `/v1/executions/${id}`)).body["status"] === status ? true : undefined));
}

/** Everything that is shown of what came of an execution, to somebody who may look at all of it. */
async function shown({ ask, signIn }: GuardedService, id: string): Promise<string> {
	const watch = await signIn("watch");
	const instances = (await ask(watch, "GET", "/v1/triggerinstances?limit=50")).body as unknown as readonly Record[];
	const own = instances.filter(({ payload }) => JSON.stringify(payload ?? {}).includes(id));
	const paths = [
		`/v1/executions/${id}`,
		`/v1/executions/${id}/attribute/result`,
		`/v1/executions?action=vault.issue`,
		"/v1/ruleenforcements/views",
		"/v1/rules/views",
		...own.map((instance) => `/v1/triggerinstances/${String(instance["id"])}`),
	];
	const texts = await Promise.all(paths.map(async (path) => JSON.stringify((await ask(watch, "GET", path)).body)));
	return [JSON.stringify(own), ...texts].join("\n");
}

/** The output, as text and as events. */
async function output({ urls, signIn }: GuardedService, id: string, user = "watch", query = ""): Promise<string> {
	const headers = { "x-auth-token": await signIn(user) };
	const addresses = [`${urls.api}/v1/executions/${id}/output${query}`, `${urls.stream}/executions/${id}/output${query}`];
	return (await Promise.all(addresses.map(async (address) => (await fetch(address, { headers })).text()))).join("\n");
}

test("the secret answer to a question stands in no event that tells of it, and rules see it", () =>
	withVault(async (service) => {
		const { ask, root } = service;
		const schema = { properties: { pin: { type: "string", secret: true }, go: { type: "boolean" } } };
		const { body } = await ask(root, "POST", "/v1/executions", { action: "vault.ask", parameters: { schema } });
		const id = String(body["id"]);
		await waitFor(service, id, "pending");
		assert.equal((await ask(root, "PUT", `/v1/inquiries/${id}`, { id, response: { pin: answered, go: true } })).status, 200);
		await until(async () => {
			const { body: executions } = await ask(root, "GET", "/v1/executions?rule=pass-on");
			return (executions as unknown as readonly Record[]).length > 0 ? true : undefined;
		});
		const text = await shown(service, id);
		// It tells of the end and of the notification.
		assert.match(text, /actiontrigger/);
		assert.match(text, /notifytrigger/);
		assert.match(text, /"go":true/);
		assert.match(text, /pass-on/);
		assert.ok(!text.includes(answered), text);
		// Once the execution has been removed it is not known what is secret in what tells of it.
		const purged = await ask(root, "POST", "/v1/purge/executions", { timestamp: new Date().toISOString() });
		assert.equal(purged.status, 200, JSON.stringify(purged.body));
		assert.equal((await ask(root, "GET", `/v1/executions/${id}`)).status, 404);
		const left = await shown(service, id);
		assert.match(left, /"result":"\*{8}"/);
		assert.ok(!left.includes(answered), left);
	}));

test("what an output schema calls secret in the output of a command is masked in results and events", () =>
	withVault(async (service) => {
		const { ask, root } = service;
		const { body } = await ask(root, "POST", "/v1/executions", { action: "vault.issue" });
		const id = String(body["id"]);
		await waitFor(service, id, "succeeded");
		const text = `${await shown(service, id)}\n${await output(service, id)}`;
		assert.ok(!text.includes(printed), text);
		assert.ok((await output(service, id, "root", "?show_secrets=true")).includes(printed));
		const { body: seen } = await ask(await service.signIn("watch"), "GET", `/v1/executions/${id}`);
		assert.equal((seen["result"] as Record)["stdout"], '{"token":"********","id":7}');
		const { body: open } = await ask(root, "GET", `/v1/executions/${id}?show_secrets=true`);
		assert.equal((open["result"] as Record)["stdout"], `{"token": "${printed}", "id": 7}`);
	}));

test.run();
