import type { Benchmark } from "./harness/benchmark.ts";
import { startService } from "./harness/service.ts";
import { openPlainRows, openTimeLine, scrollThrough } from "./harness/time-line-pages.ts";
import { itemsAction } from "./harness/workflow-pack.ts";
import { runWorkflow } from "./harness/workflow-run.ts";

export const benchmark: Benchmark = {
	id: "P18",
	title:
		"the time line of 2,000 nested runs in the web page, scrolled from end to end; beside it a plain page with an element for each row",
	goals: [
		{ name: "elements", label: "elements in the page", direction: "at most", limits: [500] },
		{ name: "frames", label: "frames/s while it is scrolled", direction: "at least", limits: [30] },
		{ name: "ratio", label: "frames/s ÷ those of the plain page", direction: "at least", limits: [] },
	],
	async run(round) {
		const runs = round.quick ? 200 : 2_000;
		const seconds = round.quick ? 1 : 5;
		const service = await round.use("service", () => startService());
		const { id } = await round.use("runs", async () => {
			const { id } = await runWorkflow(service, itemsAction, { count: runs });
			return { id, stop: async () => {} };
		});
		const { page } = await round.use("page", () => openTimeLine(service, id, runs));
		const plain = await round.use("plain", () => openPlainRows(runs));
		const [ours, theirs] = await round.alternate(
			() => scrollThrough(page, seconds),
			() => scrollThrough(plain.page, seconds),
		);
		const elements = await page.locator("*").count();
		return {
			values: { elements, frames: ours.perSecond, ratio: ours.perSecond / theirs.perSecond },
			detail: `${elements} elements, ${ours.perSecond.toFixed(0)} frames/s, the longest ${ours.longest.toFixed(0)} ms, rows missing in ${ours.empty} frames; plain page ${theirs.perSecond.toFixed(0)} frames/s, the longest ${theirs.longest.toFixed(0)} ms`,
		};
	},
};
