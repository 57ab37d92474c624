import type { Clock, Logger, Storage } from "../../contract/index.ts";
import { toTimestamp } from "../clock.ts";

const interval = 60_000;
const batch = 500;

interface SweepParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly logger: Logger;
}

/** Removes items that have expired, at the start and every minute. They count as absent before that. */
export function createSweep({ storage, clock, logger }: SweepParts): { start(): void; stop(): Promise<void> } {
	let timer: NodeJS.Timeout | undefined;
	let isStopped = false;
	let sweeping = Promise.resolve();

	async function sweep(): Promise<void> {
		try {
			let removed = batch;
			while (removed === batch && !isStopped) {
				const where = { expire_timestamp: { lte: toTimestamp(clock.now()) } };
				removed = await storage.remove("key_value", { where, limit: batch });
			}
		} catch (error) {
			logger.warn("expired datastore items could not be removed", { error });
		}
	}

	const next = () => {
		sweeping = sweeping.then(sweep);
	};
	return {
		start() {
			next();
			timer = setInterval(next, interval).unref();
		},
		async stop() {
			isStopped = true;
			clearInterval(timer);
			await sweeping;
		},
	};
}
