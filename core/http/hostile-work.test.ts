import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../plugins-runner/inquirer/index.ts";
import { assertNoStall } from "../testing/http/loop-watch.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../testing/http/service.test-support.ts";

/** A pattern, and a text that it is searched in for ever. */
const endless = "^(a+)+$";
const text = `${"a".repeat(40)}b`;

async function post({ ask }: ServiceUnderTest, path: string, body: unknown, method = "POST") {
	const response = await ask(path, { method, body: JSON.stringify(body) });
	return { status: response.status, body: (await response.json()) as WireRecord };
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

/** Wait until what an answer tells is so. */
async function until(look: () => Promise<boolean>): Promise<void> {
	while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("all templates of a request share one budget, and many requests leave room for others", () =>
	withService(async (service) => {
		const slow = `{{ '${text}' | regex_search('${endless}') }}`;
		// Each of these searches is quick, and there are very many.
		const many = `{% for i in range(9000) %}{{ '${"a".repeat(90)}' | regex_search('.*.*x') }}{% endfor %}`;
		const yaml = `{% for i in range(3000) %}{{ '[${"1, ".repeat(100)}1]' | from_yaml_string | length }}{% endfor %}`;
		// Each of these is within its steps, and all together are not.
		const long = "{% for i in range(9000) %}{{ i }}{% endfor %}";
		const submit = (lines: readonly string[]) => post(service, "/v1/executions", { action: "default.speak", parameters: { lines } });
		// What is compiled at first use is compiled then.
		for (const line of [slow, many, yaml, long]) await submit([line]);
		for (const lines of [times(60, () => slow), times(20, () => many), [yaml], times(40, () => long)]) {
			const answers = await assertNoStall(service, () => Promise.all(times(5, () => submit(lines))));
			for (const { status, body } of answers) {
				assert.equal(status, 400);
				assert.match(String(body["faultstring"]), /lines.*(takes too long|together take too many steps)/);
			}
		}
		const { status, body } = await submit(times(60, () => "{{ 'release-1.2.3' | regex_search('^release-(\\d+\\.)+\\d+$') }}"));
		assert.equal(status, 201, JSON.stringify(body).slice(0, 300));
	}));

test("rules that search lists of an event for ever hold up neither other rules nor anybody else", () =>
	withService(async (service) => {
		const trigger = { type: "core.svc.webhook", parameters: { url: "lists" } };
		const addRule = (name: string, criteria: object) =>
			post(service, "/v1/rules", { name, pack: "default", trigger, criteria, action: { ref: "default.speak" }, enabled: true });
		const pattern = { "item.name": { type: "regex", pattern: endless } };
		const key = "trigger.body.items";
		for (const index of times(12, (index) => index)) {
			assert.equal((await addRule(`slow_${index}`, { [key]: { type: "search", condition: "any", pattern } })).status, 201);
		}
		const plain = { "item.name": { type: "regex", pattern: "^a+b$" } };
		assert.equal((await addRule("z_plain", { [key]: { type: "search", condition: "all", pattern: plain } })).status, 201);
		const deliver = () => post(service, "/v1/webhooks/lists", { items: times(30, () => ({ name: text })) });
		const started = async () =>
			((await (await service.ask("/v1/executions?limit=100")).json()) as WireRecord[]).filter(({ rule }) => rule !== undefined);
		await deliver();
		await until(async () => (await started()).length === 1);
		let delivered = 1;
		await assertNoStall(service, async () => {
			for (const { status } of await Promise.all(times(3, deliver))) assert.equal(status, 202);
			delivered += 3;
			await until(async () => (await started()).length === delivered);
		});
		for (const { rule } of await started()) assert.equal((rule as { name?: unknown }).name, "z_plain");
	}));

test("one answer is checked within one budget, whatever its schema is made of", () =>
	withService(
		async (service) => {
			await post(service, "/v1/actions", { name: "ask", runner_type: "inquirer" });
			const list = (items: object) => ({ type: "object", properties: { list: { type: "array", items } } });
			const bomb = Object.fromEntries(
				times(30, (index) => [`a${index}`, { allOf: [{ $ref: `#/$defs/a${index + 1}` }, { $ref: `#/$defs/a${index + 1}` }] }]),
			);
			const inquire = async (schema: object) => {
				const { body } = await post(service, "/v1/executions", { action: "default.ask", parameters: { schema } });
				const id = String(body["id"]);
				await until(async () => (await service.ask(`/v1/inquiries/${id}`)).status === 200);
				return id;
			};
			const slow: readonly (readonly [schema: object, response: object])[] = [
				[list({ not: { pattern: endless } }), { list: times(40, () => text) }],
				[list({ anyOf: times(40, () => ({ pattern: endless })) }), { list: [text] }],
				[
					{ type: "object", patternProperties: { [endless]: { type: "string" } } },
					Object.fromEntries(times(40, (index) => [text + index, "x"])),
				],
				[{ type: "object", $ref: "#/$defs/a0", $defs: { ...bomb, a30: { type: "object" } } }, {}],
			];
			for (const [schema, response] of slow) {
				const id = await inquire(schema);
				const answer = () => post(service, `/v1/inquiries/${id}`, { id, response }, "PUT");
				await answer();
				for (const { status, body } of await assertNoStall(service, () => Promise.all(times(4, answer)))) {
					assert.equal(status, 400, JSON.stringify(schema).slice(0, 100));
					assert.match(String(body["faultstring"]), /takes too long/);
				}
			}
			const unique = { type: "array", uniqueItems: true };
			const id = await inquire({ type: "object", properties: { unique, ...list({ pattern: "^(\\w+)-\\d+$" }).properties } });
			const rows = times(3_000, (index) => ({ index, text }));
			const refused = await assertNoStall(service, () =>
				post(service, `/v1/inquiries/${id}`, { id, response: { unique: [...rows, rows[7]] } }, "PUT"),
			);
			assert.equal(refused.status, 400);
			const answered = await post(
				service,
				`/v1/inquiries/${id}`,
				{ id, response: { unique: rows, list: times(40, (index) => `a-${index}`) } },
				"PUT",
			);
			assert.equal(answered.status, 200, JSON.stringify(answered.body).slice(0, 300));
		},
		{ runners: [inquirer()] },
	));

test.run();
