import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner } from "../../contract/index.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const pin = "4711-canary-of-the-system";
const expression = "<% svckv('system.pin', decrypt => true) %>";
const evaluating = { resource_uid: "action:default:evaluate", permission_types: ["action_all" as const] };
const viewing = { resource_uid: "key_value_pair:svckv.system:pin", permission_types: ["key_value_pair_view" as const] };
const rbac = {
	enable: true,
	roles: [
		{ name: "outsider", permission_grants: [evaluating] },
		{ name: "reader", permission_grants: [evaluating, viewing] },
	],
	assignments: [
		{ username: "maria", roles: ["reader"] },
		{ username: "otto", roles: ["outsider"] },
	],
};

const evaluate = defineRunner("evaluate", () => ({
	description: "Evaluates an expression of its own.",
	capabilities: { streaming: true },
	parameters: {},
	async run({ expressions, emit }) {
		const text = await expressions.evaluate(expression, { variables: {} });
		await emit("stdout", `it is ${String(text)}\n`);
		return { succeeded: true, result: { text } };
	},
}));

test("expressions of a run read the datastore with the rights of its user, and what they decrypt is masked", () =>
	withGuardedService(
		async ({ ask, signIn, urls }) => {
			const root = await signIn("root");
			await ask(root, "POST", "/v1/actions", { name: "evaluate", runner_type: "evaluate" });
			await ask(root, "PUT", "/v1/keys/pin", { value: pin, secret: true });
			const run = async (user: string) => {
				const { body } = await ask(await signIn(user), "POST", "/v1/executions", { action: "default.evaluate" });
				const url = `${urls.stream}/executions/${String(body["id"])}/output`;
				const output = await (await fetch(url, { headers: { "x-auth-token": root } })).text();
				const [masked, clear] = await Promise.all(
					["", "?show_secrets=true"].map((query) => ask(root, "GET", `/v1/executions/${String(body["id"])}${query}`)),
				);
				return { output, masked: masked?.body, clear: clear?.body };
			};
			const seen = await run("maria");
			assert.deepEqual(seen.clear?.["result"], { text: pin });
			assert.deepEqual(seen.masked?.["result"], { text: "********" });
			assert.match(seen.output, /it is \*{8}/);
			const refused = await run("otto");
			assert.equal(refused.clear?.["status"], "failed");
			assert.match(JSON.stringify(refused.clear?.["result"]), /system\.pin/);
			assert.ok(!JSON.stringify(refused).includes(pin));
		},
		{ rbac, runners: [evaluate()] },
	));

test.run();
