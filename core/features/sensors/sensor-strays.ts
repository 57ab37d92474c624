import { AsyncLocalStorage } from "node:async_hooks";

type OnStray = (reason: unknown) => void;

/** Which sensor has begun what runs now, as far as it is a sensor; what the service does for it is the service's own. */
const begunBy = new AsyncLocalStorage<OnStray | undefined>();
let watching = 0;

/** Do the work of a sensor: of a promise of it that is rejected and that nobody awaits `onStray` is told, while these are watched for. */
export function asSensor<T>(onStray: OnStray, work: () => T): T {
	return begunBy.run(onStray, work);
}

/** Do what a sensor has asked the service for: what is begun with it goes on for others, and is no work of the sensor. */
export function asService<T>(work: () => T): T {
	return begunBy.run(undefined, work);
}

/**
 * Until `end` is called, a promise of a sensor that nobody awaits does not end the process. All others do, as they would without: what the
 * service itself has forgotten may have left it in any state.
 */
export function watchStrays(): { end(): void } {
	let isOver = false;
	watching += 1;
	if (watching === 1) process.on("unhandledRejection", onRejection);
	return {
		end() {
			if (isOver) return;
			isOver = true;
			watching -= 1;
			if (watching === 0) process.off("unhandledRejection", onRejection);
		},
	};
}

function onRejection(reason: unknown): void {
	const onStray = begunBy.getStore();
	if (onStray !== undefined) return onStray(reason);
	// Whoever else listens decides.
	if (process.listenerCount("unhandledRejection") > 1) return;
	// Node does what it is told to do where nobody listens, which need not be to end.
	process.off("unhandledRejection", onRejection);
	void Promise.reject(reason);
	setImmediate(() => {
		if (watching > 0) process.on("unhandledRejection", onRejection);
	});
}
