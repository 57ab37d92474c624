import type { Benchmark } from "./harness/benchmark.ts";
import { runLoad } from "./harness/execution-load.ts";
import { startService } from "./harness/service.ts";
import { chainAction, itemsAction } from "./harness/workflow-pack.ts";
import { runWorkflow } from "./harness/workflow-run.ts";

const inFlight = 50;
const body = JSON.stringify({ action: "core.noop", parameters: {} });

export const benchmark: Benchmark = {
	id: "P16",
	title: `a workflow of no-op tasks, ${inFlight} at once, tasks/s ÷ plain no-op executions/s with as many in flight; and what a task costs when there are many`,
	goals: [
		{ name: "ratio", label: "tasks/s ÷ executions/s", direction: "at least", limits: [0.8] },
		{ name: "items", label: "time of one of 5,000 items ÷ of one of 100", direction: "at most", limits: [1.3] },
		{ name: "chain", label: "time of one of 1,000 tasks in a row ÷ of one of 100", direction: "at most", limits: [1.3] },
	],
	async run(round) {
		const service = await round.use("service", () => startService());
		const [few, many] = round.quick ? [100, 500] : [100, 5_000];
		await runWorkflow(service, itemsAction, { count: few });
		const [ours, plain] = await round.alternate(
			() => runWorkflow(service, itemsAction, { count: many }),
			() => runLoad(service, { body, inFlight, seconds: round.quick ? 1 : 4 }),
		);
		const small = await runWorkflow(service, itemsAction, { count: few });
		const long = await runWorkflow(service, chainAction(round.quick ? 100 : 1_000));
		const short = await runWorkflow(service, chainAction(100));
		const perTask = {
			many: ours.seconds / many,
			few: small.seconds / few,
			long: long.seconds / (round.quick ? 100 : 1_000),
			short: short.seconds / 100,
		};
		return {
			values: { ratio: many / ours.seconds / plain.perSecond, items: perTask.many / perTask.few, chain: perTask.long / perTask.short },
			detail: `${(many / ours.seconds).toFixed(0)} tasks/s (CPU ${((1_000 * ours.time.server) / many).toFixed(2)} ms each), ${plain.perSecond.toFixed(0)} executions/s (CPU ${plain.processorTime.server.toFixed(2)} ms each); in a row ${(1_000 * perTask.long).toFixed(1)} ms a task`,
		};
	},
};
