import * as assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type RegisterTest, timed } from "./run-kit.ts";
import { within } from "./within.ts";

/**
 * The test function of a kit. Where a plugin goes on for ever, or fails where nobody waits for it, test runners never end or end at
 * once, and nobody reads which statement it was: here it is what the statement has found.
 *
 * @param longest milliseconds that one may take: far above what those take that hold
 */
export function asStatements(test: RegisterTest, longest = 60_000): RegisterTest {
	// Whoever runs it without a limit of their own gets this one.
	const limited: (run: () => Promise<void>) => Promise<void> = timed.has(test)
		? (run) => run()
		: (run) => within(longest, run(), "it had not ended");
	return (name, run) => test(name, () => endProcessAfter(() => watched(() => limited(run))));
}

async function watched(run: () => Promise<void>): Promise<void> {
	const strays = watchStrays();
	try {
		// What is rejected without anybody waiting is told of in a later turn.
		await run().finally(() => nextTurn());
	} finally {
		// Before what else has failed, which mostly comes of it.
		assertNone(strays.end());
	}
}

function assertNone([reason]: readonly unknown[]): void {
	if (reason === undefined) return;
	const message = `something has failed that nobody waited for, which ends the process of a service: ${String(reason)}`;
	throw Object.assign(new assert.AssertionError({ message, operator: "fail" }), { cause: reason });
}

/** Milliseconds after the last statement. */
const patience = 5_000;

/** What is known of the statements of this process. */
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
		if (this.#hasRefused && this.#running === 0) this.#lookIn(patience);
	}

	#lookIn(milliseconds: number): void {
		// Where nothing else keeps the process, this does not either.
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
 * Run a statement. When one is refused, its plugin may go on, or have left open what keeps the process, and nobody outside can end that:
 * the process is ended some time after the last statement. Only once the test runner has said by the exit code that something has
 * failed; uvu says it when it has reported all of its tests.
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
/** One for all: statements that have not ended would become too many listeners. */
const listener = (reason: unknown) => {
	for (const strays of watching) strays.push(reason ?? new Error("rejected without a reason"));
};

/** Keeps rejections and errors that nobody has caught, instead of the end of the process; `end` gives what has come. */
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
