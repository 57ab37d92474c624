import * as assert from "node:assert/strict";
import { defineRunner } from "../../../core/contract/index.ts";
import { goTo, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

/** `JSON.parse` reads it as 9007199254740992. */
const large = "9007199254740993";

/** Returns its parameters. */
const returns = defineRunner("returns", () => ({
	description: "Returns its parameters.",
	capabilities: {},
	parameters: {},
	run: async ({ actionParameters }) => ({ succeeded: true, result: { given: actionParameters, type: typeof actionParameters["id"] } }),
}));

webTest("a whole number beyond 2^53 keeps its digits in the form of an action, its parameters and its result, and when it runs again", () =>
	withWeb(
		async (web) => {
			const parameters = { id: { type: "integer" }, more: { type: "object" } };
			const action = { name: "returns", runner_type: "returns", parameters };
			assert.equal((await web.ask(await web.signIn("root"), "POST", "/v1/actions", action)).status, 201);
			const page = await web.open("root", "/actions/default.returns");
			await page.getByLabel("id").fill(large);
			await page.getByLabel("more").fill(`{"id": ${large}}`);
			await page.getByRole("button", { name: "Run", exact: true }).click();
			await page.getByText("bigint").waitFor();
			// Both parameters, and the one of the result whose level is open.
			assert.deepEqual(await page.locator(".json-scalar").allTextContents(), [large, large, large]);
			await page.getByRole("button", { name: "Run with changes" }).click();
			assert.equal(await page.getByLabel("id").inputValue(), large);
			await page.getByRole("button", { name: "Edit as JSON" }).click();
			const asJson = page.getByLabel("Parameters, as JSON");
			assert.match(await asJson.inputValue(), /"id": 9007199254740993,[^]*"id": 9007199254740993\n/);
			await asJson.fill('{"id": 9007199254740995}');
			await page.getByRole("button", { name: "Run", exact: true }).click();
			await page.getByText("9007199254740995").nth(1).waitFor();
			await page.getByText("bigint").waitFor();
		},
		{ runners: [returns()] },
	),
);

webTest("a whole number beyond 2^53 keeps its digits in an event and in the criteria and parameters of a rule", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const send = async (path: string, body: string) => {
			const headers = { "x-auth-token": root, "content-type": "application/json" };
			const answer = await fetch(`${web.urls.api}/v1${path}`, { method: "POST", headers, body });
			assert.ok(answer.ok, await answer.text());
			return answer;
		};
		const trigger = '"trigger": {"type": "core.svc.webhook", "parameters": {"url": "orders"}}';
		const criteria = `"criteria": {"trigger.body.id": {"type": "equals", "pattern": ${large}}}`;
		const action = `"action": {"ref": "default.speak", "parameters": {"pin": "{{ trigger.body.id }}"}}`;
		await send("/rules", `{"name": "orders", "enabled": true, ${trigger}, ${criteria}, ${action}}`);
		const event = (await send("/webhooks/orders", `{"id": ${large}}`)).headers.get("svc-trigger-instance-id");
		const page = await web.open("root", `/events/latest/${event}`);
		await page.locator(".json-scalar").getByText(large, { exact: true }).waitFor();
		await goTo(page, "/rules/default.orders");
		await page.getByText(large).first().waitFor();
		assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /9007199254740992/);
	}),
);
