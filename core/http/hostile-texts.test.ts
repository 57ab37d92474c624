// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { actionChain } from "../../plugins-runner/action-chain/index.ts";
import { workflow } from "../../plugins-runner/workflow/index.ts";
import { assertNoStall } from "../testing/http/loop-watch.test-support.ts";
import { type ServiceUnderTest, speak, withService } from "../testing/http/service.test-support.ts";

/** Texts and definitions that take long to read are refused, with the limit, or read without holding up others. */

interface Asked {
	readonly path: string;
	readonly body: string;
	/** What the answer must say. */
	readonly says: RegExp;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

async function send({ ask }: ServiceUnderTest, { path, body }: Omit<Asked, "says">): Promise<string> {
	const headers = { "content-type": path.startsWith("/v1/workflows") ? "text/plain" : "application/json" };
	const response = await ask(path, { method: "POST", body, headers });
	return `${response.status} ${await response.text()}`;
}

/** Asks for each without holding up others. The bodies are made before, since that takes time of the same process. */
async function askAll(service: ServiceUnderTest, asked: readonly Asked[]): Promise<void> {
	for (const each of asked) {
		const answer = await assertNoStall(service, () => send(service, each));
		assert.match(answer.slice(0, 1_000), each.says);
	}
}

const run = (lines: unknown, says: RegExp): Asked => ({
	path: "/v1/executions",
	body: JSON.stringify({ action: "default.speak", parameters: { lines } }),
	says,
});

let rules = 0;
const rule = (more: object, says: RegExp): Asked => {
	rules += 1;
	const [name, trigger] = [`rule_${rules}`, { type: "core.svc.webhook", parameters: { url: `url_${rules}` } }];
	return {
		path: "/v1/rules",
		body: JSON.stringify({ name, pack: "default", trigger, criteria: {}, action: { ref: "default.speak" }, ...more }),
		says,
	};
};

test("templates that take long to read are refused with the limit", () => {
	const sum = `{{ ${"1+".repeat(1_500_000)}1 }}`;
	const tooLarge = /^400 .*lines.*more than 10000 names, numbers, strings, operators and tags/;
	const togetherTooLarge = /^400 .*lines.*together have more than 12000/;
	return withService((service) =>
		askAll(service, [
			run([sum], tooLarge),
			run(["{% if a %}{% endif %}".repeat(60_000)], tooLarge),
			run([`{{ '${"\\n".repeat(500_000)}' }}`], tooLarge),
			run([`${"{{ word ".repeat(150_000)}}}`], tooLarge),
			run(
				times(60_000, (index) => `{{ ${index} }}`),
				togetherTooLarge,
			),
			rule({ action: { ref: "default.speak", parameters: { lines: [sum] } } }, tooLarge),
			rule(
				{ action: { ref: "default.speak", parameters: { lines: times(60_000, (index) => `{{ trigger.a${index} }}`) } } },
				togetherTooLarge,
			),
			rule({ criteria: { "trigger.a": { type: "equals", pattern: sum } } }, /^400 .*criteria.*more than 10000 names/),
		]),
	);
});

test("large texts with few templates, and many small templates, are rendered", () =>
	withService(async (service) => {
		const page = `{{ 1 + 1 }}${"a line of text\n".repeat(60_000)}{{ 2 + 1 }}`;
		const prose = "{{ these braces open and nothing closes them ".repeat(50_000);
		const many = times(1_500, (index) => `{{ ${index} }}`);
		await askAll(service, [run([page], /^201 .*2a line/s), run([prose], /^201/), run(many, /^201/)]);
		const answer = JSON.parse((await send(service, run([page, many[7]], /./))).slice(4)) as { parameters: { lines: string[] } };
		assert.equal(answer.parameters.lines[0]?.slice(0, 8), "2a line ");
		assert.equal(answer.parameters.lines[1], "7");
	}));

test("bodies with very many whole numbers beyond 2^53 are refused, and thousands are kept exactly", () =>
	withService(async (service) => {
		const ids = (count: number) => ({
			path: "/v1/executions",
			body: `{"action":"default.speak","parameters":{"lines":[${Array(count).fill("9007199254740993")}]}}`,
		});
		await askAll(service, [{ ...ids(100_000), says: /^400 .*at most 2500 integers beyond/ }]);
		const answer = await assertNoStall(service, () => send(service, ids(2_000)));
		assert.ok(answer.split("9007199254740993").length > 2_000);
	}));

const named = (count: number, make: (index: number) => unknown) => Object.fromEntries(times(count, (index) => [`a${index}`, make(index)]));
const text = { type: "string" };
let actions = 0;
const action = (more: object, says: RegExp): Asked => {
	actions += 1;
	return { path: "/v1/actions", body: JSON.stringify({ name: `action_${actions}`, runner_type: "speak", ...more }), says };
};

test("definitions and criteria with too many values are refused with the limit", () =>
	withService((service) =>
		askAll(service, [
			action(
				{ parameters: { a: { type: "object", properties: named(30_000, () => text) } } },
				/^400 .*parameters: must have at most 10000 values/,
			),
			action(
				{ parameters: { a: { type: "object", patternProperties: named(30_000, () => text) } } },
				/^400 .*parameters: must have at most 10000/,
			),
			action({ parameters: { a: { type: "string", enum: times(100_000, String) } } }, /^400 .*parameters: must have at most 10000 values/),
			action({ output_schema: { type: "object", properties: named(30_000, () => text) } }, /^400 .*output_schema: must have at most 10000/),
			rule({ criteria: named(20_000, () => ({ type: "regex", pattern: "^a" })) }, /^400 .*criteria: must have at most 2000 values/),
			{
				path: "/v1/triggertypes",
				body: JSON.stringify({ name: "t", pack: "default", payload_schema: { type: "object", properties: named(30_000, () => text) } }),
				says: /^400 .*payload_schema: must have at most 10000 values/,
			},
		]),
	));

test("large honest definitions and criteria are accepted", () =>
	withService(async (service) => {
		for (const each of [
			action({ parameters: named(300, () => ({ type: "string", description: "text", default: "a", enum: ["a", "b"] })) }, /^201/),
			action({ parameters: { a: { type: "string", enum: times(3_000, String) } } }, /^201/),
			rule({ criteria: named(300, () => ({ type: "regex", pattern: "^a" })) }, /^201/),
		])
			assert.match((await send(service, each)).slice(0, 300), each.says);
	}));

test("large definitions are inspected without holding up others", () =>
	withService(
		async (service) => {
			const inspect = (body: string, says: RegExp, runner = "workflow"): Asked => ({
				path: `/v1/workflows/inspect?runner=${runner}`,
				body,
				says,
			});
			const lines = times(
				1_000,
				(index) => `  t${index}: {action: default.speak, input: {x: <% ctx(a) + ${index} %>}, next: [{do: t${index + 1}}]}\n`,
			);
			const nodes = times(300, (index) => ({
				name: `n${index}`,
				ref: "default.speak",
				"on-success": `n${index + 1}`,
				parameters: { a: `{{ b${index} }}` },
			}));
			await askAll(service, [
				inspect(
					`input: [a]\ntasks:\n${lines.join("")}  t400: {action: default.none}\n`,
					/^200 .*The action \\"default.none\\" is not registered/,
				),
				inspect(`tasks: {a: {action: default.speak, input: {x: [${"1,".repeat(20_000)}]}}}`, /^200 \[/),
				inspect(`a: [${"{],".repeat(8_000)}`, /^200 \[.*syntax/),
				inspect(`tasks: {a: {action: default.speak, input: {x: "<% ${"1+".repeat(90_000)}1 %>"}}}`, /^200 .*more than 10000 names/),
				inspect(JSON.stringify({ chain: nodes }), /^200 .*unexpected input/, "action-chain"),
			]);
		},
		{ runners: [speak(), workflow(), actionChain()] },
	));

test("lists of tags and of a policy's attributes have a limit", () =>
	withService((service) => {
		const tags = times(50_000, (index) => ({ name: `t${index}`, value: "v" }));
		const action = { name: "tagged", pack: "default", runner_type: "speak", tags };
		const attributes = times(50_000, (index) => `a${index}`);
		const policy = { name: "many", pack: "default", resource_ref: "default.speak", policy_type: "action.concurrency.attr" };
		return askAll(service, [
			{ path: "/v1/actions", body: JSON.stringify(action), says: /^400 .*tags: must NOT have more than 1000 items/ },
			rule({ tags }, /^400 .*tags: must NOT have more than 1000 items/),
			{
				path: "/v1/policies",
				body: JSON.stringify({ ...policy, parameters: { threshold: 1, attributes } }),
				says: /^400 .*attributes.*100 items/,
			},
		]);
	}));

test.run();
