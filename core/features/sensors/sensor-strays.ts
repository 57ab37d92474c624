import { AsyncLocalStorage } from "node:async_hooks";

/** Error that the code of a sensor has not handled. */
export interface Stray {
	readonly reason: unknown;
	/** Description of how the error occurred. */
	readonly what: string;
}

type OnStray = (stray: Stray) => void;

/** Handler of the sensor whose code is running; undefined for code of the service, even if it works for a sensor. */
const begunBy = new AsyncLocalStorage<OnStray | undefined>();
let watching = 0;

/** Runs code of a sensor. `onStray` receives its unhandled rejections and uncaught exceptions while a watch is active. */
export function asSensor<T>(onStray: OnStray, work: () => T): T {
	return begunBy.run(onStray, work);
}

/** Runs code of the service for a sensor. Work that it starts may serve other callers, so that its errors do not count as the sensor's. */
export function asService<T>(work: () => T): T {
	return begunBy.run(undefined, work);
}

/**
 * Installs handlers of unhandled errors until `end` is called. Unhandled rejections and uncaught exceptions of sensors then do not end the
 * process. All others still do, because an unhandled error may have left the service in any state.
 */
export function watchStrays(): { end(): void } {
	let isOver = false;
	watching += 1;
	if (watching === 1) process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
	return {
		end() {
			if (isOver) return;
			isOver = true;
			// Keep the handlers for one more turn, so that errors of sensors that are ending are still handled.
			setImmediate(() => {
				watching -= 1;
				if (watching === 0) process.off("unhandledRejection", onRejection).off("uncaughtException", onException);
			});
		},
	};
}

function onRejection(reason: unknown): void {
	const onStray = begunBy.getStore();
	if (onStray !== undefined) return onStray({ reason, what: "a promise that nobody awaits was rejected" });
	// If there are other listeners, they decide.
	if (process.listenerCount("unhandledRejection") > 1) return;
	// Reject again without this listener. Node.js then applies its configured behaviour, which need not be to end the process.
	process.off("unhandledRejection", onRejection);
	void Promise.reject(reason);
	setImmediate(() => {
		if (watching > 0) process.on("unhandledRejection", onRejection);
	});
}

function onException(error: unknown): void {
	// Node.js emits the event in the async context of the callback that has thrown: that of a timer, a socket, or a child process.
	const onStray = begunBy.getStore();
	if (onStray !== undefined) return onStray({ reason: error, what: "a callback threw what nobody catches" });
	if (process.listenerCount("uncaughtException") > 1) return;
	// Throw again without this listener, so that the process ends with the usual message and exit code. Throwing from here would change
	// both.
	process.off("uncaughtException", onException);
	process.nextTick(() => {
		throw error;
	});
}
