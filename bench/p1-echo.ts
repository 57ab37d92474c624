import type { Benchmark } from "./harness/benchmark.ts";
import { describeRate, echo, inFlight, measureSpawning } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { startLeastPeer } from "./harness/least-peer.ts";
import { startService } from "./harness/service.ts";

export const benchmark: Benchmark = {
	id: "P1",
	title: `core.local "echo hi", POST to succeeded, ${inFlight} in flight ÷ bare Node process that starts the same shell, ${inFlight} in flight`,
	goals: [
		{ name: "ratio", label: "executions/s ÷ spawns/s", direction: "at least", limits: [1.2] },
		{ name: "ofLeast", label: "executions/s ÷ those of the least that could keep them", direction: "at least", limits: [0.85] },
		{ name: "least", label: "those ÷ spawns/s, which no service on these packages can exceed", direction: "at least", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", () => startService());
		const peer = await round.use("least", startLeastPeer);
		const seconds = round.quick ? 1 : 4;
		const [ours, bare] = await round.alternate(
			() => runLoad(service, { body: echo, inFlight, seconds }),
			() => measureSpawning({ inFlight, seconds }),
		);
		const least = await runLoad(peer, { body: echo, inFlight, seconds });
		return {
			values: {
				ratio: ours.perSecond / bare.perSecond,
				ofLeast: ours.perSecond / least.perSecond,
				least: least.perSecond / bare.perSecond,
			},
			detail: `${describeRate(ours)}; bare spawn ${bare.perSecond.toFixed(0)}/s; the least ${describeRate(least)}`,
		};
	},
};
