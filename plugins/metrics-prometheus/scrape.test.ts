import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { type ServiceUnderTest, withService } from "../../core/testing/http/service.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { prometheusMetrics } from "./index.ts";
import { send, until } from "./metrics.test-support.ts";

const { test: prometheusTest } = requires(test, { command: "prometheus" });

/** Run with a real Prometheus that scrapes a service, and with what asks it. */
async function withPrometheus(
	{ service, key }: { readonly service: ServiceUnderTest; readonly key: string },
	run: (ask: (query: string) => Promise<number | undefined>) => Promise<void>,
): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-prometheus-"));
	const { host } = new URL(service.urls.api);
	const port = await findFreePort();
	await writeFile(join(directory, "key"), key, { mode: 0o600 });
	const job = `{ job_name: svc, metrics_path: /v1/metrics, authorization: { credentials_file: key }, static_configs: [{ targets: ["${host}"] }] }`;
	await writeFile(
		join(directory, "prometheus.yml"),
		`global: { scrape_interval: 200ms, scrape_timeout: 200ms }\nscrape_configs: [${job}]\n`,
	);
	const flags = [
		`--config.file=${directory}/prometheus.yml`,
		`--storage.tsdb.path=${directory}/data`,
		`--web.listen-address=127.0.0.1:${port}`,
	];
	const child: ChildProcess = spawn("prometheus", flags, { stdio: "ignore" });
	const ended = once(child, "exit");
	try {
		await run(async (query) => {
			const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => undefined);
			if (response?.ok !== true) return undefined;
			const { data } = (await response.json()) as {
				readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
			};
			const value = data.result[0]?.value[1];
			return value === undefined ? undefined : Number(value);
		});
	} finally {
		child.kill("SIGKILL");
		await ended;
		await rm(directory, { recursive: true, force: true });
	}
}

const withMetrics = { telemetry: [prometheusMetrics()], node: { health_listen: true, health_port: 0 } };

prometheusTest("a Prometheus with an API key scrapes the service", async () => {
	await withService(async (service) => {
		await service.ended(await service.speak({}));
		const { key } = await send(service, "/v1/apikeys", {});
		await withPrometheus({ service, key: String(key) }, async (ask) => {
			assert.equal(await until(async () => ((await ask('up{job="svc"}')) === 1 ? 1 : undefined)), 1);
			assert.equal(await until(() => ask('sum(svc_executions_total{action="default.speak"})')), 1);
		});
	}, withMetrics);
});

test("whoever has no right to see metrics is refused, and an API key may come as a bearer", async () => {
	await withService(async (service) => {
		const at = `${service.urls.api}/v1/metrics`;
		const statusOf = async (headers: Record<string, string>, url = at) => (await fetch(url, { headers })).status;
		const { key } = await send(service, "/v1/apikeys", {});
		const bearer = { authorization: `Bearer ${key}` };
		assert.equal(await statusOf({}), 401);
		assert.equal(await statusOf({ authorization: "Bearer wrong" }), 401);
		assert.equal(await statusOf({ authorization: `Basic ${Buffer.from("admin:a password").toString("base64")}` }), 401);
		assert.equal(await statusOf(bearer), 200);
		assert.equal(await statusOf({ "svc-api-key": String(key) }), 200);
		// On the listener that nodes without an API have, in the same words.
		for (const path of ["/metrics", "/v1/metrics"]) {
			const there = `${service.healthUrl}${path}`;
			assert.deepEqual([await statusOf({}, there), await statusOf(bearer, there)], [401, 200], path);
			assert.match(await (await fetch(there, { headers: bearer })).text(), /^svc_executions_held \d/m);
		}
		assert.equal(await statusOf(bearer, `${service.healthUrl}/v1/executions`), 404);
		// As on every other route of the API.
		assert.equal(await statusOf(bearer, `${service.urls.api}/v1/executions`), 200);
	}, withMetrics);
});

test.run();
