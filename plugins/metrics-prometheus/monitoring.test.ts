import * as assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { withService } from "../../core/testing/http/service.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { openTelemetry } from "../tracing-opentelemetry/index.ts";
import { prometheusMetrics } from "./index.ts";
import { promtool } from "./metrics.test-support.ts";

const { test: promtoolTest } = requires(test, { command: "promtool" });
const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFile(join(root, path), "utf8");

/** Names of everything that the service measures; of traces, too. */
async function readMeasured(): Promise<ReadonlySet<string>> {
	let told = "";
	await withService(
		async ({ ask }) => {
			told = await (await ask("/v1/metrics")).text();
		},
		{ telemetry: [prometheusMetrics(), openTelemetry({ url: "http://127.0.0.1:9/v1/traces" })], runners: [localCommand()] },
	);
	return new Set([...told.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name));
}

const toNames = (text: string) => new Set(text.match(/\b(?:svc|process|nodejs)_[a-z_]+(?<!_)\b/g) ?? []);
const withoutPart = (name: string) => name.replace(/_(?:bucket|sum|count)$/, "");

test("dashboard and alerts ask for nothing that is not measured, and the reference lists all of it and nothing else", async () => {
	const measured = await readMeasured();
	assert.ok(measured.size > 30);
	for (const path of ["examples/monitoring/dashboard.json", "examples/monitoring/alerts.yml", "docs/guides/monitoring.md"]) {
		const unknown = [...toNames(await read(path))].filter((name) => !measured.has(name) && !measured.has(withoutPart(name)));
		assert.deepEqual(unknown, [], path);
	}
	const listed = toNames(
		(await read("docs/reference/metrics.md"))
			.split("\n")
			.filter((line) => line.startsWith("| `"))
			.join("\n"),
	);
	assert.deepEqual(
		[...measured].filter((name) => !listed.has(name)),
		[],
	);
	assert.deepEqual(
		[...listed].filter((name) => !measured.has(name)),
		[],
	);
});

test("the dashboard is one that Grafana imports: panels with queries, in a grid", async () => {
	const { panels } = JSON.parse(await read("examples/monitoring/dashboard.json")) as {
		readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[];
	};
	assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
	assert.ok(panels.every(({ targets }) => targets.every(({ expr }) => expr !== "")));
});

promtoolTest("promtool takes alerts, configuration and what the guide shows", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-promtool-"));
	try {
		const guide = /```yaml\n([\s\S]*?)```/.exec(await read("docs/guides/monitoring.md"))?.[1] ?? "";
		await writeFile(join(directory, "guide.yml"), guide.replace("/etc/prometheus/svc-api-key", "svc-api-key"));
		for (const name of ["alerts.yml", "prometheus.yml"]) await writeFile(join(directory, name), await read(`examples/monitoring/${name}`));
		await writeFile(join(directory, "svc-api-key"), "a key");
		for (const check of [
			["rules", "alerts.yml"],
			["config", "prometheus.yml"],
			["config", "guide.yml"],
		] as const) {
			const { code, said } = await promtool(["check", check[0], join(directory, check[1])]);
			assert.equal(code, 0, said);
		}
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
