import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Logger } from "../../core/contract/index.ts";
import { toHexId } from "../../core/features/telemetry/trace-context-cache.ts";
import { toTrace } from "../../core/features/traces/routes.ts";
import { withNodes } from "../../core/kernel/nodes/nodes.test-support.ts";
import { principal } from "../../core/testing/engine/engine.test-support.ts";
import { createRandom } from "../../core/testing/guarantees/random.test-support.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { type ServiceUnderTest, withService } from "../../core/testing/http/service.test-support.ts";
import { httpRequest } from "../../plugins-runner/http-request/index.ts";
import { injectTrigger } from "../../plugins-runner/inject-trigger/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { OpenTelemetry, openTelemetry } from "./index.ts";
import { parseOptions } from "./options.ts";
import { type ReceivedSpan, withReceiver } from "./receiver.test-support.ts";

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const remote = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";

interface Component {
	readonly object_id: string;
	readonly caused_by: { readonly type?: string; readonly id?: string };
}

interface TraceRecord {
	readonly id: string;
	readonly action_executions: readonly Component[];
	readonly rules: readonly Component[];
	readonly trigger_instances: readonly Component[];
}

async function send(service: ServiceUnderTest, path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
	const response = await service.ask(path, { method: "POST", body: JSON.stringify(body), headers });
	const text = await response.text();
	assert.ok(response.ok, text);
	return text;
}

async function prepare(service: ServiceUnderTest): Promise<void> {
	for (const name of ["first", "second"]) await send(service, "/v1/actions", { name, runner_type: "local-shell-cmd", parameters: {} });
	const hook = { type: "core.svc.webhook", parameters: { url: "begin" } };
	await send(service, "/v1/triggertypes", { name: "made", pack: "default" });
	const ended = { type: "core.svc.generic.actiontrigger" };
	const first = { "trigger.action_name": { type: "equals", pattern: "default.first" } };
	const rules = [
		["one", hook, {}, "first", "true"],
		["two", hook, { "trigger.body.n": { type: "greaterthan", pattern: 4 } }, "second", "exit 1"],
		["three", ended, first, "second", "echo done"],
		["broken", hook, { "trigger.body.n": { type: "greaterthan", pattern: 7 } }, "second", "{{ nothing.there }}"],
		["made", { type: "default.made" }, {}, "second", "echo made"],
	] as const;
	const injected = { trigger: "default.made", payload: {} };
	await send(service, "/v1/rules", {
		...{ name: "inject", pack: "default", enabled: true, trigger: hook, action: { ref: "core.inject_trigger", parameters: injected } },
		criteria: { "trigger.body.n": { type: "lessthan", pattern: 2 } },
	});
	for (const [name, trigger, criteria, action, cmd] of rules) {
		const body = { name, pack: "default", enabled: true, trigger, criteria, action: { ref: `default.${action}`, parameters: { cmd } } };
		await send(service, "/v1/rules", body);
	}
}

const running = ["requested", "scheduled", "delayed", "running"];

async function settled({ ask }: ServiceUnderTest): Promise<readonly TraceRecord[]> {
	const read = async (path: string) => (await (await ask(path)).json()) as readonly Record<string, unknown>[];
	let last = "";
	await until("everything comes to its end", 60, async () => {
		const executions = await read("/v1/executions?limit=-1&include_attributes=status");
		const instances = await read("/v1/triggerinstances?limit=-1");
		const now = JSON.stringify([executions.length, instances.length]);
		const isStill = now === last;
		last = now;
		const isOver = executions.every(({ status }) => !running.includes(String(status)));
		return isStill && isOver && instances.every(({ status }) => status === "processed") ? true : undefined;
	});
	return (await read("/v1/traces?limit=-1")) as unknown as readonly TraceRecord[];
}

