import type { ActionSnapshotEntity, BusEvent } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import {
	announcementPrefix,
	eventNames,
	readAnnouncement,
	readEventExecution,
	readOutputChunk,
	readTaskUpdate,
	retainOutputText,
} from "../../kernel/executions/execution-events.ts";
import { toExecutionView } from "../../kernel/executions/executions-api.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { createAbortListeners } from "../../lib/abort-listeners.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";
import type { EventFeed, EventFeeds, Events, StreamEvent, StreamEventName } from "./stream-events-exports.ts";

/** Maximum number of events buffered for a slow reader. Beyond it the stream ends with an error: missed events cannot be read later. */
const streamBuffer = 2_000;

/** Events of the general stream derived from an event of an execution: first the live action, then the execution. */
const derivedNames: Readonly<Record<string, readonly (readonly [name: StreamEventName, kind: "liveaction" | "execution"])[]>> = {
	[eventNames.executionCreate]: [
		["svc.liveaction__create", "liveaction"],
		[eventNames.executionCreate, "execution"],
	],
	[eventNames.executionUpdate]: [
		["svc.liveaction__update", "liveaction"],
		[eventNames.executionUpdate, "execution"],
	],
};

/** Names of all events of the general stream; `<>` represents the route of an announcement. */
export const streamEventNames: readonly string[] = [
	...Object.values(derivedNames).flatMap((names) => names.map(([name]) => name)),
	eventNames.outputCreate,
	eventNames.taskUpdate,
	`${announcementPrefix}<>`,
];

export type EventDependencies = Uses<"eventBus" | "sealedSecrets" | "isWorkflow"> & Pick<Kernel, "catalog">;

export function createEvents(parts: EventDependencies): Events & EventFeeds {
	const { eventBus } = parts;
	const watch = createAbortListeners();
	const told = new DerivedEvents(parts);

	async function open(patterns: readonly string[], { signal }: { readonly signal: AbortSignal }): Promise<EventFeed> {
		const isWanted = (name: string) => patterns.some((pattern) => isNamed(name, pattern));
		const names = Object.entries(derivedNames).flatMap(([name, derived]) => (derived.some(([one]) => isWanted(one)) ? name : []));
		names.push(...[eventNames.outputCreate, eventNames.taskUpdate].filter(isWanted));
		const announcements = patterns.flatMap((pattern) => toAnnouncements(pattern) ?? []);
		const over = new AbortController();
		const forget = watch.add(signal, () => over.abort());
		let published = 0;
		const count = (event: BusEvent) => {
			published += 1;
			retainOutputText(event);
			return true;
		};
		const options = { signal: over.signal, buffer: streamBuffer, filter: count };
		const events = await eventBus.subscribe([...names, ...announcements], options);
		const read = async function* () {
			try {
				for await (const event of events) {
					const all = told.of(event);
					yield (all instanceof Promise ? await all : all).filter(({ name }) => isWanted(name));
				}
			} finally {
				forget();
			}
		};
		return { events: read(), published: () => published };
	}

	async function subscribe(patterns: readonly string[], options: { readonly signal: AbortSignal }) {
		const { events } = await open(patterns, options);
		return (async function* () {
			for await (const some of events) yield* some;
		})();
	}

	// The compiler cannot derive which events the patterns match.
	return { open, subscribe: subscribe as Events["subscribe"] };
}

/** Derives the events of the general stream, once for all subscribers. */
class DerivedEvents {
	readonly #parts: EventDependencies;
	/** Derived events by bus event. The bus passes the same object to all subscribers. */
	readonly #told = new PrivateSlot<BusEvent, Promise<readonly StreamEvent[]> | readonly StreamEvent[]>();

	constructor(parts: EventDependencies) {
		this.#parts = parts;
	}

	/** Returns the derived events; a promise only if the snapshot of the execution is not cached. */
	of(event: BusEvent): Promise<readonly StreamEvent[]> | readonly StreamEvent[] {
		let told = this.#told.get(event);
		if (told === undefined) {
			told = this.#tell(event);
			this.#told.set(event, told);
		}
		return told;
	}

	#tell(event: BusEvent): Promise<readonly StreamEvent[]> | readonly StreamEvent[] {
		const { name } = event;
		if (isAnnouncement(name)) return [{ name, kind: "other", ...readAnnouncement(event) }];
		if (name === eventNames.outputCreate) return [{ name, kind: "output", chunk: readOutputChunk(event) }];
		if (name === eventNames.taskUpdate) return [{ name, kind: "task", task: readTaskUpdate(event) }];
		const { catalog } = this.#parts;
		const entity = readEventExecution(event);
		const toEvents = (snapshot: ActionSnapshotEntity) => {
			const view = toExecutionView(entity, snapshot, this.#parts);
			return (derivedNames[name] ?? []).map(([derived, kind]) => ({ name: derived, kind, view }) as StreamEvent);
		};
		const known = catalog.cachedSnapshot(entity.snapshot_id);
		return known === undefined ? catalog.snapshot(entity.snapshot_id).then(toEvents) : toEvents(known);
	}
}

function isAnnouncement(name: string): name is `svc.announcement__${string}` {
	return name.startsWith(announcementPrefix);
}

/**
 * Returns the pattern of the announcements that `pattern` matches; undefined if it matches none. Only announcements need a pattern:
 * they can have any name.
 */
function toAnnouncements(pattern: string): string | undefined {
	if (pattern.startsWith(announcementPrefix)) return pattern;
	return isNamed(announcementPrefix, pattern) ? `${announcementPrefix}*` : undefined;
}

function isNamed(name: string, pattern: string): boolean {
	return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
