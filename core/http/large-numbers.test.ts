// test-timeout: 240
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { createClient } from "../../plugins/_shipped/client.ts";
import { actionChain } from "../../plugins-runner/action-chain/index.ts";
import { workflow } from "../../plugins-runner/workflow/index.ts";
import {
	defineRunner,
	isJsonObject,
	type JsonObject,
	type JsonValue,
	parseJson,
	type SvcConfig,
	stringifyJson,
} from "../contract/index.ts";
import { until } from "../testing/guarantees/until.test-support.ts";
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

const withNumbers = (use: (asked: Asked) => Promise<void>, config: Partial<Pick<SvcConfig, "runners" | "packs">> = {}) =>
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
			...config,
		},
	);

async function ended(ask: Asked["ask"], id: string): Promise<JsonObject> {
	return until("the execution has ended", 60, async () => {
		const { body } = await ask("GET", `/v1/executions/${id}`);
		return ["succeeded", "failed", "canceled", "timeout"].includes(String(body["status"])) ? body : undefined;
	});
}

/** A pack with a workflow and a chain that pass an id on. */
const files = {
	"pack.yaml": "ref: numbers\nname: numbers\ndescription: Passes ids on.\nversion: 1.0.0\nauthor: ann\nemail: ann@example.org\n",
	"actions/flow.yaml": "name: flow\nrunner_type: workflow\nentry_point: flow-definition.txt\nparameters: {id: {type: integer}}\n",
	"actions/flow-definition.txt": `
input: [id]
tasks:
  each:
    with: <% list(ctx(id), ctx(id) + 1) %>
    action: default.returns
    input: {id: <% item() %>}
    next: [{publish: [{ids: <% result().select($.given.id) %>}], do: last}]
  last:
    action: default.returns
    input: {id: "{{ ctx().ids[1] }}"}
    next: [{publish: [{one: <% result().given.id %>}]}]
output: [{ids: <% ctx(ids) %>}, {one: <% ctx(one) %>}]
`,
	"actions/chain.yaml": "name: chain\nrunner_type: action-chain\nentry_point: chain-definition.txt\nparameters: {id: {type: integer}}\n",
	"actions/chain-definition.txt": `
chain:
  - {name: one, ref: default.returns, parameters: {id: "{{ id }}"}, publish: {id: "{{ one.given.id }}"}, on-success: two}
  - {name: two, ref: default.returns, parameters: {id: "{{ one.given.id + 1 }}"}}
`,
};

/** Reads a stream up to a text that it must hold, and closes it. */
async function readUntil({ body }: Response, text: string): Promise<string> {
	let read = "";
	for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
		read += chunk;
		if (read.includes(text)) break;
	}
	return read;
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
		const found = await until("the rule has started an execution", 60, async () => {
			const items = (await ask("GET", "/v1/executions?action=default.returns")).body["items"] as readonly JsonObject[];
			return items.length > 0 ? items : undefined;
		});
		assert.equal(found.length, 1);
		const { parameters, result } = await ended(ask, String(found[0]?.["id"]));
		assert.deepEqual(parameters, { id: large, any: { copy: String(large), next: String(large + 1n) } });
		assert.deepEqual(result, { given: { ...(parameters as JsonObject), ids: null }, type: "bigint" });
		const { text } = await ask("GET", "/v1/triggerinstances?trigger_type=core.svc.webhook&limit=1");
		const [listed] = parseJson(text) as unknown as readonly [{ readonly id: string }];
		assert.match((await ask("GET", `/v1/triggerinstances/${listed.id}`)).text, /"id":1234567890123456789,/);
	}));

test("an id of 64 bits is the same in a re-run, a datastore item, a stream and the client", () =>
	withNumbers(async ({ ask, service }) => {
		const events = await service.ask("/stream/v1/stream?events=svc.execution__update");
		const { body: first } = await ask("POST", "/v1/executions", { action: "default.returns", parameters: { id: large } });
		await ended(ask, String(first["id"]));
		const again = await ask("POST", `/v1/executions/${first["id"]}/re_run`, {});
		assert.equal(again.status, 201, again.text);
		const { parameters, result } = await ended(ask, String(again.body["id"]));
		assert.deepEqual([parameters, (result as JsonObject)["type"]], [{ id: large }, "bigint"]);
		assert.match(await readUntil(events, '"status":"succeeded"'), /"given":\{"id":1234567890123456789,/);
		assert.equal((await ask("PUT", "/v1/keys/id", { name: "id", value: String(large) })).status, 200);
		assert.equal((await ask("GET", "/v1/keys/id")).body["value"], String(large));
		const client = createClient({ apiUrl: service.urls.api, token: service.token });
		assert.deepEqual((await client.executions.get(String(first["id"]))).parameters, { id: large });
	}));

test("an id of 64 bits is the same from task to task of a workflow and of an action chain", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-numbers-"));
	const pack = join(directory, "packs", "numbers");
	await mkdir(join(pack, "actions"), { recursive: true });
	for (const [name, text] of Object.entries(files)) await writeFile(join(pack, name), text);
	await withNumbers(
		async ({ ask }) => {
			for (const [name, expected] of [
				["flow", { output: { ids: [large, large + 1n], one: large + 1n } }],
				["chain", { published: { id: String(large) } }],
			] as const) {
				const { body } = await ask("POST", "/v1/executions", { action: `numbers.${name}`, parameters: { id: large } });
				const { status, result } = await ended(ask, String(body["id"]));
				assert.equal(status, "succeeded", stringifyJson(result));
				for (const [key, value] of Object.entries(expected)) assert.deepEqual((result as JsonObject)[key], value);
			}
		},
		{ runners: [returns(), workflow(), actionChain()], packs: [join(directory, "packs")] },
	);
	await rm(directory, { recursive: true });
});

test.run();
