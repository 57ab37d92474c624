import type { Benchmark } from "./harness/benchmark.ts";
import { describeRate, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { type Service, startService } from "./harness/service.ts";
import { startFollowers } from "./harness/stream-followers.ts";

const body = JSON.stringify({ action: "core.noop", parameters: {} });
const many = 200;
const few = 2;
/** Followers besides the one of the load itself, which follows these events too. */
const path = "/v1/stream?events=svc.execution__update";

export const benchmark: Benchmark = {
	id: "P19",
	title: `core.noop with ${many} followers of the general stream ÷ with ${few}, ${inFlight} in flight`,
	goals: [
		{ name: "ratio", label: `executions/s with ${many} followers ÷ with ${few}`, direction: "at least", limits: [0.6] },
		{ name: "time", label: "the server's processor time of an execution, likewise", direction: "at most", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", () => startService({ streamsPerUser: 0 }));
		const seconds = round.quick ? 1 : 4;
		const measure = (followers: number) => runFollowed(service, { followers: followers - 1, seconds });
		const [crowd, pair] = await round.alternate(
			() => measure(many),
			() => measure(few),
		);
		return {
			values: { ratio: crowd.perSecond / pair.perSecond, time: crowd.processorTime.server / pair.processorTime.server },
			detail: `${many}: ${describeRate(crowd)}; ${few}: ${describeRate(pair)}`,
		};
	},
};

async function runFollowed(service: Service, { followers, seconds }: { readonly followers: number; readonly seconds: number }) {
	const others = await startFollowers(service, followers, path);
	try {
		return await runLoad(service, { body, inFlight, seconds });
	} finally {
		await others.stop();
	}
}
