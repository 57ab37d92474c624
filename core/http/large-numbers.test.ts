// test-timeout: 240
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../contract/index.ts";
import { type ServiceUnderTest, withService } from "../testing/http/service.test-support.ts";

const large = 1234567890123456789n;

/** Gives back what it was given. */
const returns = defineRunner("returns", () => ({
	description: "Gives back what it was given.",
	capabilities: {},
	parameters: {},
	run: async ({ actionParameters }) => ({ succeeded: true, result: { given: actionParameters, type: typeof actionParameters["id"] } }),
}));

interface Asked {
	readonly service: ServiceUnderTest;
	ask(
		method: string,
		path: string,
		body?: JsonValue | string,
	): Promise<{ readonly status: number; readonly body: JsonObject; readonly text: string }>;
}

const withNumbers = (use: (asked: Asked) => Promise<void>) =>
	withService(
		async (service) => {
			const ask: Asked["ask"] = async (method, path, body) => {
				const sent = body === undefined ? {} : { body: typeof body === "string" ? body : stringifyJson(body) };
				const answer = await service.ask(path, { method, ...sent });
				const text = await answer.text();
				const value = text === "" ? {} : parseJson(text);
				return { status: answer.status, body: isJsonObject(value) ? value : { items: value }, text };
			};
			const parameters = { id: { type: "integer" }, any: {}, ids: { type: "array", items: { type: "integer", minimum: 0 } } };
			const action = { name: "returns", runner_type: "returns", parameters };
			assert.equal((await ask("POST", "/v1/actions", action)).status, 201);
			await use({ service, ask });
		},
		{
			runners: [returns()],
		},
	);

async function ended(ask: Asked["ask"], id: string): Promise<JsonObject> {
	for (;;) {
		const { body } = await ask("GET", `/v1/executions/${id}`);
		if (["succeeded", "failed", "canceled", "timeout"].includes(String(body["status"]))) return body;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

test("an id of 64 bits is the same from a delivery to the criteria, the parameters and the result", () =>
	withNumbers(async ({ ask, service }) => {
		const rule = (name: string, id: bigint) => ({
			name,
			pack: "default",
			enabled: true,
			trigger: { type: "core.svc.webhook", parameters: { url: "orders" } },
			criteria: { "trigger.body.id": { type: "equals", pattern: id } },
			action: {
				ref: "default.returns",
				parameters: { id: "{{ trigger.body.id }}", any: { copy: "{{ trigger.body.id }}", next: "{{ trigger.body.id + 1 }}" } },
			},
		});
		assert.equal((await ask("POST", "/v1/rules", rule("one", large))).status, 201);
		// JSON.parse reads both ids as the same number.
		assert.equal((await ask("POST", "/v1/rules", rule("other", large + 1n))).status, 201);
		const delivery = await service.ask("/v1/webhooks/orders", { method: "POST", body: `{"id": ${large}, "text": "1e400"}` });
		assert.equal(delivery.status, 202);
		const executions = async () => (await ask("GET", "/v1/executions?action=default.returns")).body["items"] as readonly JsonObject[];
		let found: readonly JsonObject[] = [];
		while (found.length === 0) found = await executions();
		assert.equal(found.length, 1);
		const { parameters, result } = await ended(ask, String(found[0]?.["id"]));
		assert.deepEqual(parameters, { id: large, any: { copy: String(large), next: String(large + 1n) } });
		assert.deepEqual(result, { given: { ...(parameters as JsonObject), ids: null }, type: "bigint" });
		const { text } = await ask("GET", "/v1/triggerinstances?trigger_type=core.svc.webhook&limit=1");
		const [listed] = parseJson(text) as unknown as readonly [{ readonly id: string }];
		assert.match((await ask("GET", `/v1/triggerinstances/${listed.id}`)).text, /"id":1234567890123456789,/);
	}));

test.run();
