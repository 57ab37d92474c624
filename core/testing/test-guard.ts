import * as assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type RegisterTest, timed } from "./run-kit.ts";
import { within } from "./within.ts";

/**
 * Wraps the test function of a kit so that plugin faults become test failures. A plugin may never end, or cause an unhandled rejection. A
 * test runner would then hang or exit at once, without naming the failed statement.
 *
 * @param longest maximum milliseconds of one test, far above the duration of a passing test
 */
export function guardTests(test: RegisterTest, longest = 60_000): RegisterTest {
	// `runKit` limits the duration of a test itself. For other test functions, this limit applies.
	const limited: (run: () => Promise<void>) => Promise<void> = timed.has(test)
		? (run) => run()
		: (run) => within(longest, run(), "it had not ended");
	return (name, run) => test(name, () => endProcessAfter(() => watched(() => limited(run))));
}

async function watched(run: () => Promise<void>): Promise<void> {
	const strays = watchStrays();
	try {
		// Node.js reports unhandled rejections in a later turn of the event loop.
		await run().finally(() => nextTurn());
	} finally {
		// Report stray errors first, because they usually cause the other failures.
		assertNone(strays.end());
	}
}

function assertNone([reason]: readonly unknown[]): void {
	if (reason === undefined) return;
	const message = `a promise that was not awaited rejected, which would end the process of a service: ${String(reason)}`;
	throw Object.assign(new assert.AssertionError({ message, operator: "fail" }), { cause: reason });
}

/** Milliseconds from the end of the last test to the first attempt to end the process. */
const exitDelayMs = 5_000;

/** Counts the running tests of this process, and ends the process after the last one if a test has failed. */
class ProcessEnd {
	#running = 0;
	#hasRefused = false;
	#timer: NodeJS.Timeout | undefined;

	begin(): void {
		this.#running++;
		clearTimeout(this.#timer);
	}

	end({ holds }: { readonly holds: boolean }): void {
		this.#running--;
		if (!holds) this.#hasRefused = true;
		if (this.#hasRefused && this.#running === 0) this.#lookIn(exitDelayMs);
	}

	#lookIn(milliseconds: number): void {
		// The timer must not keep the process alive on its own.
		this.#timer = setTimeout(() => this.#look(), milliseconds).unref();
	}

	#look(): void {
		if (!process.exitCode) return this.#lookIn(500);
		const open = process.getActiveResourcesInfo().join(", ");
		process.stderr.write(`svc-automation/testing: a plugin that was refused keeps the process open (${open}), which ends here\n`);
		process.exit();
	}
}

const processEnd = new ProcessEnd();

/**
 * Runs a statement. If it fails, the plugin may continue or leave resources open that keep the process alive, and no caller can close them.
 * The process is therefore ended 5 s after the last statement. It is ended only when the test runner has set a failing exit code; uvu sets
 * it after reporting all of its tests.
 */
async function endProcessAfter(statement: () => Promise<void>): Promise<void> {
	let holds = false;
	processEnd.begin();
	try {
		await statement();
		holds = true;
	} finally {
		processEnd.end({ holds });
	}
}

const watching = new Set<unknown[]>();
/** One listener for all statements: one for each unfinished statement would exceed the listener limit. */
const listener = (reason: unknown) => {
	for (const strays of watching) strays.push(reason ?? new Error("rejected without a reason"));
};

/** Collects unhandled rejections and uncaught exceptions instead of ending the process. `end` returns the collected errors. */
export function watchStrays(): { end(): readonly unknown[] } {
	const strays: unknown[] = [];
	if (watching.size === 0) process.on("unhandledRejection", listener).on("uncaughtException", listener);
	watching.add(strays);
	return {
		end() {
			watching.delete(strays);
			if (watching.size === 0) process.off("unhandledRejection", listener).off("uncaughtException", listener);
			return strays;
		},
	};
}
