import * as assert from "node:assert/strict";
import { test } from "uvu";
import {
	type AuthBackendPlugin,
	defineAuthBackend,
	defineEventBus,
	defineRunner,
	type JsonObject,
	type JsonValue,
	type Runner,
	type RunnerPlugin,
} from "../../contract/index.ts";
import { startEngine } from "../../testing/engine/engine.test-support.ts";
import { deafBus } from "../../testing/engine/shared-bus.test-support.ts";

const begin = { description: "Answers wrongly.", capabilities: { streaming: true } } as const;
const parameters = { text: { type: "string", default: "word" }, count: { type: "integer", default: 1 } } as const;
const done = { succeeded: true, result: {} };

/** An object in an object, so many times. */
function nested(depth: number): JsonObject {
	let value: JsonObject = {};
	for (let level = 1; level < depth; level++) value = { value };
	return value;
}
const circular: Record<string, JsonValue> = {};
circular["self"] = circular;

const odd = (run: Runner<typeof parameters>["run"]) => defineRunner("odd", () => ({ ...begin, parameters, run }))();

// What the compiler refuses, and the record of the execution names in plain JavaScript.
const runners: readonly (readonly [message: RegExp, make: () => RunnerPlugin])[] = [
	// @ts-expect-error a result says whether it succeeded
	[/runner "odd" resolved without "succeeded": .*; hint: return/, () => odd(async () => ({ result: {} }))],
	// @ts-expect-error a result holds a result
	[/resolved without an object as "result"; hint: return/, () => odd(async () => ({ succeeded: true }))],
	// @ts-expect-error a run ends with a result
	[/resolved without "succeeded"/, () => odd(async () => undefined)],
	// @ts-expect-error output goes to one of three channels
	[/unknown output type "stdoot"; hint: use one of stdout, stderr, other/, () => odd(({ emit }) => emit("stdoot", "x").then(() => done))],
	// @ts-expect-error output is text
	[/emit: output must be a string, not number/, () => odd(({ emit }) => emit("stdout", 5).then(() => done))],
	[
		/the result of the action cannot be recorded: it is nested deeper than 500 levels/,
		() => odd(async () => ({ ...done, result: nested(50_000) })),
	],
	[/the result of the action cannot be recorded: it is nested deeper/, () => odd(async () => ({ ...done, result: nested(600) }))],
	[/the result of the action cannot be recorded: it cannot be written as JSON/, () => odd(async () => ({ ...done, result: circular }))],
	[
		/the argument of setRunnerInfo cannot be recorded: it cannot be written as JSON/,
		() =>
			odd(async ({ setRunnerInfo }) => {
				setRunnerInfo(circular);
				return done;
			}),
	],
	[
		/the argument of announce cannot be recorded: it is nested deeper/,
		() =>
			odd(async ({ announce }) => {
				announce("route", nested(600));
				return done;
			}),
	],
	// @ts-expect-error a text has no decimals
	[/toFixed is not a function/, () => odd(async ({ runnerParameters: { text } }) => ({ ...done, result: { value: text.toFixed() } }))],
	// @ts-expect-error an integer is not trimmed
	[/trim is not a function/, () => odd(async ({ runnerParameters: { count } }) => ({ ...done, result: { value: count.trim() } }))],
];

for (const [message, make] of runners) {
	test(`an execution says what its runner has answered wrongly: ${message.source}`, async () => {
		const { engine, submit, settled, stop } = await startEngine({ runners: [make()] });
		try {
			await engine.actions.create({ name: "odd", runner_type: "odd" });
			const { status, result } = await settled((await submit({}, { action: "default.odd" })).id);
			assert.equal(status, "failed");
			assert.match(String(result?.["error"]), message);
		} finally {
			await stop();
		}
	});
}

const backends: readonly (readonly [given: string, make: () => AuthBackendPlugin])[] = [
	// @ts-expect-error a yes is an identity
	["true", () => defineAuthBackend("odd", () => ({ authenticate: async () => true }))()],
	// @ts-expect-error a no is undefined
	["false", () => defineAuthBackend("odd", () => ({ authenticate: async () => false }))()],
	// @ts-expect-error an identity has a name
	["a value that is not an identity", () => defineAuthBackend("odd", () => ({ authenticate: async () => ({ name: "ann" }) }))()],
];

for (const [given, make] of backends) {
	test(`an auth backend that answers with ${given} lets nobody in, and is named`, async () => {
		const { engine, stop } = await startEngine({ options: { auth: { enable: true, backend: make() } } });
		try {
			await assert.rejects(engine.credentials.signIn({ username: "ann", password: "secret" }, { signal: new AbortController().signal }), {
				code: "SVC_UNAVAILABLE",
				message: new RegExp(`^auth\\.backend: .* returned ${given}; hint: return { username }`),
			});
		} finally {
			await stop();
		}
	});
}

const iterable = async function* () {};
const bus = deafBus().create();

test("an event bus whose subscribe gives no promise is refused at the start", async () => {
	// @ts-expect-error whoever subscribes waits until it is active
	const eventBus = defineEventBus("odd", () => ({ ...bus, subscribe: () => iterable() }))();
	await assert.rejects(startEngine({ eventBus }), {
		code: "SVC_CONFIG",
		message: /^event_bus: subscribe must return a promise.*; hint: async subscribe/,
	});
});

test("an event bus whose subscribe resolves with nothing to read is refused at the start", async () => {
	// @ts-expect-error a subscription is read
	const eventBus = defineEventBus("odd", () => ({ ...bus, subscribe: async () => undefined }))();
	await assert.rejects(startEngine({ eventBus }), {
		code: "SVC_CONFIG",
		message: /^event_bus: subscribe must resolve with an async iterable.*; hint: async subscribe/,
	});
});

test.run();
