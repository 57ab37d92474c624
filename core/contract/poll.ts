import { toErrorMessage } from "./errors.ts";
import type { SensorContext } from "./sensor.ts";

/** Longest pause after rounds that failed, in seconds, unless the interval is longer. */
const longestPause = 300;
/** Longest wait of the runtime's timers, in milliseconds. */
const longestTimer = 2_147_483_647;

/**
 * Call `round` now and then every `seconds` until the signal aborts; what a sensor that polls does in `run`. The next round begins
 * `seconds` after the last one has ended, so that they never overlap. A round that fails is logged, and the pause doubles with each
 * failure in a row, up to five minutes. Resolves when the signal has aborted and the round under way has ended.
 */
export async function poll(
	{ signal, logger }: Pick<SensorContext, "signal" | "logger">,
	seconds: number,
	round: () => Promise<void> | void,
): Promise<void> {
	if (!(seconds > 0)) throw new RangeError(`poll: seconds must be more than 0, not ${seconds}`);
	let failures = 0;
	while (!signal.aborted) {
		try {
			await round();
			failures = 0;
		} catch (error) {
			if (signal.aborted) return;
			failures += 1;
			logger.warn("a round of polling failed", { failures, problem: toErrorMessage(error) });
		}
		// Not over the limit to begin with, and no power that is not a number any more.
		const pause = Math.max(seconds, Math.min(seconds * 2 ** Math.min(failures, 30), longestPause));
		await wait(pause * 1_000, signal);
	}
}

/** Resolves after so many milliseconds, or when the signal aborts. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const done = () => {
			clearTimeout(timer);
			signal.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, Math.min(milliseconds, longestTimer));
		signal.addEventListener("abort", done);
	});
}
