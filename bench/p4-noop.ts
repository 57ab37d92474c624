import type { Benchmark } from "./harness/benchmark.ts";
import { describeRate, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { startInsertPeer } from "./harness/insert-peer.ts";
import { startLeastPeer } from "./harness/least-peer.ts";
import { startService } from "./harness/service.ts";

const body = JSON.stringify({ action: "core.noop", parameters: {} });

export const benchmark: Benchmark = {
	id: "P4",
	title: `core.noop, POST to succeeded, ${inFlight} in flight ÷ JSON POSTs of a bare h3 app that inserts one row each, durably`,
	goals: [
		{ name: "ratio", label: "executions/s ÷ inserting POSTs/s", direction: "at least", limits: [0.85] },
		{ name: "ofLeast", label: "executions/s ÷ those of the least that could keep them", direction: "at least", limits: [0.95] },
		{ name: "least", label: "those ÷ inserting POSTs/s, which no service on these packages can exceed", direction: "at least", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", () => startService());
		const peer = await round.use("peer", startInsertPeer);
		const leastPeer = await round.use("least", startLeastPeer);
		const seconds = round.quick ? 1 : 4;
		const [ours, bare] = await round.alternate(
			() => runLoad(service, { body, inFlight, seconds }),
			() => peer.measure({ body, inFlight, seconds }),
		);
		const least = await runLoad(leastPeer, { body, inFlight, seconds });
		return {
			values: { ratio: ours.perSecond / bare, ofLeast: ours.perSecond / least.perSecond, least: least.perSecond / bare },
			detail: `${describeRate(ours)}; bare h3 ${bare.toFixed(0)}/s; the least ${describeRate(least)}`,
		};
	},
};
