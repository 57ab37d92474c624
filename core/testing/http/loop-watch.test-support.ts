import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ServiceUnderTest } from "./service.test-support.ts";

/** What the process did with its event loop during some work. */
export interface LoopReport<T> {
	readonly result: T;
	/** Milliseconds of the longest turn; what others took of the processor meanwhile, other threads among them, does not count. */
	readonly longest: number;
}

/** Most milliseconds that anything may hold up the others. */
export const longestTurn = 100;

/** Watch how long the turns of the event loop are until `work` is done, with `/health/live` asked all the while. */
export async function watchLoop<T>({ urls }: Pick<ServiceUnderTest, "urls">, work: () => Promise<T>): Promise<LoopReport<T>> {
	let isOver = false;
	let longest = 0;
	let [turn, cpu] = [ownTime(), process.cpuUsage()];
	const look = () => {
		const { user, system } = process.cpuUsage(cpu);
		longest = Math.max(longest, Math.min(ownTime() - turn, (user + system) / 1_000));
		[turn, cpu] = [ownTime(), process.cpuUsage()];
		if (!isOver) setImmediate(look);
	};
	const askHealth = async () => {
		while (!isOver) assert.equal((await fetch(`${urls.api}/health/live`)).status, 200);
	};
	setImmediate(look);
	const health = askHealth();
	try {
		const result = await work();
		return { result, longest };
	} finally {
		isOver = true;
		await health;
	}
}

/** Milliseconds that pass for this thread: not while it is ready to run and waits for a core, where the system tells of that. */
function ownTime(): number {
	return performance.now() - waitedForCore() / 1e6;
}

/** Nanoseconds. */
function waitedForCore(): number {
	try {
		return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) || 0;
	} catch {
		return 0;
	}
}

/** The result of an attack, which must not have held up others. */
export async function assertNoStall<T>(service: Pick<ServiceUnderTest, "urls">, attack: () => Promise<T>): Promise<T> {
	let report = await watchLoop(service, attack);
	// Something else of the process, such as the collection of garbage, may have fallen into it. An attack works each time.
	for (let attempt = 1; attempt < 6 && report.longest > longestTurn; attempt++) report = await watchLoop(service, attack);
	assert.ok(report.longest <= longestTurn, `the event loop was held up for ${Math.round(report.longest)} ms`);
	return report.result;
}
