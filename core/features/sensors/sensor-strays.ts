import { AsyncLocalStorage } from "node:async_hooks";

/** What no code of its own has caught. */
export interface Stray {
	readonly reason: unknown;
	/** How it came, in words. */
	readonly what: string;
}

type OnStray = (stray: Stray) => void;

/** Which sensor has begun what runs now, as far as it is a sensor; what the service does for it is the service's own. */
const begunBy = new AsyncLocalStorage<OnStray | undefined>();
let watching = 0;

/** Do the work of a sensor: of what it leaves to nobody, promises and exceptions, `onStray` is told, while these are watched for. */
export function asSensor<T>(onStray: OnStray, work: () => T): T {
	return begunBy.run(onStray, work);
}

/** Do what a sensor has asked the service for: what is begun with it goes on for others, and is no work of the sensor. */
export function asService<T>(work: () => T): T {
	return begunBy.run(undefined, work);
}

/**
 * Until `end` is called, a promise of a sensor that nobody awaits and an exception in a callback of a sensor do not end the process. All
 * others do, as they would without: what the service itself has forgotten may have left it in any state.
 */
export function watchStrays(): { end(): void } {
	let isOver = false;
	watching += 1;
	if (watching === 1) process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
	return {
		end() {
			if (isOver) return;
			isOver = true;
			// What was thrown when a sensor was told to end is told of once all that follows from its end has been done.
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
	// Whoever else listens decides.
	if (process.listenerCount("unhandledRejection") > 1) return;
	// Node does what it is told to do where nobody listens, which need not be to end.
	process.off("unhandledRejection", onRejection);
	void Promise.reject(reason);
	setImmediate(() => {
		if (watching > 0) process.on("unhandledRejection", onRejection);
	});
}

function onException(error: unknown): void {
	// Node tells of it in the context of the callback that has thrown: of a timer, a socket, a child process that the sensor has begun.
	const onStray = begunBy.getStore();
	if (onStray !== undefined) return onStray({ reason: error, what: "a callback threw what nobody catches" });
	if (process.listenerCount("uncaughtException") > 1) return;
	// The process ends, with the words and the exit code that it has where nobody listens: thrown from here it had others.
	process.off("uncaughtException", onException);
	process.nextTick(() => {
		throw error;
	});
}
