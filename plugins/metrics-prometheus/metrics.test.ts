import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Logger } from "../../core/contract/index.ts";
import { type TestNode, withNodes } from "../../core/kernel/nodes/nodes.test-support.ts";
import { principal } from "../../core/testing/engine/engine.test-support.ts";
import { withService } from "../../core/testing/http/service.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { PrometheusMetrics, prometheusMetrics } from "./index.ts";
import { promtool, readSeries, send, until } from "./metrics.test-support.ts";

const { test: promtoolTest } = requires(test, { command: "promtool" });
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const definition = { name: "svc_test_total", help: "A test.", labels: ["status", "action"], openLabels: ["action"] };

/** The exposition of a service in which something has happened of everything that is measured. */
async function drive(): Promise<string> {
	let exposition = "";
	await withService(
		async (service) => {
			await send(service, "/v1/actions", { name: "greet", runner_type: "local-shell-cmd", parameters: {} });
			await send(service, "/v1/rules", {
				...{ name: "on-hook", pack: "default", enabled: true },
				trigger: { type: "core.svc.webhook", parameters: { url: "seen" } },
				action: { ref: "default.greet", parameters: { cmd: "echo Grüße" } },
			});
			const leaving = new AbortController();
			const following = await fetch(`${service.urls.stream}/v1/stream`, {
				headers: { "x-auth-token": service.token },
				signal: leaving.signal,
			});
			await send(service, "/v1/webhooks/seen", { a: 1 });
			const refused = await service.ask("/v1/webhooks/seen", { method: "POST", body: '"a text"' });
			assert.equal(refused.status, 400);
			for (const cmd of ["exit 3", "kill -9 $PPID"]) {
				const { id } = await send(service, "/v1/executions", { action: "default.greet", parameters: { cmd } });
				await service.ended(String(id));
			}
			exposition = await until(async () => {
				const response = await service.ask("/v1/metrics");
				const told = await response.text();
				assert.equal(response.status, 200, told);
				const ended = readSeries(told, 'svc_executions_total{status="succeeded",runner="local-shell-cmd",action="default.greet"}');
				return ended === 1 && readSeries(told, "svc_stream_bytes_total") > 0 ? told : undefined;
			});
			leaving.abort();
			await following.body?.cancel().catch(() => {});
		},
		{ telemetry: [prometheusMetrics()], runners: [localCommand()] },
	);
	return exposition;
}

let hostile = "";
let driven: Promise<string> | undefined;
/** Once for all tests. */
const exposed = () => (driven ??= drive());

test("executions, events, rules, webhooks, streams, storage, bus and process are measured as they happen", async () => {
	const told = await exposed();
	const is = (series: string, value: number) => assert.equal(readSeries(told, series), value, series);
	is('svc_executions_created_total{runner="local-shell-cmd"}', 3);
	is('svc_executions_total{status="failed",runner="local-shell-cmd",action="default.greet"}', 2);
	is('svc_execution_duration_seconds_count{runner="local-shell-cmd"}', 3);
	is('svc_execution_wait_seconds_count{runner="local-shell-cmd"}', 3);
	// The ü has two bytes in UTF-8, and so has the ß.
	is('svc_output_bytes_total{type="stdout"}', 8);
	is('svc_trigger_instances_total{outcome="acted"}', 1);
	is('svc_trigger_instances_total{outcome="pending"}', 0);
	is("svc_trigger_instance_processing_seconds_count", 1);
	is("svc_rule_matches_total", 1);
	is('svc_rule_enforcements_total{status="succeeded"}', 1);
	is('svc_webhook_deliveries_total{outcome="accepted"}', 1);
	is('svc_webhook_deliveries_total{outcome="refused"}', 1);
	is("svc_stream_followers", 1);
	is("svc_executions_held", 0);
	// What the launcher was killed by may have been quicker than the word that it had started.
	const started = readSeries(told, 'svc_processes_total{outcome="started"}');
	assert.ok(started === 2 || started === 3, String(started));
	is('svc_processes_total{outcome="failed"}', 3 - started);
	is("svc_process_start_duration_seconds_count", started);
	is("svc_process_starts_waiting", 0);
	is("svc_processes_running", 0);
	// The parent of the one that was killed for it.
	is("svc_process_launcher_losses_total", 1);
	is('svc_executions_open{status="running"}', 0);
	is('svc_http_requests_total{method="POST",route="/webhooks/**:url",status="202"}', 1);
	for (const series of [
		'svc_claims_total{kind="execution",outcome="reserved"}',
		'svc_storage_statement_duration_seconds_count{method="write"}',
		'svc_bus_events_published_total{event="svc.execution__update"}',
		'svc_bus_events_received_total{event="svc.execution__update"}',
		"svc_stream_pieces_total",
		"process_cpu_seconds_total",
		'nodejs_eventloop_lag_seconds{percentile="99"}',
	]) {
		assert.ok(readSeries(told, series) > 0, series);
	}
});

