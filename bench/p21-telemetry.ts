import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Benchmark, Resource } from "./harness/benchmark.ts";
import { describeRate, echo, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import type { LoadFigures } from "./harness/load-figures.ts";
import { startService } from "./harness/service.ts";

export const benchmark: Benchmark = {
	id: "P21",
	title: `core.local "echo hi", POST to succeeded, ${inFlight} in flight, with metrics and traces ÷ the same without`,
	goals: [
		{ name: "ratio", label: "executions/s with ÷ without", direction: "at least", limits: [0.98] },
		// On a machine that does other things besides, this is the one to look at.
		{ name: "processor", label: "processor time of the server for one, with ÷ without", direction: "at most", limits: [1.02] },
		{ name: "metrics", label: "the same with metrics alone", direction: "at most", limits: [] },
		{ name: "traces", label: "the same with traces alone", direction: "at most", limits: [] },
	],
	async run(round) {
		const plain = await round.use("plain", () => startService());
		const collector = await round.use("collector", startCollector);
		const spansTo = collector.url;
		const measured = await round.use("measured", () => startService({ metrics: true, spansTo }));
		const counting = await round.use("counting", () => startService({ metrics: true }));
		const tracing = await round.use("tracing", () => startService({ spansTo }));
		const load = { body: echo, inFlight, seconds: round.quick ? 1 : 4 };
		// Each is asked for as much as the others: what has worked for longer is quicker.
		const sides = { plain, measured, counting, tracing };
		const names = ["plain", "measured", "counting", "tracing"] as const;
		const figures: Partial<Record<(typeof names)[number], LoadFigures>> = {};
		for (const name of round.number % 2 === 1 ? names : names.toReversed()) figures[name] = await runLoad(sides[name], load);
		const { plain: without, measured: with_, counting: metrics, tracing: traces } = figures as Required<typeof figures>;
		const toRatio = ({ processorTime }: LoadFigures) => processorTime.server / without.processorTime.server;
		if (collector.received() === 0) throw new Error("no span has arrived");
		return {
			values: {
				ratio: with_.perSecond / without.perSecond,
				processor: toRatio(with_),
				metrics: toRatio(metrics),
				traces: toRatio(traces),
			},
			detail: `${describeRate(with_)} ÷ ${describeRate(without)}`,
		};
	},
};

interface Collector extends Resource {
	readonly url: string;
	/** Bytes so far. */
	received(): number;
}

/** Takes spans in and forgets them: what a collector does with them is not the service's. */
async function startCollector(): Promise<Collector> {
	let bytes = 0;
	const server = createServer((request, response) => {
		request.on("data", (piece: Buffer) => {
			bytes += piece.length;
		});
		request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
		received: () => bytes,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
