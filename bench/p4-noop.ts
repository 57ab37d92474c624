import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, Resource } from "./harness/benchmark.ts";
import { startChild } from "./harness/child.ts";
import { describeRate, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { createHttpClient, type HttpClient } from "./harness/http-client.ts";
import { startService } from "./harness/service.ts";

const body = JSON.stringify({ action: "core.noop", parameters: {} });

export const benchmark: Benchmark = {
	id: "P4",
	title: `core.noop, POST to succeeded, ${inFlight} in flight ÷ JSON POSTs of a bare h3 app that inserts one row each, durably`,
	goals: [{ name: "ratio", label: "executions/s ÷ inserting POSTs/s", direction: "at least", limits: [0.4] }],
	async run(round) {
		const service = await round.use("service", () => startService());
		const peer = await round.use("peer", startPeer);
		const seconds = round.quick ? 1 : 4;
		const [ours, bare] = await round.alternate(
			() => runLoad(service, { body, inFlight, seconds }),
			() => measurePosts(peer.client, seconds),
		);
		return { values: { ratio: ours.perSecond / bare }, detail: `${describeRate(ours)}; bare h3 ${bare.toFixed(0)}/s` };
	},
};

/** On the same disk as the service's database. */
async function startPeer(): Promise<Resource & { readonly client: HttpClient }> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const child = await startChild("insert.mjs", { input: { file: join(directory, "rows.db") } });
	const { address } = child.facts as { readonly address: string };
	const client = createHttpClient(address);
	return {
		client,
		async stop() {
			client.stop();
			await child.stop();
			await rm(directory, { recursive: true, force: true });
		},
	};
}

async function measurePosts(client: HttpClient, seconds: number): Promise<number> {
	await post(client, 0.5);
	const started = performance.now();
	const count = await post(client, seconds);
	return count / ((performance.now() - started) / 1000);
}

async function post(client: HttpClient, seconds: number): Promise<number> {
	const until = performance.now() + seconds * 1000;
	let count = 0;
	const worker = async () => {
		while (performance.now() < until) {
			await client.post("/rows", body);
			count += 1;
		}
	};
	await Promise.all(Array.from({ length: inFlight }, worker));
	return count;
}
