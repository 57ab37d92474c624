// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type JsonObject } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { createId } from "../kernel/basics/ids.ts";
import { assertNoStall } from "../testing/http/loop-watch.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../testing/http/service.test-support.ts";

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
			assert.deepEqual([shown[`${name}0`], shown["aa"]], [secretMask, secretMask]);
		}
		// Patterns that ordinary people write are still told apart.
		const plain = { type: "object", patternProperties: { "^x_(a|b)+$": { secret: true } } };
		await send(service, "/v1/triggertypes", { name: "plain", pack: "default", parameters_schema: { properties: { plain } } });
		const parameters = { plain: { x_ab: 1, y_ab: 2 } };
		await send(service, "/v1/triggers", { name: "plain", type: "default.plain", parameters });
		const shown = (await list(service, "/v1/triggers")).find(({ type }) => type === "default.plain");
		assert.deepEqual(shown?.["parameters"], { plain: { x_ab: secretMask, y_ab: 2 } });
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
			assert.deepEqual((rule["action"] as WireRecord)["parameters"], { box: { [name]: secretMask } });
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

/** Members of a trigger type's schema that are of no use, and the place that the refusal names. */
const refused: readonly (readonly [schema: unknown, place: RegExp])[] = [
	[{ properties: null }, /\.properties: must be an object/],
	[{ properties: { a: null } }, /\.properties\.a: must be a definition/],
	[{ items: null }, /\.items: must be a definition/],
	[{ items: [5] }, /\.items\.0: must be a definition/],
	[{ allOf: { a: 1 } }, /\.allOf: must be a list/],
	[{ anyOf: [null] }, /\.anyOf\.0: must be a definition/],
	[{ oneOf: "x" }, /\.oneOf: must be a list/],
	[{ not: [] }, /\.not: must be a definition/],
	[{ additionalProperties: 5 }, /\.additionalProperties: must be/],
	[{ patternProperties: [] }, /\.patternProperties: must be/],
	[{ patternProperties: { "(": {} } }, /\.patternProperties: must have regular expressions/],
	[{ properties: { a: { pattern: "(" } } }, /\.properties\.a\.pattern: must be a regular expression/],
	[{ properties: { a: { secret: "yes" } } }, /\.properties\.a\.secret: must be true or false/],
	[{ properties: { a: { type: "text" } } }, /\.properties\.a\.type: must be one/],
	[{ properties: { a: { minLength: -1 } } }, /\.properties\.a\.minLength: must be/],
	[{ required: [5] }, /\.required: must be/],
	[{ $ref: "http://example.com/schema" }, /\.\$ref: must be/],
	[{ $ref: "#/gone" }, /is not a valid schema/],
	[{ if: null }, /\.if: must be a definition/],
	[
		{ properties: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`a${index}`, { minLength: 1 }])) },
		/more than 1000 definitions/,
	],
	[JSON.parse(`${'{"items":'.repeat(150)}{}${"}".repeat(150)}`), /nested deeper than 100 levels/],
];

test("schemas that could not be used are refused where they come in, and the place is named", () =>
	withService(async ({ ask }) => {
		const fault = async (path: string, body: object, method = "POST") => {
			const response = await ask(path, { method, body: JSON.stringify(body) });
			return { status: response.status, text: String(((await response.json()) as WireRecord)["faultstring"]) };
		};
		await ask("/v1/triggertypes", { method: "POST", body: JSON.stringify({ name: "good", pack: "default" }) });
		for (const [schema, place] of refused) {
			const label = JSON.stringify(schema).slice(0, 200);
			for (const field of ["payload_schema", "parameters_schema"]) {
				for (const [path, name, method] of [
					["/v1/triggertypes", "bad", "POST"],
					["/v1/triggertypes/default.good", "good", "PUT"],
				] as const) {
					const { status, text } = await fault(path, { name, pack: "default", [field]: schema }, method);
					assert.equal(status, 400, `${method} ${field} ${label}: ${text}`);
					assert.ok(text.startsWith(field) && place.test(text), `${label}: ${text}`);
				}
			}
			const whole = { name: "bad", runner_type: "speak", output_schema: { type: "object", ...(schema as object) } };
			const { status, text } = await fault("/v1/actions", whole);
			assert.equal(status, 400, `output_schema ${label}`);
			assert.ok(text.startsWith("output_schema") && place.test(text), `${label}: ${text}`);
		}
	}));

test("no schema changes how others are checked, or ends the process", () =>
	withService(async (service) => {
		const attacks: readonly JsonObject[] = [
			{ $async: true, required: ["x"] },
			{ $id: "http://json-schema.org/draft-07/schema#", properties: { a: { type: "number" } } },
			{ $id: "http://json-schema.org/draft-07/schema", properties: { a: { type: "number" } } },
			{ properties: { a: { $id: "http://json-schema.org/draft-07/schema", type: "number" } } },
			{ properties: { a: { not: { $id: "#x", $async: true, type: "number" } } } },
		];
		for (const [index, parameters_schema] of attacks.entries()) {
			await service.ask("/v1/triggertypes", {
				method: "POST",
				body: JSON.stringify({ name: `odd_${index}`, pack: "default", parameters_schema }),
			});
			const odd = { name: `odd_${index}`, type: `default.odd_${index}`, parameters: { a: "x" } };
			assert.ok((await service.ask("/v1/triggers", { method: "POST", body: JSON.stringify(odd) })).status < 500);
			const schema = { properties: { [`b${index}`]: { type: "number", minimum: index } } };
			await send(service, "/v1/triggertypes", { name: `good_${index}`, pack: "default", parameters_schema: schema });
			await send(service, "/v1/triggers", { name: `good_${index}`, type: `default.good_${index}`, parameters: { [`b${index}`]: index } });
		}
	}));

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
