import type { Benchmark } from "./harness/benchmark.ts";
import { startService } from "./harness/service.ts";
import { quantile } from "./harness/statistics.ts";
import { chainAction } from "./harness/workflow-pack.ts";
import { gapsBetweenTasks, runWorkflow } from "./harness/workflow-run.ts";

export const benchmark: Benchmark = {
	id: "P17",
	title: "idle service, a workflow of no-op tasks in a row: from the end of one task to the start of the next",
	goals: [{ name: "p50", label: "p50", unit: "ms", direction: "at most", limits: [15] }],
	async run(round) {
		const service = await round.use("service", () => startService());
		await runWorkflow(service, chainAction(20));
		const { id } = await runWorkflow(service, chainAction(round.quick ? 20 : 100));
		const gaps = await gapsBetweenTasks(service, id);
		const p50 = quantile(gaps, 0.5);
		return { values: { p50 }, detail: `p50 ${p50.toFixed(2)} ms, p99 ${quantile(gaps, 0.99).toFixed(2)} ms` };
	},
};