/** `<what> <- <what has caused it>`, of everything that the traces of the API show. What a run has injected begins a trace of its own. */
function expected(traces: readonly TraceRecord[]): string[] {
	return traces
		.flatMap(({ id, action_executions, rules, trigger_instances }) => {
			const own = new Set(action_executions.map(({ object_id }) => object_id));
			return [
				...action_executions.map(({ object_id, caused_by }) => [id, object_id, caused_by.id]),
				...rules.map(({ object_id, caused_by }) => [id, `${object_id}:${caused_by.id}`, caused_by.id]),
				...trigger_instances.map(({ object_id, caused_by }) => [id, object_id, own.has(caused_by.id ?? "") ? caused_by.id : undefined]),
			];
		})
		.map(([trace, what, cause]) => `${trace}: ${what} <- ${cause ?? "outside"}`)
		.sort();
}

/** The same of spans. */
function seen(spans: readonly ReceivedSpan[]): string[] {
	const toKey = ({ attributes }: ReceivedSpan) => {
		if (attributes["svc.kind"] === "execution") return attributes["svc.execution.id"];
		const instance = attributes["svc.trigger_instance.id"];
		return attributes["svc.kind"] === "rule" ? `${attributes["svc.rule.id"]}:${instance}` : instance;
	};
	const keys = new Map(spans.map((span) => [`${span.traceId} ${span.spanId}`, toKey(span)]));
	const parent = ({ traceId, parentSpanId }: ReceivedSpan) => (parentSpanId && keys.get(`${traceId} ${parentSpanId}`)) || "outside";
	return spans.map((span) => `${span.attributes["svc.trace.id"]}: ${toKey(span)} <- ${parent(span)}`).sort();
}

test("generated cascades of events, rules, executions and children give the spans that the traces of the API show", async () => {
	for (const seed of [1, 2]) {
		await withReceiver(async ({ url, spans, bodies }) => {
			let shown: readonly TraceRecord[] = [];
			await withService(
				async (service) => {
					await prepare(service);
					const below = createRandom(seed);
					const executions: string[] = [];
					for (let step = 0; step < 12; step += 1) {
						const traceparent = below(3) === 0 ? { traceparent: `${remote}-01` } : {};
						if (below(2) === 0) {
							await send(service, "/v1/webhooks/begin", { n: below(10) }, traceparent as Record<string, string>);
							continue;
						}
						const parent = executions[below(executions.length + 2)];
						const context = parent === undefined ? {} : { context: { parent: { execution_id: parent } } };
						if (below(4) === 0) {
							await send(service, "/v1/executions", {
								action: "core.inject_trigger",
								parameters: { trigger: "default.made", payload: {} },
							});
							continue;
						}
						const body = { action: `default.${below(2) === 0 ? "first" : "second"}`, parameters: { cmd: "echo a-secret" }, ...context };
						executions.push(
							(JSON.parse(await send(service, "/v1/executions", body, traceparent as Record<string, string>)) as { id: string }).id,
						);
					}
					shown = await settled(service);
				},
				// What is left to send goes with the stop.
				{ telemetry: [openTelemetry({ url })], runners: [localCommand(), injectTrigger()] },
			);
			assert.ok(spans.length > 12, `seed ${seed}: ${spans.length} spans`);
			assert.deepEqual(seen(spans), expected(shown), `seed ${seed}`);
			for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans) assert.ok(BigInt(start) <= BigInt(end));
			assert.ok(!bodies.join("").includes("a-secret"), "neither parameters nor output");
		});
	}
});

test("a traceparent is continued, goes out to what runs, and says whether anything is recorded; what is none is ignored", async () => {
	await withReceiver(async ({ url, spans }) => {
		const printed: string[] = [];
		await withService(
			async (service) => {
				await prepare(service);
				for (const traceparent of [`${remote}-01`, `${remote}-00`, "no traceparent"]) {
					const body = { action: "default.first", parameters: { cmd: "echo $TRACEPARENT" } };
					const { id } = JSON.parse(await send(service, "/v1/executions", body, { traceparent })) as { id: string };
					await service.ended(id);
					const { result } = (await (await service.ask(`/v1/executions/${id}`)).json()) as { result: { stdout: string } };
					printed.push(result.stdout);
				}
				await settled(service);
			},
			{ telemetry: [openTelemetry({ url })], runners: [localCommand()] },
		);
		const [, recorded] = /^00-4bf92f3577b34da6a3ce929d0e0e4736-([0-9a-f]{16})-01$/.exec(printed[0] ?? "") ?? [];
		const span = spans.find(({ spanId }) => spanId === recorded);
		assert.equal(span?.parentSpanId, "00f067aa0ba902b7");
		assert.equal(span?.name, "default.first");
		assert.match(printed[1] ?? "", /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/);
		const [, own, ownSpan] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(printed[2] ?? "") ?? [];
		assert.ok(own !== undefined && own !== "4bf92f3577b34da6a3ce929d0e0e4736");
		assert.equal(spans.find(({ spanId }) => spanId === ownSpan)?.parentSpanId || undefined, undefined);
		// Of the one that is not to be recorded nothing has come, nor of what the rule on its end has started.
		assert.equal(spans.filter(({ name }) => name === "default.first").length, 2);
	});
});

