import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type JsonObject } from "../contract/index.ts";
import { createId } from "../engine/ids.ts";
import { mask } from "../engine/mask.ts";
import { assertNoStall } from "./loop-watch.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "./service.test-support.ts";

/** A pattern that takes for ever on this name. */
const endless = "^(a+)+$";
const name = `${"a".repeat(40)}b`;

/** Answers with what it is given, which output schemas describe. */
const answer = defineRunner("answer", () => ({
	description: "Answers.",
	outputKey: "answer",
	capabilities: {},
	parameters: { value: { type: "object", default: {} } },
	run: async ({ runnerParameters: { value } }) => ({ succeeded: true, result: { answer: value } }),
}));

async function send({ ask }: ServiceUnderTest, path: string, body: unknown, method = "POST"): Promise<WireRecord> {
	const response = await ask(path, { method, body: JSON.stringify(body) });
	const record = (await response.json()) as WireRecord;
	assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${JSON.stringify(record)}`);
	return record;
}

async function list({ ask }: ServiceUnderTest, path: string): Promise<readonly WireRecord[]> {
	const response = await ask(path);
	assert.equal(response.status, 200, path);
	return (await response.json()) as readonly WireRecord[];
}

test("patterns of trigger types that would be searched for ever hold up no list, and what they may hide is masked", () =>
	withService(async (service) => {
		const box = { type: "object", patternProperties: { [endless]: { secret: true } } };
		await send(service, "/v1/triggertypes", { name: "slow", pack: "default", parameters_schema: { properties: { box } } });
		// Each name would take a while, and each trigger has many.
		const names = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [name + index, "s"]));
		for (let index = 0; index < 20; index++) {
			await send(service, "/v1/triggers", {
				name: `slow_${index}`,
				type: "default.slow",
				parameters: { box: { ...names, aa: index, b: index } },
			});
		}
		await list(service, "/v1/triggers");
		const triggers = await assertNoStall(service, async () => {
			const answers = await Promise.all(Array.from({ length: 10 }, () => list(service, "/v1/triggers")));
			return answers[0] ?? [];
		});
		const slow = triggers.filter(({ type }) => type === "default.slow");
		assert.equal(slow.length, 20);
		for (const { parameters } of slow) {
			const shown = (parameters as { box: JsonObject }).box;
			assert.deepEqual([shown[`${name}0`], shown["aa"]], [mask, mask]);
		}
		// Patterns that ordinary people write are still told apart.
		const plain = { type: "object", patternProperties: { "^x_(a|b)+$": { secret: true } } };
		await send(service, "/v1/triggertypes", { name: "plain", pack: "default", parameters_schema: { properties: { plain } } });
		const parameters = { plain: { x_ab: 1, y_ab: 2 } };
		await send(service, "/v1/triggers", { name: "plain", type: "default.plain", parameters });
		const shown = (await list(service, "/v1/triggers")).find(({ type }) => type === "default.plain");
		assert.deepEqual(shown?.["parameters"], { plain: { x_ab: mask, y_ab: 2 } });
	}));

test("patterns of actions that would be searched for ever hold up neither rules nor executions", () =>
	withService(async (service) => {
		const box = { type: "object", patternProperties: { [endless]: { type: "string", secret: true } } };
		await send(service, "/v1/actions", { name: "slow", runner_type: "speak", parameters: { box } });
		const trigger = { type: "core.svc.webhook", parameters: { url: "slow" } };
		const action = { ref: "default.slow", parameters: { box: { [name]: "a secret" } } };
		await send(service, "/v1/rules", { name: "slow", pack: "default", trigger, action, enabled: true });
		await assertNoStall(service, async () => {
			const [rule] = await list(service, "/v1/rules");
			assert.ok(rule !== undefined);
			assert.deepEqual((rule["action"] as WireRecord)["parameters"], { box: { [name]: mask } });
			await service.ask("/v1/executions", {
				method: "POST",
				body: JSON.stringify({ action: "default.slow", parameters: action.parameters }),
			});
		});
	}));

/** Schemas that nobody can judge; the service refuses them, yet older ones may have been stored. */
const malformed: readonly JsonObject[] = [
	{ allOf: { a: 1 } },
	{ type: "object", allOf: { a: 1 } },
	{ type: "object", anyOf: [null] },
	{ type: "object", properties: null },
	{ type: "object", properties: { a: null } },
	{ type: "object", properties: ["a"] },
	{ type: "object", patternProperties: { "(": { secret: true } } },
	{ type: "object", patternProperties: 5 },
	{ type: "object", additionalProperties: "no" },
	{ type: "object", properties: { a: { allOf: "x" } } },
	{ type: "object", secret: "yes" },
	{ $ref: "#/definitions/a", definitions: { a: { secret: true } } },
	{ type: "object", if: { required: ["a"] }, else: { properties: { a: { secret: true } } } },
	{ type: "object", properties: { a: JSON.parse(`${'{"allOf":['.repeat(1_000)}{"secret":true}${"]}".repeat(1_000)}`) as JsonObject } },
];

test("an output schema that was stored malformed hides the results it is for and harms nothing else", () =>
	withService(
		async (service) => {
			const value = { a: "hidden by a schema" };
			for (const [index, output_schema] of malformed.entries()) {
				await send(service, "/v1/actions", { name: `odd_${index}`, runner_type: "answer" });
				const [action] = await service.storage().find("action", { where: { ref: `default.odd_${index}` } });
				assert.ok(action !== undefined);
				const copy = {
					...action,
					id: createId({ now: () => Date.now() * 1_000 }),
					ref: `default.stored_${index}`,
					name: `stored_${index}`,
				};
				await service.storage().insert("action", [{ ...copy, output_schema }]);
				const { id } = await send(service, "/v1/executions", { action: copy.ref, parameters: { value } });
				assert.match(await service.ended(String(id)), /event: EOF/);
				const shown = await service.ask(`/v1/executions/${String(id)}`);
				assert.equal(shown.status, 200, JSON.stringify(output_schema).slice(0, 200));
				const record = (await shown.json()) as WireRecord;
				assert.equal(record["status"], "succeeded");
				assert.ok(!JSON.stringify(record["result"]).includes(value.a), JSON.stringify(output_schema).slice(0, 200));
			}
			assert.equal((await list(service, "/v1/executions")).length, malformed.length);
		},
		{ runners: [answer()] },
	));

test.run();
