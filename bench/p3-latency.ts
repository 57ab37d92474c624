import type { Benchmark } from "./harness/benchmark.ts";
import { describeRate, echo, measureSpawning } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { startService } from "./harness/service.ts";
import { median } from "./harness/statistics.ts";

const pauseMilliseconds = 20;

export const benchmark: Benchmark = {
	id: "P3",
	title: `idle service, core.local "echo hi", one at a time with pauses of ${pauseMilliseconds} ms, POST to succeeded ÷ one bare spawn with the same pauses`,
	goals: [{ name: "ratio", label: "p50 ÷ p50", direction: "at most", limits: [3] }],
	async run(round) {
		const service = await round.use("service", () => startService());
		const seconds = round.quick ? 1 : 4;
		const [ours, bare] = await round.alternate(
			() => runLoad(service, { body: echo, inFlight: 1, seconds, pauseMilliseconds }),
			() => measureSpawning({ inFlight: 1, seconds, pauseMilliseconds }),
		);
		const spawn = median(bare.milliseconds);
		return {
			values: { ratio: median(ours.milliseconds) / spawn },
			detail: `${describeRate(ours)}; bare spawn p50 ${spawn.toFixed(2)} ms`,
		};
	},
};
