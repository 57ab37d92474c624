import type { BusEvent, EventBus, JsonObject } from "../../contract/index.ts";
import { createAbortWatch } from "../../kernel/basics/abort-watch.ts";
import type { Catalog } from "../../kernel/executions/catalog.ts";
import { announcementPrefix, eventNames, toEventChunk, toEventEntity, toEventTask } from "../../kernel/executions/execution-events.ts";
import { toExecutionView } from "../../kernel/executions/execution-view.ts";
import type { SealedSecrets } from "../../kernel/secrets/sealed-secrets.ts";
import type { EventName, Events, StreamEvent } from "./events-api.ts";

/** Events a general stream holds for a slow reader; beyond it the stream ends with an error, as it has no past to read from. */
const streamBuffer = 2_000;

/** What the general stream makes of an event of an execution: first the live action, then the execution. */
const derivedNames: Readonly<Record<string, readonly (readonly [name: EventName, kind: "liveaction" | "execution"])[]>> = {
	[eventNames.executionCreate]: [
		["svc.liveaction__create", "liveaction"],
		[eventNames.executionCreate, "execution"],
	],
	[eventNames.executionUpdate]: [
		["svc.liveaction__update", "liveaction"],
		[eventNames.executionUpdate, "execution"],
	],
};

/** Every event of the general stream by name; `<>` stands for the route of an announcement. */
export const streamEventNames: readonly string[] = [
	...Object.values(derivedNames).flatMap((names) => names.map(([name]) => name)),
	eventNames.outputCreate,
	eventNames.taskUpdate,
	`${announcementPrefix}<>`,
];

export interface EventParts {
	readonly eventBus: EventBus;
	readonly catalog: Catalog;
	readonly sealedSecrets: SealedSecrets;
	readonly isWorkflow: (runnerName: string) => boolean;
}

/** Live events for the general stream. */
export function createEvents({ eventBus, catalog, sealedSecrets, isWorkflow }: EventParts): Events {
	const watch = createAbortWatch();

	async function* toStreamEvents(event: BusEvent, isWanted: (name: string) => boolean): AsyncGenerator<StreamEvent> {
		const { name } = event;
		if (isAnnouncement(name)) return yield { name, kind: "other", data: event.data as JsonObject };
		if (name === eventNames.outputCreate) return yield { name, kind: "output", chunk: toEventChunk(event) };
		if (name === eventNames.taskUpdate) return yield { name, kind: "task", task: toEventTask(event) };
		const entity = toEventEntity(event);
		const view = toExecutionView(entity, await catalog.snapshot(entity.snapshot_id), { sealedSecrets, isWorkflow });
		for (const [derived, kind] of derivedNames[name] ?? []) if (isWanted(derived)) yield { name: derived, kind, view } as StreamEvent;
	}

	async function subscribe(patterns: readonly string[], { signal }: { readonly signal: AbortSignal }) {
		const isWanted = (name: string) => patterns.some((pattern) => isNamed(name, pattern));
		const names = Object.entries(derivedNames).flatMap(([name, derived]) => (derived.some(([one]) => isWanted(one)) ? name : []));
		names.push(...[eventNames.outputCreate, eventNames.taskUpdate].filter(isWanted));
		const announcements = patterns.flatMap((pattern) => toAnnouncements(pattern) ?? []);
		const over = new AbortController();
		const forget = watch.add(signal, () => over.abort());
		const events = await eventBus.subscribe([...names, ...announcements], { signal: over.signal, buffer: streamBuffer });
		return (async function* () {
			try {
				for await (const event of events) yield* toStreamEvents(event, isWanted);
			} finally {
				forget();
			}
		})();
	}

	// Which events the patterns stand for is more than the compiler can follow.
	return { subscribe: subscribe as Events["subscribe"] };
}

function isAnnouncement(name: string): name is `svc.announcement__${string}` {
	return name.startsWith(announcementPrefix);
}

/** The announcements among what a pattern stands for: only their names are not known beforehand. */
function toAnnouncements(pattern: string): string | undefined {
	if (pattern.startsWith(announcementPrefix)) return pattern;
	return isNamed(announcementPrefix, pattern) ? `${announcementPrefix}*` : undefined;
}

function isNamed(name: string, pattern: string): boolean {
	return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
