import { AsyncLocalStorage } from "node:async_hooks";

/** Error that the code of a sensor has not handled. */
export interface UncaughtSensorError {
	readonly reason: unknown;
	/** Message that describes how the error occurred. */
	readonly what: string;
}

type OnSensorError = (error: UncaughtSensorError) => void;

/** Error handler of the sensor whose code is running; undefined for code of the service, even if a sensor has called it. */
const onErrorOfRunningSensor = new AsyncLocalStorage<OnSensorError | undefined>();
let watchCount = 0;

/** Runs code of a sensor. `onError` receives its unhandled rejections and uncaught exceptions while a watch is active. */
export function runAsSensor<T>(onError: OnSensorError, work: () => T): T {
	return onErrorOfRunningSensor.run(onError, work);
}

/** Runs code of the service for a sensor. Work that it starts may serve other callers, so that its errors do not count as the sensor's. */
export function runAsService<T>(work: () => T): T {
	return onErrorOfRunningSensor.run(undefined, work);
}

/**
 * Installs handlers of unhandled errors until `end` is called. Unhandled rejections and uncaught exceptions of sensors then do not end the
 * process. All others still do, because an unhandled error may have left the service in any state.
 */
export function handleUncaughtSensorErrors(): { end(): void } {
	let isOver = false;
	watchCount += 1;
	if (watchCount === 1) process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
	return {
		end() {
			if (isOver) return;
			isOver = true;
			// Keep the handlers for one more turn of the event loop, so that errors of sensors that are ending are still handled.
			setImmediate(() => {
				watchCount -= 1;
				if (watchCount === 0) process.off("unhandledRejection", onRejection).off("uncaughtException", onException);
			});
		},
	};
}

function onRejection(reason: unknown): void {
	const onError = onErrorOfRunningSensor.getStore();
	if (onError !== undefined) return onError({ reason, what: "a rejected promise was not handled" });
	// If the process has other listeners, leave the rejection to them.
	if (process.listenerCount("unhandledRejection") > 1) return;
	// Reject again without this listener. Node.js then applies its configured behaviour, which need not be to end the process.
	process.off("unhandledRejection", onRejection);
	void Promise.reject(reason);
	setImmediate(() => {
		if (watchCount > 0) process.on("unhandledRejection", onRejection);
	});
}

function onException(error: unknown): void {
	// Node.js emits the event in the async context of the callback that has thrown: that of a timer, a socket, or a child process.
	const onError = onErrorOfRunningSensor.getStore();
	if (onError !== undefined) return onError({ reason: error, what: "an error thrown by a callback was not caught" });
	if (process.listenerCount("uncaughtException") > 1) return;
	// Throw again without this listener, so that the process ends with the usual message and exit code. Throwing from here would change
	// both.
	process.off("uncaughtException", onException);
	process.nextTick(() => {
		throw error;
	});
}
