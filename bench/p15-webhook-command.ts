import type { Benchmark } from "./harness/benchmark.ts";
import { command, describeRate, inFlight, measureSpawning } from "./harness/echo.ts";
import { startNodeRedPeer } from "./harness/node-red-peer.ts";
import { type Service, startService } from "./harness/service.ts";
import { median } from "./harness/statistics.ts";
import { runWebhooks } from "./harness/webhook-run.ts";

const url = "bench/command";
const body = JSON.stringify({ action: "deploy", parameters: { branch: "main", commit: "3b5d5c3712955042212316173ccf37be" } });

export const benchmark: Benchmark = {
	id: "P15",
	title: `webhook → rule → core.local "${command}" succeeded ÷ Node-RED, http in → exec → http response, which keeps nothing`,
	goals: [
		{ name: "ofStarts", label: `${inFlight} in flight: deliveries/s ÷ bare starts of the command/s`, direction: "at least", limits: [0.8] },
		{ name: "ratio", label: `${inFlight} in flight: deliveries/s ÷ deliveries/s of Node-RED`, direction: "at least", limits: [] },
		{ name: "alone", label: "one at a time: p50 ÷ p50", direction: "at most", limits: [0.8] },
		{
			name: "least",
			label: `${inFlight} in flight: bare starts of the command/s ÷ deliveries/s of Node-RED`,
			direction: "at least",
			limits: [],
		},
		{ name: "leastAlone", label: "one at a time: p50 of a bare start ÷ p50 of Node-RED", direction: "at most", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", startRuled);
		const peer = await round.use("peer", () => startNodeRedPeer(command));
		const seconds = round.quick ? 1 : 4;
		const [ours, theirs] = await round.alternate(
			() => runWebhooks(service, { url, body, inFlight, seconds }),
			() => peer.measure({ body, inFlight, seconds }),
		);
		const [ourOne, theirOne] = await round.alternate(
			() => runWebhooks(service, { url, body, inFlight: 1, seconds }),
			() => peer.measure({ body, inFlight: 1, seconds }),
		);
		const spawns = await measureSpawning({ inFlight, seconds });
		const spawnsAlone = await measureSpawning({ inFlight: 1, seconds });
		return {
			values: {
				ofStarts: ours.perSecond / spawns.perSecond,
				ratio: ours.perSecond / theirs.perSecond,
				alone: median(ourOne.milliseconds) / median(theirOne.milliseconds),
				least: spawns.perSecond / theirs.perSecond,
				leastAlone: median(spawnsAlone.milliseconds) / median(theirOne.milliseconds),
			},
			detail:
				`${describeRate(ours)}; Node-RED ${theirs.perSecond.toFixed(0)}/s, p50 ${median(theirs.milliseconds).toFixed(1)} ms; ` +
				`one at a time p50 ${median(ourOne.milliseconds).toFixed(1)} ms, Node-RED ${median(theirOne.milliseconds).toFixed(1)} ms; ` +
				`bare starts ${spawns.perSecond.toFixed(0)}/s, one at a time ${median(spawnsAlone.milliseconds).toFixed(1)} ms`,
		};
	},
};

async function startRuled(): Promise<Service> {
	const service = await startService();
	const rule = {
		pack: "default",
		name: "command",
		enabled: true,
		trigger: { type: "core.svc.webhook", parameters: { url } },
		criteria: { "trigger.body.action": { type: "equals", pattern: "deploy" } },
		action: { ref: "core.local", parameters: { cmd: command } },
	};
	await service.api.post("/v1/rules", JSON.stringify(rule));
	return service;
}