promtoolTest("promtool finds nothing wrong with what is told", async () => {
	const { code, said } = await promtool(["check", "metrics"], await exposed());
	assert.deepEqual([code, said], [0, ""]);
});

test("no label holds what a caller has written, and none an id", async () => {
	const told = await exposed();
	for (const word of ["seen", "on-hook", "exit 3", "admin"]) assert.ok(!told.includes(word), word);
	assert.ok(!/[0-9a-f]{24}/.test(told.replace(/ [0-9.e+-]+$/gm, "")), "an id");
});

test("what nodes tell of themselves adds up, and what they tell of the whole service is the same from each", () =>
	withNodes(async ({ startNode }) => {
		const start = () => startNode({ runners: [noop()], options: { telemetry: [prometheusMetrics({ process: false })] } });
		const nodes = [await start(), await start()];
		await nodes[0]?.engine.actions.create({ name: "nothing", runner_type: "noop" });
		const count = 12;
		const ids: string[] = [];
		for (let index = 0; index < count; index += 1) {
			const { id } = await (nodes[index % 2] as TestNode).submit({ lines: ["one"] });
			ids.push(id);
		}
		// What is stored as it has ended counts once as well.
		for (let index = 0; index < 3; index += 1) await nodes[0]?.submit({}, { action: "default.nothing" });
		const waiting = await (nodes[0] as TestNode).submit({ outcome: "hang" });
		for (const id of ids) await nodes[0]?.settled(id);
		await nodes[0]?.settled(waiting.id, "running");
		const told = await Promise.all(nodes.map(async ({ engine }) => (await engine.telemetry.expose())?.text ?? ""));
		const sum = (series: string) => told.reduce((total, text) => total + readSeries(text, series), 0);
		assert.equal(sum('svc_executions_created_total{runner="scripted"}'), count + 1);
		assert.equal(sum('svc_executions_total{status="succeeded",runner="scripted",action="default.scripted"}'), count);
		assert.equal(sum('svc_execution_duration_seconds_count{runner="scripted"}'), count);
		assert.equal(sum('svc_output_chunks_total{type="stdout"}'), count);
		assert.equal(sum('svc_executions_created_total{runner="noop"}'), 3);
		assert.equal(sum('svc_executions_total{status="succeeded",runner="noop",action="default.nothing"}'), 3);
		assert.equal(sum('svc_execution_wait_seconds_count{runner="noop"}'), 3);
		assert.equal(sum("svc_executions_held"), 1);
		for (const text of told) {
			assert.ok(readSeries(text, 'svc_executions_created_total{runner="scripted"}') > 0, "each of its own");
			assert.equal(readSeries(text, 'svc_executions_open{status="running"}'), 1);
			// The help text tells readers not to sum the gauge over nodes.
			const [, help] = /^# HELP svc_executions_open (.*)$/m.exec(text) ?? [];
			assert.match(String(help), /whole service/);
		}
		await nodes[0]?.engine.executions.cancel(waiting.id, principal);
	}));

