import type { Page } from "playwright-core";
import type { Benchmark, Round } from "./harness/benchmark.ts";
import { jumpInLog, jumpInPlain, openLog, openPlain, printLog, searchInLog } from "./harness/log-pages.ts";
import { startService } from "./harness/service.ts";
import { median, quantile } from "./harness/statistics.ts";

export const benchmark: Benchmark = {
	id: "P18",
	title: "the log of the web page with 1,000,000 lines; beside it a plain page with an element for each line",
	goals: [
		{ name: "elements", label: "elements in the page", direction: "at most", limits: [500] },
		{ name: "jump", label: "jump to any line, p99", unit: "ms", direction: "at most", limits: [200] },
		{ name: "search", label: "search of the whole output, to the line that is found", unit: "ms", direction: "at most", limits: [1_000] },
		{ name: "ratio", label: "jump, p50 ÷ p50 of the plain page", direction: "at most", limits: [] },
	],
	async run(round) {
		const lines = round.quick ? 100_000 : 1_000_000;
		const service = await round.use("service", () => startService());
		const { id } = await round.use("log", async () => ({ id: await printLog(service, lines), stop: async () => {} }));
		const log = await round.use("page", () => openLog(service, id));
		const ours = await measureJumps(round, lines, (line) => jumpInLog(log.page, line));
		const elements = await log.page.locator("*").count();
		const searches: number[] = [];
		for (let number = 0; number < 5; number += 1) searches.push(await searchInLog(log.page, lines - number));
		const plain = await openPlain(lines);
		try {
			const theirs = await measureJumps(round, lines, (line) => jumpInPlain(plain.page, line));
			const search = median(searches);
			return {
				values: { elements, jump: quantile(ours, 0.99), search, ratio: quantile(ours, 0.5) / quantile(theirs, 0.5) },
				detail: `${elements} elements, jump p50 ${quantile(ours, 0.5).toFixed(0)} ms, p99 ${quantile(ours, 0.99).toFixed(0)} ms, search ${search.toFixed(0)} ms; plain page: ${await countElements(plain.page)} elements, jump p50 ${quantile(theirs, 0.5).toFixed(0)} ms, p99 ${quantile(theirs, 0.99).toFixed(0)} ms`,
			};
		} finally {
			await plain.stop();
		}
	},
};

/** Lines from all over the output, each far from the one before. */
async function measureJumps({ quick }: Round, lines: number, jump: (line: number) => Promise<number>): Promise<number[]> {
	const times: number[] = [];
	for (let number = 1; number <= (quick ? 10 : 100); number += 1) times.push(await jump(1 + ((number * 618_033_989) % lines)));
	return times;
}

function countElements(page: Page): Promise<number> {
	return page.evaluate<number>("document.querySelectorAll('*').length");
}