test("what an HTTP request of an action brings about stands below the action, also in a trace of its own", async () => {
	await withReceiver(async ({ url, spans }) => {
		await withService(
			async (service) => {
				await prepare(service);
				const called = { method: { type: "string" }, body: { type: "string" } };
				await send(service, "/v1/actions", { name: "call", runner_type: "http-request", parameters: called });
				const headers = { "x-auth-token": service.token, "content-type": "application/json" };
				const parameters = { url: `${service.urls.api}/v1/webhooks/begin`, method: "POST", headers, body: '{"n":3}' };
				await send(service, "/v1/executions", { action: "default.call", parameters });
				await settled(service);
			},
			{ telemetry: [openTelemetry({ url })], runners: [localCommand(), httpRequest()] },
		);
		const called = spans.find(({ name }) => name === "default.call");
		const event = spans.find(({ name }) => name.startsWith("core.") && name !== "default.call" && !name.includes("actiontrigger"));
		assert.deepEqual([event?.traceId, event?.parentSpanId], [called?.traceId, called?.spanId], spans.map(({ name }) => name).join());
		assert.ok(called !== undefined && event?.attributes["svc.trace.id"] !== called.attributes["svc.trace.id"]);
	});
});

for (const ratio of [1, 0.5]) {
	test(`cascades over two nodes give the spans of their traces, each trace whole or not at all, with the ratio ${ratio}`, async () => {
		await withReceiver(async ({ url, spans }) => {
			let shown: readonly TraceRecord[] = [];
			await withNodes(async ({ startNode, storage }) => {
				const start = () => startNode({ options: { telemetry: [openTelemetry({ url, ratio })] } });
				const nodes = [await start(), await start()] as const;
				const { engine } = nodes[0];
				await engine.triggers.types.create({ pack: "default", name: "made" });
				const action = { ref: "default.scripted", parameters: { lines: ["{{ trigger }}"] } };
				const common = { pack: "default", enabled: true, action };
				await engine.rules.create({ ...common, name: "first", trigger: { type: "default.made" } }, principal);
				const failed = { "trigger.status": { type: "equals", pattern: "failed" } };
				const ended = { type: "core.svc.generic.actiontrigger" };
				await engine.rules.create({ ...common, name: "again", trigger: ended, criteria: failed }, principal);
				for (let step = 0; step < 12; step += 1) {
					const node = nodes[step % 2] ?? nodes[0];
					if (step % 3 > 0) await node.engine.dispatcher.dispatch({ trigger: "default.made", payload: { n: step } });
					else await node.submit({ outcome: "fail" });
				}
				await until("everything comes to its end", 60, async () => {
					const open = await storage.count("execution", { end_timestamp: null });
					const waiting = await storage.count("trigger_instance", { status: { in: ["pending", "processing"] } });
					const made = await storage.count("execution", {});
					return open + waiting === 0 && made === 16 ? true : undefined;
				});
				const { items } = await engine.traces.list({}, { limit: 100, offset: 0 });
				shown = items.map((view) => toTrace(view) as unknown as TraceRecord);
			});
			assert.equal(shown.length, 12);
			const isSent = ({ id }: TraceRecord) => Number.parseInt(toHexId("trace", id, 32).slice(-8), 16) < ratio * 2 ** 32;
			assert.deepEqual(seen(spans), expected(shown.filter(isSent)));
		});
	});
}

