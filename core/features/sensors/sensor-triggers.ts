import type { SensorTrigger, SensorTriggerChange, TriggerEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";

export type SensorTriggersDependencies = Uses<"storage" | "options"> & Pick<Kernel, "changes">;

/** Reads the triggers of a sensor's types, and follows their changes. */
export interface SensorTriggers {
	read(types: readonly string[]): Promise<readonly SensorTrigger[]>;
	follow(types: readonly string[], signal: AbortSignal): AsyncIterable<SensorTriggerChange>;
}

export function createSensorTriggers({ storage, changes, options }: SensorTriggersDependencies): SensorTriggers {
	const listeners = new Set<() => void>();
	changes.onChange(() => {
		for (const listener of listeners) listener();
	});

	const find = (types: readonly string[]) => storage.find("trigger", { where: { type: { in: [...types] } }, orderBy: [["ref", "asc"]] });

	async function findWhenThere(types: readonly string[], signal: AbortSignal): Promise<readonly TriggerEntity[]> {
		let found: readonly TriggerEntity[] = [];
		const look = async () => {
			found = await find(types);
		};
		await retryWhileUnavailable(look, { shouldGiveUp: () => signal.aborted, onUnavailable: () => {} });
		return found;
	}

	async function* follow(types: readonly string[], signal: AbortSignal): AsyncGenerator<SensorTriggerChange> {
		let known: ReadonlyMap<string, TriggerEntity> | undefined;
		// Polls find changes by other nodes whose notifications were lost.
		const notices = createNotices(signal, storage.capabilities.shared === true ? options.scheduler.poll_interval * 1_000 : undefined);
		listeners.add(notices.notice);
		try {
			while (!signal.aborted) {
				notices.forget();
				const current = new Map((await findWhenThere(types, signal)).map((trigger) => [keyOf(trigger), trigger]));
				const change = compare(known ?? new Map(), current);
				if (known === undefined || change.added.length + change.removed.length > 0) yield change;
				known = current;
				await notices.next();
			}
		} finally {
			listeners.delete(notices.notice);
			notices.forget();
		}
	}

	return { read: async (types) => (await find(types)).map(toSensorTrigger), follow };
}

/** Returns the identity of a trigger. A trigger with changed parameters counts as a new one. */
function keyOf({ ref, parameters_hash }: TriggerEntity): string {
	return `${ref} ${parameters_hash}`;
}

function compare(before: ReadonlyMap<string, TriggerEntity>, after: ReadonlyMap<string, TriggerEntity>): SensorTriggerChange {
	const added = [...after].filter(([key]) => !before.has(key)).map(([, trigger]) => toSensorTrigger(trigger));
	const removed = [...before].filter(([key]) => !after.has(key)).map(([, trigger]) => toSensorTrigger(trigger));
	return { added, removed };
}

function toSensorTrigger({ ref, type, parameters }: TriggerEntity): SensorTrigger {
	return { ref, type, parameters };
}

function createNotices(signal: AbortSignal, longestWait: number | undefined) {
	let isNoticed = false;
	let wake = () => {};
	const notice = () => {
		isNoticed = true;
		wake();
	};
	return {
		notice,
		/** Discards pending notices. Called before the triggers are read, because that read includes the changes. */
		forget() {
			isNoticed = false;
		},
		/** Resolves with the next notice, at once if one is pending. Also resolves after the maximum wait, or when the signal aborts. */
		next() {
			return new Promise<void>((resolve) => {
				if (isNoticed || signal.aborted) return resolve();
				const timer = longestWait === undefined ? undefined : setTimeout(notice, longestWait);
				signal.addEventListener("abort", notice);
				wake = () => {
					clearTimeout(timer);
					signal.removeEventListener("abort", notice);
					resolve();
				};
			});
		},
	};
}
