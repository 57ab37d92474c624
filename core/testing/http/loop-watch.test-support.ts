import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { workLimits } from "../../language/work-budget.ts";
import type { ServiceUnderTest } from "./service.test-support.ts";

/** What the process did with its event loop during some work. */
export interface LoopReport<T> {
	readonly result: T;
	/**
	 * Milliseconds of the longest turn. What others took of the processor meanwhile, other threads among them, does not count, and neither
	 * does the collection of garbage, which takes longer on a busy machine and falls into any turn. What
	 * a second attempt at interrupted work takes does not count (`extraRetryTime`).
	 */
	readonly longest: number;
}

/** Most milliseconds that anything may hold up the others. */
export const longestTurn = 100;

/**
 * If other processes use the processor until the time limit of some work expires, the service tries that work again, so that a busy machine does
 * not make it refuse valid requests. The limit counts the processor's time, so what is left of it is at most what the others took, and at most
 * the whole limit. The second attempt may run for four times that instead of once (`core/language/work-budget.ts`): a turn may be longer by
 * three times as much.
 */
const extraRetryTime = 3;

export interface WatchOptions {
	/** Whether the service may try some of the work again. Default true. */
	readonly mayRetry?: boolean;
}

/** Milliseconds between two requests that others make meanwhile. */
const healthPause = 20;

/** Watch how long the turns of the event loop are until `work` is done, with `/health/live` asked all the while. */
export async function watchLoop<T>(
	{ urls }: Pick<ServiceUnderTest, "urls">,
	work: () => Promise<T>,
	{ mayRetry = true }: WatchOptions = {},
): Promise<LoopReport<T>> {
	let isOver = false;
	let longest = 0;
	const longTurns: Turn[] = [];
	const collections: PerformanceEntry[] = [];
	const observer = new PerformanceObserver((list) => void collections.push(...list.getEntries()));
	let [from, own, cpu] = [performance.now(), ownTime(), process.cpuUsage()];
	const look = () => {
		// Read once, as it is read each millisecond: the end of this turn is the start of the next one.
		const [to, ran, used] = [performance.now(), ownTime(), process.cpuUsage()];
		const milliseconds = Math.min(ran - own, (used.user + used.system - cpu.user - cpu.system) / 1_000);
		if (milliseconds > longestTurn) longTurns.push({ from, to, milliseconds });
		else longest = Math.max(longest, milliseconds);
		[from, own, cpu] = [to, ran, used];
		// With a timer, rather than a callback in every turn, an idle process sleeps. A long turn may be measured one millisecond too long.
		if (!isOver) setTimeout(look, 1);
	};
	const askHealth = async () => {
		while (!isOver) {
			assert.equal((await fetch(`${urls.api}/health/live`)).status, 200);
			await delay(healthPause);
		}
	};
	observer.observe({ entryTypes: ["gc"] });
	setTimeout(look, 1);
	const health = askHealth();
	try {
		const result = await work();
		collections.push(...observer.takeRecords());
		return { result, longest: Math.max(longest, ...longTurns.map((turn) => counted(turn, collections, mayRetry))) };
	} finally {
		isOver = true;
		observer.disconnect();
		await health;
	}
}

/** In milliseconds of `performance.now()`. */
interface Turn {
	readonly from: number;
	readonly to: number;
	readonly milliseconds: number;
}

function counted(turn: Turn, collections: readonly PerformanceEntry[], mayRetry: boolean): number {
	const takenByOthers = turn.to - turn.from - turn.milliseconds;
	const retried = mayRetry ? extraRetryTime * Math.min(takenByOthers, workLimits.checkMs) : 0;
	return turn.milliseconds - collected(turn, collections) - retried;
}

/** Milliseconds of a turn in which garbage was collected. */
function collected({ from, to }: Turn, collections: readonly PerformanceEntry[]): number {
	const within = collections.filter(({ startTime }) => startTime >= from && startTime < to);
	return within.reduce((sum, { duration }) => sum + duration, 0);
}

/** Milliseconds that this thread has run, to a few; where the system does not tell, those that have passed. */
function ownTime(): number {
	try {
		return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
	} catch {
		return performance.now();
	}
}

/** The result of an attack, which must not have held up others. */
export async function assertNoStall<T>(
	service: Pick<ServiceUnderTest, "urls">,
	attack: () => Promise<T>,
	options: WatchOptions = {},
): Promise<T> {
	let report = await watchLoop(service, attack, options);
	// Something else of the process may have fallen into it. An attack works each time.
	for (let attempt = 1; attempt < 6 && report.longest > longestTurn; attempt++) report = await watchLoop(service, attack, options);
	assert.ok(report.longest <= longestTurn, `the event loop was held up for ${Math.round(report.longest)} ms`);
	return report.result;
}
