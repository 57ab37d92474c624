import { toErrorMessage } from "./errors.ts";
import type { SensorContext } from "./sensor.ts";

/** Maximum pause after failed rounds, in seconds. A longer polling interval takes precedence. */
const maxPauseSeconds = 300;
/** Maximum delay of a Node.js timer, in milliseconds. Node.js fires a timer with a longer delay after 1 ms. */
const maxTimerMs = 2_147_483_647;

/**
 * Calls `round` every `seconds` until the signal aborts. A sensor that polls calls this function in `run`.
 *
 * The next round begins `seconds` after the previous one has ended, so rounds never overlap. If a round fails, the error is logged. The
 * pause doubles with each consecutive failure, up to five minutes or up to `seconds`, whichever is longer.
 *
 * Resolves when the signal has aborted and the current round has ended. Throws a `RangeError` unless `seconds` is more than 0.
 */
export async function poll(
	{ signal, logger }: Pick<SensorContext, "signal" | "logger">,
	seconds: number,
	round: () => Promise<void> | void,
): Promise<void> {
	if (!(seconds > 0)) throw new RangeError(`poll: seconds must be greater than 0, got ${seconds}`);
	let failures = 0;
	while (!signal.aborted) {
		try {
			await round();
			failures = 0;
		} catch (error) {
			if (signal.aborted) return;
			failures += 1;
			logger.warn("polling failed", { failures, problem: toErrorMessage(error) });
		}
		// The exponent is bounded so that the power stays finite. The pause is never shorter than the interval.
		const pauseSeconds = Math.max(seconds, Math.min(seconds * 2 ** Math.min(failures, 30), maxPauseSeconds));
		await wait(pauseSeconds * 1_000, signal);
	}
}

/** Resolves after the given number of milliseconds, or when the signal aborts. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const finish = () => {
			clearTimeout(timer);
			signal.removeEventListener("abort", finish);
			resolve();
		};
		const timer = setTimeout(finish, Math.min(milliseconds, maxTimerMs));
		signal.addEventListener("abort", finish);
	});
}