test("hostile names of actions neither grow what is told beyond its bounds nor break its form", async () => {
	const telemetry = prometheusMetrics({ label_values: 5, process: false }).create();
	await telemetry.start?.({ logger: silent } as never);
	const counter = telemetry.meters?.()?.counter(definition);
	const few = telemetry.meters?.()?.histogram({ name: "svc_test_seconds", help: "A test.", labels: ["kind"], buckets: [1] });
	for (const odd of ['a"b', "a\nb", "a\\", "a}b", "\u0000", "__proto__", "constructor", ""]) counter?.record(1, "failed", odd);
	for (let count = 0; count < 5_000; count += 1) {
		counter?.record(1, "failed", `a.${count}`);
		few?.record(0.5, `kind-${count}`);
	}
	for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY]) counter?.record(value, "failed", "a.0");
	few?.record(Number.NaN, "kind-1");
	const { text = "" } = (await telemetry.expose?.()) ?? {};
	const series = text.split("\n").filter((line) => line.startsWith("svc_test_total"));
	assert.equal(series.length, 6);
	assert.equal(
		series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0),
		5_008,
	);
	assert.equal(text.match(/^svc_test_seconds_count/gm)?.length, 1_001);
	assert.match(text, /^svc_test_seconds_bucket\{kind="other",le="\+Inf"\} 4000$/m);
	await telemetry.stop?.();
	hostile = text;
});

promtoolTest("promtool finds nothing wrong with hostile names", async () => {
	const { code, said } = await promtool(["check", "metrics"], hostile);
	assert.deepEqual([code, said], [0, ""]);
});

test("of labels with many values so many are told by name as the configuration says, and the rest together", async () => {
	const telemetry = prometheusMetrics({ label_values: 2, process: false }).create();
	await telemetry.start?.({ logger: silent } as never);
	const counter = telemetry.meters?.()?.counter(definition);
	for (const action of ["a.one", "a.two", "a.three", "a.four", "a.one"]) counter?.record(1, "failed", action);
	const { text = "" } = (await telemetry.expose?.()) ?? {};
	const series = text.split("\n").filter((line) => line.startsWith("svc_test_total"));
	assert.deepEqual(series, [
		'svc_test_total{status="failed",action="a.one"} 2',
		'svc_test_total{status="failed",action="a.two"} 1',
		'svc_test_total{status="failed",action="other"} 2',
	]);
	await telemetry.stop?.();
});

test("wrong options are refused by name", async () => {
	for (const [options, message] of [
		[{ label_values: -1 }, "label_values: must be a whole number from 0 to 10000"],
		[{ label_values: "7" }, "label_values: must be a whole number from 0 to 10000"],
		[{ process: 1 }, "process: must be true or false"],
		[{ port: 1 }, "port: is not allowed; allowed are label_values, process"],
	] as const) {
		const check =
			prometheusMetrics(options as never)
				.create()
				.check?.({} as never) ?? Promise.resolve();
		await assert.rejects(check, (error) => isSvcError(error, "SVC_CONFIG") && error.message === message);
	}
});

test("without its package it says what is off, and the service works", async () => {
	const warnings: unknown[] = [];
	const logger = { ...silent, warn: (_message: string, fields?: object) => void warnings.push(fields) };
	const telemetry = new PrometheusMetrics({}, "no-such-package");
	await telemetry.start({ logger });
	const [warning] = warnings as { readonly package: string; readonly off: string; readonly install: string }[];
	assert.deepEqual([warning?.package, warning?.off, warning?.install], ["no-such-package", "metrics", "npm install no-such-package"]);
	assert.equal(telemetry.meters(), undefined);
	assert.equal(await telemetry.expose(), undefined);
	await withService(
		async (service) => {
			await service.ended(await service.speak({}));
			const response = await service.ask("/v1/metrics");
			assert.equal(response.status, 404);
			assert.match(await response.text(), /metrics are disabled/);
		},
		{ telemetry: [{ kind: "telemetry", name: "off", create: () => new PrometheusMetrics({}, "no-such-package") }] },
	);
});

test.run();
