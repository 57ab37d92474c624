import type { Benchmark } from "./harness/benchmark.ts";
import { describeRate, echo, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { startService } from "./harness/service.ts";

const ballastMegabytes = 500;

export const benchmark: Benchmark = {
	id: "P2",
	title: `P1 with a server that holds ${ballastMegabytes} MB more ÷ P1`,
	goals: [{ name: "ratio", label: "executions/s heavy ÷ light", direction: "at least", limits: [0.9] }],
	async run(round) {
		const heavy = await round.use("heavy", () => startService({ ballastMegabytes }));
		const light = await round.use("light", () => startService());
		const seconds = round.quick ? 1 : 4;
		const [withBallast, without] = await round.alternate(
			() => runLoad(heavy, { body: echo, inFlight, seconds }),
			() => runLoad(light, { body: echo, inFlight, seconds }),
		);
		return {
			values: { ratio: withBallast.perSecond / without.perSecond },
			detail: `heavy ${describeRate(withBallast)}; light ${describeRate(without)}`,
		};
	},
};
