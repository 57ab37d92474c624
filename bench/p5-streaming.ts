import type { Benchmark } from "./harness/benchmark.ts";
import { startChild } from "./harness/child.ts";
import { createHttpClient } from "./harness/http-client.ts";
import { type LineSource, measureLines } from "./harness/line-latency.ts";
import { type Service, startService } from "./harness/service.ts";
import { quantile } from "./harness/statistics.ts";

const clients = 100;
const interval = 20;

export const benchmark: Benchmark = {
	id: "P5",
	title: `line written by the process to line received by an SSE client, ${clients} clients on one run of ${1000 / interval} lines/s; beside it a bare h3 fan-out that stores nothing`,
	goals: [
		{ name: "p50", label: "p50", unit: "ms", direction: "at most", limits: [4] },
		{ name: "p99", label: "p99", unit: "ms", direction: "at most", limits: [15] },
		{ name: "ratio", label: "p50 ÷ p50 of the bare fan-out", direction: "at most", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", () => startService());
		const test = { clients, interval, lines: round.quick ? 50 : 200 };
		const [ours, bare] = await round.alternate(
			() => measureLines({ ...test, ready: "waiting" }, (command) => startExecution(service, command)),
			() => measureLines({ ...test, ready: ":" }, startFanOut),
		);
		const [p50, p99] = [quantile(ours, 0.5), quantile(ours, 0.99)];
		const barely = [quantile(bare, 0.5), quantile(bare, 0.99)] as const;
		return {
			values: { p50, p99, ratio: p50 / barely[0] },
			detail: `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; bare fan-out p50 ${barely[0].toFixed(2)} ms, p99 ${barely[1].toFixed(2)} ms`,
		};
	},
};

async function startExecution({ api, stream }: Service, command: string): Promise<LineSource> {
	const answer = await api.post("/v1/executions", JSON.stringify({ action: "core.local", parameters: { cmd: command } }));
	const { id } = JSON.parse(answer) as { readonly id: string };
	return { connect: () => stream.open(`/v1/executions/${id}/output`), stop: async () => {} };
}

async function startFanOut(command: string): Promise<LineSource> {
	const child = await startChild("fan-out.mjs", { input: { command } });
	const { address } = child.facts as { readonly address: string };
	const client = createHttpClient(address);
	return {
		connect: () => client.open("/lines"),
		async stop() {
			client.stop();
			await child.stop();
		},
	};
}
