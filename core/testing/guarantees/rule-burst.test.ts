// test-suite: full
// test-timeout: 300
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { Client } from "../../../plugins/_shipped/client.ts";
import { readPeak, resetPeak } from "./processes.test-support.ts";
import { startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const events = 600;
/** Bytes of an event: all of them in memory would be 120 MB. */
const size = 200_000;
const warmUp = 100;
/** Webhooks that are posted at the same time. */
const posts = 32;
const megabyte = 1_048_576;
/** MiB, most of it garbage between two collections. */
const mostGrowth = 96;
/**
 * Events that may be taken in from when another request is sent to when it is answered, nearly always: a fifth of all. Counted and not
 * timed, as a machine that others use as well is slow with both.
 */
const mostBetween = events / 5;

async function addRule({ rules }: Client, url: string, action: string): Promise<void> {
	const trigger = { type: "core.svc.webhook", parameters: { url } };
	const criteria = { "trigger.body.n": { type: "greaterthan", pattern: -1 } };
	await rules.create({ name: url, enabled: true, trigger, criteria, action: { ref: action } });
}

/** Post `count` events to a webhook, and wait until each is processed. */
async function work(client: Client, send: (n: number) => Promise<void>, count: number): Promise<void> {
	const { total: before } = await client.triggers.instances.list({ limit: 1, status: "processed" });
	let next = 0;
	const post = async () => {
		while (next < count) await send(next++);
	};
	await Promise.all(Array.from({ length: posts }, post));
	await until("every event is processed", 240, async () => {
		const { total } = await client.triggers.instances.list({ limit: 1, status: "processed" });
		return total === (before ?? 0) + count || undefined;
	});
}

test(`${events} events at once are worked off in bounded memory, and requests are answered meanwhile`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-burst-"));
	const service = await startServiceProcess({ directory });
	try {
		const { client } = service;
		await addRule(client, "burst", "core.noop");
		let accepted = 0;
		const send = async (n: number) => {
			const body = JSON.stringify({ n, text: "x".repeat(size) });
			const headers = { "x-auth-token": service.token, "content-type": "application/json" };
			const response = await fetch(`${service.api}/v1/webhooks/burst`, { method: "POST", headers, body });
			assert.equal(response.status, 202, await response.text());
			accepted += 1;
		};
		resetPeak(service.pid);
		await work(client, send, warmUp);
		const before = readPeak(service.pid);
		resetPeak(service.pid);
		const started = performance.now();
		const between: number[] = [];
		let isOver = false;
		const probing = (async () => {
			while (!isOver) {
				const asked = accepted;
				await client.rules.get("default.burst");
				if (asked < events + warmUp) between.push(accepted - asked);
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
		})();
		await work(client, send, events).finally(() => {
			isOver = true;
		});
		await probing;
		const seconds = (performance.now() - started) / 1_000;
		const growth = Math.round((readPeak(service.pid) - before) / megabyte);
		const nearly = between.sort((one, other) => one - other)[Math.floor(between.length * 0.99)] ?? Number.NaN;
		process.stdout.write(`${seconds.toFixed(1)} s, ${growth} MiB more, 99 % of ${between.length} requests within ${nearly} events\n`);
		assert.equal((await client.rules.enforcements({ limit: 1, status: "succeeded" })).total, events + warmUp);
		assert.ok(growth <= mostGrowth, `the service grew by ${growth} MiB`);
		assert.ok(nearly <= mostBetween, `99 % of the requests took up to ${nearly} events`);
	} finally {
		await service.kill();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