test("a receiver that does not answer loses spans, and holds up neither runs nor the stop", async () => {
	let answer = () => {};
	const answered = new Promise<number>((resolve) => {
		answer = () => resolve(503);
	});
	await withReceiver(
		async ({ url }) => {
			const warnings: string[] = [];
			const telemetry = openTelemetry({ url, queue: 3 }).create();
			await telemetry.start?.({ logger: { ...silent, warn: (message: string) => void warnings.push(message) }, nodeId: "n" } as never);
			const span = { trace_id: "a".repeat(32), span_id: "b".repeat(16), parent_span_id: undefined, is_parent_remote: false };
			for (let count = 0; count < 10; count += 1) {
				telemetry.span?.({ ...span, name: "one", start: 1, end: 2, attributes: {}, failure: undefined });
			}
			assert.deepEqual(warnings, ["spans are dropped"]);
			answer();
			await telemetry.stop?.();
		},
		{ answer: () => answered },
	);
});

test("wrong options are refused by name, and without its package it says what is off", async () => {
	for (const [options, message] of [
		[{ url: "file:///etc" }, "url: must be a URL that begins with http:// or https://"],
		[{ headers: { a: 1 } }, "headers: must be an object of strings"],
		[{ queue: 0 }, "queue: must be a whole number from 1 to 100000"],
		[{ service_name: "" }, "service_name: must be a non-empty string"],
		[{ ratio: 2 }, "ratio: must be a number from 0 to 1"],
		[{ ratio: "1" }, "ratio: must be a number from 0 to 1"],
		[{ endpoint: "x" }, "endpoint: is not allowed; allowed are url, headers, service_name, ratio, queue"],
	] as const) {
		const check = new OpenTelemetry(options as never).check();
		await assert.rejects(check, (error) => isSvcError(error, "SVC_CONFIG") && error.message === message);
	}
	const warnings: { readonly package?: string }[] = [];
	const logger = { ...silent, warn: (_message: string, fields?: object) => void warnings.push(fields ?? {}) };
	await new OpenTelemetry({}, "no-such-package").start({ logger, nodeId: "n" });
	assert.equal(warnings[0]?.package, "no-such-package");
});

test("how much is sent stands in the options, else in the variables of the standard", () => {
	const ratioOf = (options: object, sampler?: string, share?: string) =>
		parseOptions(options, { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share }).ratio;
	assert.equal(ratioOf({}), 1);
	assert.equal(ratioOf({}, "parentbased_always_on", "0.1"), 1);
	assert.equal(ratioOf({}, "parentbased_always_off"), 0);
	assert.equal(ratioOf({}, "parentbased_traceidratio"), 1);
	assert.equal(ratioOf({}, "parentbased_traceidratio", "0.25"), 0.25);
	assert.equal(ratioOf({ ratio: 0.5 }, "parentbased_traceidratio", "0.25"), 0.5);
	const message = "OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1";
	for (const share of ["2", "-1", "much", "NaN"]) {
		const parse = () => ratioOf({}, "parentbased_traceidratio", share);
		assert.throws(parse, (error) => isSvcError(error, "SVC_CONFIG") && error.message === message);
	}
});

test("many spans that come at once are sent in the order in which they came, each once", async () => {
	await withReceiver(async ({ url, spans, bodies }) => {
		const telemetry = openTelemetry({ url }).create();
		await telemetry.start?.({ logger: silent, nodeId: "n" } as never);
		const toId = (number: number) => number.toString(16).padStart(16, "0");
		const ids = Array.from({ length: 2_000 }, (_, number) => toId(number));
		const span = { trace_id: "a".repeat(32), parent_span_id: undefined, is_parent_remote: false, start: 1, end: 2, failure: undefined };
		for (const span_id of ids) telemetry.span?.({ ...span, span_id, name: `Größe ${span_id}`, attributes: { "svc.kind": "execution" } });
		await telemetry.stop?.();
		assert.deepEqual(
			spans.map(({ spanId, name }) => [spanId, name]),
			ids.map((id) => [id, `Größe ${id}`]),
		);
		// Not a request for each, and none that a receiver would refuse.
		assert.equal(bodies.length, 4);
	});
});

test.run();
